import { PaymentRejectedError, PaymentsRateLimitError } from 'nestjs-payments';
import { type Setback } from './order.js';

/** What the specification lists as a refusal of a collection: the customer can only change the phone. */
const REFUSALS: readonly string[] = ['INVALID_REQUEST', 'INVALID_PHONE'];
/** If the gateway does not say how long to wait. */
const WAIT_MS = 10_000;

/**
 * What the customer reads about an error. Only after a final refusal may another phone pay: otherwise the next request
 * repeats the last one, under the same reference and idempotency key.
 */
export function setbackOf(error: unknown): Setback {
  if (error instanceof PaymentsRateLimitError)
    return { reason: 'limited', waitMs: error.retryAfterMs ?? WAIT_MS };
  const isRefusal =
    error instanceof PaymentRejectedError &&
    error.final &&
    (REFUSALS.includes(error.code) || 'phone' in error.errors);
  return { reason: isRefusal ? 'refused' : 'unavailable' };
}
