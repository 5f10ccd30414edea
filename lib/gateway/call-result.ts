import { type AttemptInfo } from '../common/vocabulary.js';
import { type ProbeWait } from '../storage/journal-store.js';
import { type PaymentsError } from '../errors/payments-errors.js';
import { type FailureVerdict } from './call-error.js';
import { type ReadSuccess } from './answer/interpret-attempt.js';

/** How a call ended: the verdict on its last try, with what came of the call. */
export type CallResult<T> = CallSuccess<T> | CallAborted | CallFailure;

interface CallSuccess<T> {
  readonly end: 'success';
  readonly success: ReadSuccess<T>;
  readonly attempts: readonly AttemptInfo[];
}

interface CallWithoutSuccess {
  /**
   * Whether the gateway, or something before it, answered a try. Even if the answer turned the request away,
   * the money may have moved before it: the reference and the key stay with this payment.
   */
  readonly answered: boolean;
}

/** The caller's signal fired, and nothing was sent but tries that were turned away. */
export interface CallAborted extends CallWithoutSuccess {
  readonly end: 'aborted';
  /** The signal's own reason. */
  readonly reason: unknown;
}

/** Every other end, which the caller is told by an error. */
export type CallFailure = FailureVerdict &
  CallWithoutSuccess & {
    readonly error: PaymentsError;
    /** The one further try, where it is still open. */
    readonly openProbe: ProbeWait | undefined;
  };
