import { PaymentsError, type PaymentsErrorDetails } from './payments.error.js';

/**
 * The gateway refused the credentials: 401 `UNAUTHORIZED` or 403 `INSUFFICIENT_PERMISSIONS`
 * (specification, "Authentication" 7).
 *
 * @publicApi
 */
export class PaymentsAuthenticationError extends PaymentsError {
  override readonly name = 'PaymentsAuthenticationError';

  constructor(code: string, message: string, details?: PaymentsErrorDetails) {
    super(code, message, details);
  }
}
