import { type SandboxDelivery, type SandboxDeliveryAttempt } from '../control/control-types.js';
import { optionalTimestamp } from '../core/collection.js';
import { type OutgoingEvent } from '../core/webhook-event.js';
import { type WebhookEndpoint } from './endpoint.js';

/** One event on its way to one receiver. */
export interface Delivery {
  readonly id: string;
  readonly event: OutgoingEvent;
  readonly body: Buffer;
  readonly attempts: SandboxDeliveryAttempt[];
  /** Undefined: no endpoint takes it, unless it is replayed to one. */
  endpoint: WebhookEndpoint | undefined;
  state: SandboxDelivery['state'];
  /** Tries by the schedule that were not answered 200. */
  failures: number;
  nextAttemptAt: number | undefined;
}

/** @param copy Which of the event's receivers it is for, from 0. */
export function newDelivery(
  event: OutgoingEvent,
  endpoint: WebhookEndpoint | undefined,
  copy: number,
): Delivery {
  return {
    id: copy === 0 ? event.id : `${event.id}-${copy + 1}`,
    event,
    body: Buffer.from(event.body),
    attempts: [],
    endpoint,
    state: endpoint ? 'waiting' : 'skipped',
    failures: 0,
    nextAttemptAt: undefined,
  };
}

/** What the handle and the control API show of it. */
export function sandboxDelivery(delivery: Delivery): SandboxDelivery {
  const { id, event, endpoint, state, attempts, nextAttemptAt } = delivery;
  return Object.freeze({
    id,
    merchant: event.merchant,
    event: event.event,
    reference: event.reference,
    url: endpoint?.url.href ?? null,
    state,
    status: attempts.at(-1)?.status ?? null,
    attempts: Object.freeze(attempts.map((attempt) => Object.freeze({ ...attempt }))),
    next_attempt_at: optionalTimestamp(nextAttemptAt),
    body: event.body,
  });
}
