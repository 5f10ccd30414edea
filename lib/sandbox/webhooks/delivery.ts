import { type SandboxDelivery, type SandboxDeliveryAttempt } from '../control/control-types.js';
import { optionalTimestamp } from '../core/collection.js';
import { type OutgoingEvent } from '../core/webhook-event.js';

/** One event on its way to its receiver. */
export interface Delivery {
  readonly event: OutgoingEvent;
  readonly body: Buffer;
  readonly url: URL | undefined;
  readonly attempts: SandboxDeliveryAttempt[];
  state: SandboxDelivery['state'];
  /** Tries by the schedule that were not answered 200. */
  failures: number;
  nextAttemptAt: number | undefined;
}

export function newDelivery(event: OutgoingEvent, url: URL | undefined): Delivery {
  return {
    event,
    body: Buffer.from(event.body),
    url,
    attempts: [],
    state: url ? 'waiting' : 'skipped',
    failures: 0,
    nextAttemptAt: undefined,
  };
}

/** What the handle and the control API show of it. */
export function sandboxDelivery({ event, url, state, attempts, nextAttemptAt }: Delivery): SandboxDelivery {
  return Object.freeze({
    id: event.id,
    merchant: event.merchant,
    event: event.event,
    reference: event.reference,
    url: url?.href ?? null,
    state,
    status: attempts.at(-1)?.status ?? null,
    attempts: Object.freeze(attempts.map((attempt) => Object.freeze({ ...attempt }))),
    next_attempt_at: optionalTimestamp(nextAttemptAt),
    body: event.body,
  });
}
