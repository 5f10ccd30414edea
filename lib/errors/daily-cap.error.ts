import { type PaymentsErrorDetails, PaymentsValidationError } from './payments-errors.js';

/**
 * The day has no room for the payment: see the option `limits.….perDay`. Nothing was sent, and nothing was written down. Its
 * `code` is `DAILY_CAP_REACHED`, its `name` that of `PaymentsValidationError`.
 *
 * @publicApi
 */
export class DailyCapReachedError extends PaymentsValidationError {
  override readonly code: string = 'DAILY_CAP_REACHED';
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
