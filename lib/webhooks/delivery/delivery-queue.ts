import { hash } from 'node:crypto';
import { type PaymentsEnvironment, type InboxScope } from '../../common/vocabulary.js';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { chargeFingerprintOf, classifyEvent } from './delivery-decision.js';
import { jsonObject } from '../../common/json-object.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { keyedFingerprints } from '../../storage/sealed/keyed-fingerprint.js';
import { type SealedPlace } from '../../storage/sealed/sealed-value.js';
import { type ValueSealer } from '../../storage/sealed/value-sealer.js';
import { type VerifiedWebhook } from '../signature/read-event.js';

/** What is always readable of a queued event. */
type QueuedEvent = Pick<PaymentWebhookEvent, 'event'> & {
  readonly data: Pick<PaymentWebhookEvent['data'], 'reference'>;
};

/** A verified delivery as plain JSON data, for a worker of any process. */
export interface QueuedDelivery {
  /** SHA-256 (hex), equal for all deliveries of one outcome with the same provider reference. */
  readonly id: string;
  readonly account: string;
  readonly environment: PaymentsEnvironment;
  /** Contains names and phone numbers. If `sealed` is present, it has nothing but `event` and `data.reference`. */
  readonly event: QueuedEvent;
  /** SHA-256 (hex) of the body; empty if `sealed` is present. */
  readonly bodyHash: string;
  /** The whole event and the hash of its body, sealed. */
  readonly sealed?: string;
  /** Milliseconds since 1970. */
  readonly deliveredAt: number;
}

/** Stores deliveries for a worker. */
export interface DeliveryQueue {
  /** Resolves when the delivery is stored; stores it once. Rejects if it cannot be stored now. */
  add(delivery: QueuedDelivery): Promise<void>;
}

/** @param sealer Seals what names a person. */
export async function queuedDelivery(
  scope: InboxScope,
  { event, deliveredAt, ...webhook }: VerifiedWebhook,
  sealer?: ValueSealer,
): Promise<QueuedDelivery> {
  const { account, environment } = scope;
  const bodyHash = webhook.bodyHash();
  const id = hash(
    'sha256',
    JSON.stringify([account, environment, contentOf(scope, event, bodyHash, sealer)]),
  );
  const plain = { id, account, environment, event, bodyHash, deliveredAt: deliveredAt.getTime() };
  if (!sealer) return plain;
  const sealed = await sealer.seal(JSON.stringify({ event, bodyHash }), placeOf(plain));
  const head = { event: event.event, data: { reference: event.data.reference } };
  return { ...plain, event: head, bodyHash: '', sealed };
}

/**
 * @throws PaymentsStorageError if it is sealed and does not open, or is not sealed although it must be. A KeyServiceError
 * if its key cannot be had now.
 */
export async function openDelivery(delivery: QueuedDelivery, sealer?: ValueSealer): Promise<VerifiedWebhook> {
  const { sealed, event, bodyHash } = delivery;
  const deliveredAt = new Date(delivery.deliveredAt);
  if (sealed === undefined) {
    const problem = sealer?.plainProblem('event');
    if (problem !== undefined) throw new PaymentsStorageError(problem);
    return { event: event as PaymentWebhookEvent, bodyHash: () => bodyHash, deliveredAt };
  }
  if (!sealer)
    throw new PaymentsStorageError('its event is sealed, and the account has no option encryption');
  const { text, problem } = await sealer.open(sealed, placeOf(delivery), 'event');
  if (problem !== undefined) throw new PaymentsStorageError(problem);
  const opened = (jsonObject(text) ?? {}) as Pick<QueuedDelivery, 'bodyHash'> & {
    event: PaymentWebhookEvent;
  };
  return { event: opened.event, bodyHash: () => opened.bodyHash, deliveredAt };
}

/** The inbox tells deliveries apart by the same text. */
function contentOf(
  scope: InboxScope,
  event: PaymentWebhookEvent,
  bodyHash: string,
  sealer: ValueSealer | undefined,
): string {
  if (classifyEvent(event).kind !== 'unrecognized') return chargeFingerprintOf(event);
  return sealer ? keyedFingerprints(scope, bodyHash, sealer)[0] : bodyHash;
}

function placeOf({ account, environment, id, event }: QueuedDelivery): SealedPlace {
  return ['queue', account, environment, id, event.event, event.data.reference, 'event'];
}
