import { type AttemptInfo } from '../common/vocabulary.js';
import { type ProbeWait } from '../common/journal-port.js';
import { type PaymentsError } from '../errors/payments-errors.js';
import { type FailureVerdict } from './call-error.js';
import { type ReadSuccess } from './answer/interpret-attempt.js';

/** How a call ended. */
export type CallEnd<T> = CallSuccess<T> | CallAborted | CallFailure;

export interface CallSuccess<T> {
  readonly end: 'success';
  readonly success: ReadSuccess<T>;
  readonly attempts: readonly AttemptInfo[];
}

/** The caller's signal fired, and nothing was sent. */
export interface CallAborted {
  readonly end: 'aborted';
  /** The signal's own reason. */
  readonly reason: unknown;
}

export interface CallFailure {
  readonly end: 'failed';
  readonly verdict: FailureVerdict;
  readonly error: PaymentsError;
  /** The one further try, where it is still open. */
  readonly openProbe: ProbeWait | undefined;
}
