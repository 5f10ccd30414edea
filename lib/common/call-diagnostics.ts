import { type PaymentsOperation } from './operations.js';
import { type AttemptInfo, type OutcomeEvidence } from './vocabulary.js';
import { type ContextualEvent } from './run-in-context.js';

/**
 * A call to the gateway begins: the request was checked, and a payment was written down. What is answered
 * from the journal sends nothing and publishes nothing. Published in the caller's own asynchronous context.
 *
 * A payment that the storage did not write down sends nothing either: its call begins and ends at once, with the error
 * `PaymentsStorageError` and no attempts.
 *
 * @publicApi
 */
export const CALL_START_CHANNEL = 'nestjs-payments:call:start';

/**
 * One try of a call is about to be sent; one that is given up before that has an end only.
 *
 * @publicApi
 */
export const CALL_ATTEMPT_START_CHANNEL = 'nestjs-payments:call:attempt-start';

/**
 * One try of a call is over.
 *
 * @publicApi
 */
export const CALL_ATTEMPT_CHANNEL = 'nestjs-payments:call:attempt';

/**
 * A wait of a call is over, also one that was cut short.
 *
 * @publicApi
 */
export const CALL_WAIT_CHANNEL = 'nestjs-payments:call:wait';

/**
 * A call is over.
 *
 * @publicApi
 */
export const CALL_END_CHANNEL = 'nestjs-payments:call:end';

/**
 * Which call an event belongs to. No event holds a key, a body or anything about a customer or a recipient.
 *
 * @publicApi
 */
export interface CallStartEvent {
  /** The same in every event of one call; unique within the process. */
  readonly callId: number;
  /** Name of the merchant account; `default` if it was given none. */
  readonly account: string;
  /** Which of the gateway's operations is called. */
  readonly operation: PaymentsOperation;
  /** The merchant's reference, on the four operations that move money. */
  readonly reference?: string;
}

/**
 * Where one try of a call goes.
 *
 * @publicApi
 */
export interface CallAttemptStartEvent extends CallStartEvent, ContextualEvent {
  /** 1 for the first try of this call. */
  readonly attempt: number;
  /** HTTP method. */
  readonly method: 'GET' | 'POST';
  /** Host name or address of the gateway. */
  readonly serverAddress: string;
  /** TCP port of the gateway. */
  readonly serverPort: number;
}

/**
 * How one try of a call went.
 *
 * @publicApi
 */
export interface CallAttemptEvent extends CallStartEvent, Omit<AttemptInfo, 'number'> {
  /** 1 for the first try of this call. */
  readonly attempt: number;
  /** The gateway's `request_id`, if its answer had one. */
  readonly requestId?: string;
}

/**
 * How long a call waited before a try.
 *
 * @publicApi
 */
export interface CallWaitEvent extends CallStartEvent {
  /** The try that was waited for; 1 for the first one of this call. */
  readonly attempt: number;
  /**
   * - `retry`: the call's own wait between two tries.
   * - `rate`: all calls of the account waited after a 429, or the call queued under the `rate` option.
   */
  readonly reason: 'retry' | 'rate';
  /** How long it waited, in milliseconds. */
  readonly durationMs: number;
}

/**
 * How a call ended, as far as the gateway's answers tell.
 *
 * @publicApi
 */
export interface CallEndEvent extends CallStartEvent {
  /**
   * - `success`: it resolved.
   * - `unknown`: money may have moved.
   * - `failed`: it rejected with another error of the package.
   * - `aborted`: it rejected with the reason of the caller's signal.
   */
  readonly outcome: 'success' | 'unknown' | 'failed' | 'aborted';
  /** Name of the error class, if the package made one. */
  readonly error?: string;
  /** Why money may have moved; present if `outcome` is `unknown`. */
  readonly evidence?: OutcomeEvidence;
  /** Code of the answer or of the error. */
  readonly code?: string;
  /** The gateway's `request_id`, if its answer had one. */
  readonly requestId?: string;
  /** How many tries were made. */
  readonly attempts: number;
  /** From start to end, all tries and waits included. */
  readonly durationMs: number;
}
