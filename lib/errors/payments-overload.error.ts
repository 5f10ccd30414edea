import { PaymentsError, type PaymentsErrorDetails } from './payments-errors.js';

/** When to call again. */
const RETRY_AFTER_MS = 5_000;

/**
 * This process has as many calls in flight as the option `maxInFlight` allows, so this one was refused at once. It sent
 * nothing and wrote nothing. Its `code` is `OVERLOADED`.
 *
 * For a payment, `mayHaveBeenProcessed` is `not-by-this-call`: the journal was not read, and may hold an earlier call with
 * the same reference.
 *
 * @publicApi
 */
export class PaymentsOverloadError extends PaymentsError {
  override readonly name = 'PaymentsOverloadError';
  override readonly retryable = true;
  /** How long to wait before the same call is made again, in milliseconds. */
  readonly retryAfterMs: number = RETRY_AFTER_MS;

  constructor(
    message: string,
    details?: PaymentsErrorDetails,
    override readonly mayHaveBeenProcessed: false | 'not-by-this-call' = false,
  ) {
    super('OVERLOADED', message, details);
  }
}
