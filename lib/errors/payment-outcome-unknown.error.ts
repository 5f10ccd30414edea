import { type OutcomeEvidence } from '../common/outcome-evidence.js';
import { PaymentsError, type PaymentsErrorDetails } from './payments.error.js';

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
