import { PaymentsError, type PaymentsErrorDetails } from './payments.error.js';

/**
 * The gateway answered 429: too many requests (specification, "Limits" 4). It did not act on the call; or nothing was sent,
 * because all calls of the account wait after a 429 to another one, and this one could not.
 *
 * @publicApi
 */
export class PaymentsRateLimitError extends PaymentsError {
  override readonly name = 'PaymentsRateLimitError';
  override readonly retryable = true;

  constructor(
    /** How long the gateway asks to wait, in milliseconds; undefined where it did not say. */
    readonly retryAfterMs: number | undefined,
    message: string,
    details?: PaymentsErrorDetails,
  ) {
    super('RATE_LIMITED', message, details);
  }
}
