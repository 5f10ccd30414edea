import { PaymentsError, type PaymentsErrorDetails } from './payments.error.js';

/**
 * A request is wrong. Nothing was sent.
 *
 * @publicApi
 */
export class PaymentsValidationError extends PaymentsError {
  override readonly name = 'PaymentsValidationError';

  constructor(
    /** What is wrong, by field; each message says what to write instead and never repeats the value. */
    readonly errors: Readonly<Record<string, readonly string[]>>,
    details?: PaymentsErrorDetails,
  ) {
    super(
      'VALIDATION_FAILED',
      `Nothing was sent, the request is wrong: ${Object.values(errors).flat().join('; ')}`,
      details,
    );
  }
}
