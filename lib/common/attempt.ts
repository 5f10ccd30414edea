/**
 * What is known about one try of a call.
 *
 * - `not-sent`: nothing left this machine.
 * - `ambiguous`: bytes may have left, and no complete, readable answer came.
 * - `answered`: a complete answer came.
 *
 * @publicApi
 */
export type AttemptPhase = 'not-sent' | 'ambiguous' | 'answered';

/**
 * One try of a call, in the order of sending.
 *
 * @publicApi
 */
export interface AttemptInfo {
  /** 1 for the first try. */
  readonly number: number;
  /** How far this try came. */
  readonly phase: AttemptPhase;
  /** HTTP status of the answer, where one came. */
  readonly httpStatus?: number;
  /** The gateway's response code, or the network's error code. */
  readonly code?: string;
  /** Wall-clock time of this try in milliseconds. */
  readonly durationMs: number;
}
