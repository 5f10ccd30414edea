import { PaymentsError, type PaymentsErrorDetails } from './payments.error.js';

/**
 * The storage did not answer, so this call sent nothing and no handler ran. Where it was a payment, `mayHaveBeenProcessed` is
 * `not-by-this-call`: an earlier call with the same reference may be known to the storage alone.
 *
 * @publicApi
 */
export class PaymentsStorageError extends PaymentsError {
  override readonly name = 'PaymentsStorageError';
  override readonly retryable = true;

  constructor(
    message: string,
    details?: PaymentsErrorDetails,
    override readonly mayHaveBeenProcessed: false | 'not-by-this-call' = false,
  ) {
    super('STORAGE_UNAVAILABLE', message, details);
  }
}
