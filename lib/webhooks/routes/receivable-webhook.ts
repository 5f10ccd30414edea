import { type IncomingMessage } from 'node:http';
import { type VerifiedWebhook } from '../delivery/verified-webhook.js';
import { type WebhookReceiver } from '../delivery/webhook.receiver.js';

/** A verified delivery and who is to receive it. */
export interface ReceivableWebhook extends VerifiedWebhook {
  readonly receiver: WebhookReceiver;
}

const VERIFIED = Symbol.for('nestjs-payments.verified-webhook');

type VerifiedRequest = IncomingMessage & { [VERIFIED]?: ReceivableWebhook | undefined };

/** Hands a verified delivery from the guard to the route; undefined keeps the place for one. */
export function keepVerified(request: IncomingMessage, webhook: ReceivableWebhook | undefined): void {
  (request as VerifiedRequest)[VERIFIED] = webhook;
}

/** What the guard verified; undefined where it did not run. */
export function verifiedWebhook(request: IncomingMessage): ReceivableWebhook | undefined {
  return (request as VerifiedRequest)[VERIFIED];
}
