import { type AttemptInfo } from '../common/attempt.js';

/**
 * How a call went: the envelope beside `data`, and every try.
 *
 * @publicApi
 */
export interface LastResponse {
  /** The gateway's `request_id`, for its support. */
  readonly requestId?: string;
  /** The envelope's code, for example `PAYMENT_INITIATED`. */
  readonly code: string;
  /** The envelope's message, for people. */
  readonly message: string;
  /** HTTP status of the answer. */
  readonly httpStatus: number;
  /** The `Idempotency-Key` that was sent, on the four operations that move money. */
  readonly idempotencyKey?: string;
  /** Every try of the call, in order. */
  readonly attempts: readonly AttemptInfo[];
  /** What was odd about the answer and was kept: an absent echo, a status that the specification does not list. */
  readonly warnings: readonly string[];
}

/**
 * A result of the gateway, with `lastResponse` beside its fields. It is not enumerable: it stays out of JSON, of
 * copies and of comparisons.
 *
 * @publicApi
 */
export type PaymentsResponse<T> = T & {
  /** How the call went. */
  readonly lastResponse: LastResponse;
};

/** Puts `lastResponse` on a result. */
export function withLastResponse<T extends object>(
  value: T,
  lastResponse: LastResponse,
): PaymentsResponse<T> {
  return Object.defineProperty(value, 'lastResponse', {
    value: lastResponse,
    configurable: true,
  }) as PaymentsResponse<T>;
}
