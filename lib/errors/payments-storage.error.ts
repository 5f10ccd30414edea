import { PaymentsError, type PaymentsErrorDetails } from './payments.error.js';

/**
 * The storage did not answer, so nothing was sent and no handler ran.
 *
 * @publicApi
 */
export class PaymentsStorageError extends PaymentsError {
  override readonly name = 'PaymentsStorageError';
  override readonly retryable = true;

  constructor(message: string, details?: PaymentsErrorDetails) {
    super('STORAGE_UNAVAILABLE', message, details);
  }
}
