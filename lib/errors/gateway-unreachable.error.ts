import { PaymentsError, type PaymentsErrorDetails } from './payments.error.js';

/**
 * Nothing of the call was sent, or nothing but tries that the gateway turned away (HTTP 429): the gateway could not be connected to.
 * The same call may be made again.
 *
 * @publicApi
 */
export class GatewayUnreachableError extends PaymentsError {
  override readonly name = 'GatewayUnreachableError';
  override readonly retryable = true;

  constructor(message: string, details?: PaymentsErrorDetails) {
    super('GATEWAY_UNREACHABLE', message, details);
  }
}
