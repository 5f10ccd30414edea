import { PaymentsError, type PaymentsErrorDetails } from './payments.error.js';

/**
 * The reference stands here for another payment, or its payment has ended. Nothing was sent: use a new reference.
 *
 * @publicApi
 */
export class ReferenceReusedError extends PaymentsError {
  override readonly name = 'ReferenceReusedError';

  constructor(message: string, details?: PaymentsErrorDetails) {
    super('REFERENCE_REUSED', message, details);
  }
}
