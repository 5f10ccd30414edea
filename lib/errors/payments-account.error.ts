import { PaymentsError, type PaymentsErrorDetails } from './payments-errors.js';

/**
 * The account of a call cannot be used, so this call sent nothing. The code is `ACCOUNT_UNKNOWN` if
 * `accounts.resolve` has no such account, or the account is registered with keys of another environment than that of the
 * batch, and `ACCOUNT_UNAVAILABLE` if it failed or took too long, or if the call belongs
 * to a batch or to a statement and the keys are of another environment than that. Only in the second case you may repeat
 * the call. `mayHaveBeenProcessed` is `not-by-this-call`, because the journal of the account could not be asked about an
 * earlier call with the same reference: `accounts.resolve` may have known the account then.
 *
 * @publicApi
 */
export class PaymentsAccountError extends PaymentsError {
  override readonly name = 'PaymentsAccountError';
  override readonly retryable: boolean;
  override readonly mayHaveBeenProcessed = 'not-by-this-call';

  constructor(
    override readonly code: 'ACCOUNT_UNKNOWN' | 'ACCOUNT_UNAVAILABLE',
    message: string,
    details?: PaymentsErrorDetails,
  ) {
    super(code, message, details);
    this.retryable = code === 'ACCOUNT_UNAVAILABLE';
  }
}
