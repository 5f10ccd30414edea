import { PaymentsError, type PaymentsErrorDetails } from './payments.error.js';

/**
 * Why the outcome of a payment is not known.
 *
 * @publicApi
 */
export type OutcomeEvidence =
  | 'no-answer'
  | 'bad-answer'
  | 'server-error'
  | 'provider-error'
  | 'echo-mismatch'
  | 'duplicate-request'
  | 'duplicate-reference'
  | 'unlisted-code'
  | 'refused-after-ambiguity'
  | 'aborted'
  | 'in-flight'
  | 'interrupted';

/**
 * Money may have moved. This is neither a failure nor a success: keep the order open, never pay again under another
 * reference, and wait for the webhook or look the reference up.
 *
 * @publicApi
 */
export class PaymentOutcomeUnknownError extends PaymentsError {
  override readonly name = 'PaymentOutcomeUnknownError';
  override readonly retryable = false;
  override readonly mayHaveBeenProcessed = true;

  constructor(
    /** What was seen instead of a clear answer. */
    readonly evidence: OutcomeEvidence,
    message: string,
    details?: PaymentsErrorDetails,
  ) {
    super('OUTCOME_UNKNOWN', message, details);
  }
}
