import { PaymentsError } from './payments.error.js';

/**
 * The gateway refused the credentials: 401 `UNAUTHORIZED` or 403 `INSUFFICIENT_PERMISSIONS`
 * (specification, "Authentication" 7).
 *
 * @publicApi
 */
export class PaymentsAuthenticationError extends PaymentsError {
  override readonly name = 'PaymentsAuthenticationError';
}
