import { hash } from 'node:crypto';
import { type PaymentsEnvironment, type InboxScope } from '../../common/vocabulary.js';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { chargeFingerprintOf, classifyEvent } from './delivery-decision.js';
import { type VerifiedWebhook } from '../signature/read-event.js';

/** A verified delivery as plain JSON data, for a worker of any process. */
export interface QueuedDelivery {
  /** SHA-256 (hex), equal for all deliveries of one outcome with the same provider reference. */
  readonly id: string;
  readonly account: string;
  readonly environment: PaymentsEnvironment;
  /** Contains names and phone numbers. */
  readonly event: PaymentWebhookEvent;
  /** SHA-256 (hex) of the body. */
  readonly bodyHash: string;
  /** Milliseconds since 1970. */
  readonly deliveredAt: number;
}

/** Stores deliveries for a worker. */
export interface DeliveryQueue {
  /** Resolves when the delivery is stored; stores it once. Rejects if it cannot be stored now. */
  add(delivery: QueuedDelivery): Promise<void>;
}

export function queuedDelivery(
  { account, environment }: InboxScope,
  { event, deliveredAt, ...webhook }: VerifiedWebhook,
): QueuedDelivery {
  const bodyHash = webhook.bodyHash();
  // The inbox tells deliveries apart by the same.
  const content = classifyEvent(event).kind === 'unrecognized' ? bodyHash : chargeFingerprintOf(event);
  const id = hash('sha256', JSON.stringify([account, environment, content]));
  return { id, account, environment, event, bodyHash, deliveredAt: deliveredAt.getTime() };
}
