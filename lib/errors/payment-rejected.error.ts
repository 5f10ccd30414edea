import { PaymentsError, type PaymentsErrorDetails } from './payments.error.js';

/**
 * The gateway definitely refused. No money moved and none will.
 *
 * `code` is the gateway's code (specification, "Errors"), or `HTTP_<status>` where it gave none.
 *
 * @publicApi
 */
export class PaymentRejectedError extends PaymentsError {
  override readonly name = 'PaymentRejectedError';
  override readonly mayHaveBeenProcessed = false;

  constructor(
    code: string,
    message: string,
    details?: PaymentsErrorDetails,
    /** The gateway's messages by field (error shape C); empty where it gave none. */
    readonly errors: Readonly<Record<string, readonly string[]>> = {},
  ) {
    super(code, message, details);
  }
}
