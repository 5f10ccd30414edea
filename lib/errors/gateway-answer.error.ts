import { PaymentsError } from './payments.error.js';

/**
 * A call that only reads (balance, banks, name lookup) got no usable answer: silence, a server error, or something
 * that is not the gateway's JSON. Reading moves no money, so the same call may be made again.
 *
 * @publicApi
 */
export class GatewayAnswerError extends PaymentsError {
  override readonly name = 'GatewayAnswerError';
  override readonly retryable = true;
}
