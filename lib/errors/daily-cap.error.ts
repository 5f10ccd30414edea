import { type PaymentsErrorDetails, PaymentsValidationError } from './payments-errors.js';

/**
 * The day has no room for the payment: see the option `limits.….perDay`. This call sent nothing. Its `code` is
 * `DAILY_CAP_REACHED`, and its `errors` are empty.
 *
 * `mayHaveBeenProcessed` is `false` if the journal holds no payment that may be made under the reference. It is
 * `not-by-this-call` if the payment is planned, so that `recover()` sends it on another day, or if the gateway turned an
 * earlier call of it away.
 *
 * @publicApi
 */
export class DailyCapReachedError extends PaymentsValidationError {
  override readonly name = 'DailyCapReachedError';
  override readonly code: string = 'DAILY_CAP_REACHED';
  /** The same call may succeed when the next day has begun. */
  override readonly retryable = true;
  /** That nothing was sent, which cap was reached, and when the next day begins. */
  override readonly message: string;

  constructor(
    /** When the next day begins, and counts from 0. */
    readonly resetsAt: Date,
    what: string,
    details?: PaymentsErrorDetails,
  ) {
    super({}, details);
    this.message = `Nothing was sent: ${what}. The next day begins at ${resetsAt.toISOString()}.`;
  }
}
