import { hash } from 'node:crypto';
import { type PaymentsEnvironment, type InboxScope } from '../../common/vocabulary.js';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { chargeFingerprintOf, classifyEvent } from './delivery-decision.js';
import { type VerifiedWebhook } from '../signature/read-event.js';

/** A verified delivery as plain JSON data, for a worker of any process. */
export interface QueuedDelivery {
  /** SHA-256 (hex), the same for every delivery of one outcome that names the same provider reference. */
  readonly id: string;
  readonly account: string;
  readonly environment: PaymentsEnvironment;
  /** Names and phone numbers are in it. */
  readonly event: PaymentWebhookEvent;
  /** SHA-256 (hex) of the body. */
  readonly bodyHash: string;
  /** Milliseconds since 1970. */
  readonly deliveredAt: number;
}

/** Takes deliveries that are worked on later. */
export interface DeliveryQueue {
  /** Resolves once the delivery is stored, however often it was added; rejects where it cannot be stored now. */
  add(delivery: QueuedDelivery): Promise<void>;
}

export function queuedDelivery(
  { account, environment }: InboxScope,
  { event, deliveredAt, ...webhook }: VerifiedWebhook,
): QueuedDelivery {
  const bodyHash = webhook.bodyHash();
  // What the inbox tells deliveries apart by.
  const content = classifyEvent(event).kind === 'unrecognized' ? bodyHash : chargeFingerprintOf(event);
  const id = hash('sha256', JSON.stringify([account, environment, content]));
  return { id, account, environment, event, bodyHash, deliveredAt: deliveredAt.getTime() };
}
