import { type IncomingMessage } from 'node:http';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { type WebhookReceiver } from './webhook.receiver.js';

/** A delivery whose signature was checked, on its way to the handlers. */
export interface VerifiedWebhook {
  readonly event: PaymentWebhookEvent;
  /** SHA-256 (hex) of the body. */
  readonly bodyHash: string;
  readonly deliveredAt: Date;
}

/** A verified delivery and who is to receive it. */
export interface ReceivableWebhook extends VerifiedWebhook {
  readonly receiver: WebhookReceiver;
}

const VERIFIED = Symbol.for('nestjs-payments.verified-webhook');

type VerifiedRequest = IncomingMessage & { [VERIFIED]?: ReceivableWebhook };

/** Hands a verified delivery from the guard to the route. */
export function keepVerified(request: IncomingMessage, webhook: ReceivableWebhook): void {
  (request as VerifiedRequest)[VERIFIED] = webhook;
}

/** What the guard verified; undefined where it did not run. */
export function verifiedWebhook(request: IncomingMessage): ReceivableWebhook | undefined {
  return (request as VerifiedRequest)[VERIFIED];
}
