import { PaymentsError, type PaymentsErrorDetails } from './payments.error.js';

/**
 * The reference stands here for another payment, or its payment has ended. Nothing was sent: use a new reference.
 *
 * @publicApi
 */
export class ReferenceReusedError extends PaymentsError {
  override readonly name = 'ReferenceReusedError';

  constructor(
    message: string,
    details?: PaymentsErrorDetails,
    /** Whether the payment that stands under the reference may have been made; this call itself sent nothing. */
    override readonly mayHaveBeenProcessed: boolean = false,
  ) {
    super('REFERENCE_REUSED', message, details);
  }
}
