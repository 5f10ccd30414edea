import { type AttemptInfo, type ProbeWait } from '../common/vocabulary.js';
import { type PaymentsError } from '../errors/payments-errors.js';
import { type FailureVerdict } from './call-error.js';
import { type ReadSuccess } from './answer/interpret-try.js';

/** How a call ended: the verdict on its last try, and its result or error. */
export type CallResult<T> = CallSuccess<T> | CallAborted | CallFailure;

interface CallSuccess<T> {
  readonly end: 'success';
  readonly success: ReadSuccess<T>;
  readonly attempts: readonly AttemptInfo[];
}

interface CallWithoutSuccess {
  /**
   * Whether the gateway, or a system before it, answered a try. Even if that answer refused the request,
   * money may have moved before, so the payment keeps its reference and key.
   */
  readonly answered: boolean;
  /** Whether it is certain that every answer only turned the request away: nobody looked at the payment. */
  readonly turnedAway?: boolean;
}

/** The caller's signal fired. Nothing was sent except tries that the gateway turned away. */
export interface CallAborted extends CallWithoutSuccess {
  readonly end: 'aborted';
  readonly reason: unknown;
}

/** Every other end; the caller gets the error. */
export type CallFailure = FailureVerdict &
  CallWithoutSuccess & {
    readonly error: PaymentsError;
    /** Set if the probe is still allowed. */
    readonly openProbe: ProbeWait | undefined;
  };
