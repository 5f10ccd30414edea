import { type PaymentWebhookEvent } from '../../common/events.js';

/** A delivery whose signature was checked, on its way to the handlers. */
export interface VerifiedWebhook {
  readonly event: PaymentWebhookEvent;
  /** SHA-256 (hex) of the body; made when it is asked for. */
  readonly bodyHash: () => string;
  readonly deliveredAt: Date;
}
