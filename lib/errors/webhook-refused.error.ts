import { PaymentsError } from './payments.error.js';

/**
 * `verifyWebhook` refused a delivery: answer the sender with `status`. The message may be sent along; whatever is wrong with a
 * signature, it is the same.
 *
 * @publicApi
 */
export class WebhookRefusedError extends PaymentsError {
  override readonly name = 'WebhookRefusedError';

  constructor(
    /**
     * HTTP status to answer with: 401 the signature is not valid, 413 the body is too long, 415 it is compressed or no JSON in
     * UTF-8, 400 it is no JSON object, 422 a field that every event has is missing or malformed.
     */
    readonly status: 400 | 401 | 413 | 415 | 422,
    message: string,
    /** What exactly is wrong. For logs only: it would tell a forger how far a signature got. */
    readonly reason: string,
  ) {
    super('WEBHOOK_REFUSED', message);
  }
}
