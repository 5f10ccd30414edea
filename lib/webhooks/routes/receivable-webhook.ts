import { type IncomingMessage } from 'node:http';
import { type VerifiedWebhook } from '../delivery/verified-webhook.js';
import { type WebhookReceiver } from '../delivery/webhook.receiver.js';

/** A verified delivery and who is to receive it. */
export interface ReceivableWebhook extends VerifiedWebhook {
  readonly receiver: WebhookReceiver;
}

/** Beside the requests, not on them: they belong to the application. */
const verified = new WeakMap<IncomingMessage, ReceivableWebhook>();

/** Hands a verified delivery from the guard to the route. */
export function keepVerified(request: IncomingMessage, webhook: ReceivableWebhook): void {
  verified.set(request, webhook);
}

/** What the guard verified; undefined where it did not run. */
export function verifiedWebhook(request: IncomingMessage): ReceivableWebhook | undefined {
  return verified.get(request);
}
