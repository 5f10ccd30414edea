import { type OutgoingEvent } from './webhook-event.js';

/** A secret that an endpoint's webhooks are signed with. */
export interface EndpointSecret {
  readonly text: string;
  readonly key: Uint8Array;
  readonly createdAt: number;
  /** When it stops being used; undefined for the newest. */
  expiresAt: number | undefined;
}

/** Where webhooks go. */
export interface WebhookEndpoint {
  readonly id: string;
  /** Undefined: every merchant that has no endpoint of its own. */
  readonly merchant: string | undefined;
  readonly createdAt: number;
  url: URL;
  /** Undefined: all of them. */
  events: readonly string[] | undefined;
  enabled: boolean;
  /** The newest first. */
  secrets: readonly EndpointSecret[];
}

/** The secrets of an endpoint that sign now. The newest never expires, so there is always one. */
export function activeSecrets({ secrets }: WebhookEndpoint, now: number): readonly EndpointSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
}

/** What a receiver answered. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Its first bytes as text. */
  readonly body: string;
}

/** How an operator asks for one more try: with the headers of the try before it, or signed again. */
export type Replay = 'identical' | 'resigned';

/** One try to deliver an event. */
export interface DeliveryAttempt {
  /** 1 for the first. */
  readonly number: number;
  readonly at: number;
  readonly answer: ReceiverAnswer | undefined;
  /** Its signature was wrong on purpose. */
  readonly forged: boolean;
  /** Why it did not count as delivered; undefined where it did. */
  readonly problem: string | undefined;
  readonly durationMs: number;
  /** Undefined: the schedule asked for it. */
  readonly replay: Replay | undefined;
  /** What was sent beside the body. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One event on its way to one receiver. */
export interface Delivery {
  readonly id: string;
  readonly event: OutgoingEvent;
  readonly body: Buffer;
  readonly attempts: DeliveryAttempt[];
  /** Undefined: no endpoint takes it, unless it is replayed to one. */
  endpoint: WebhookEndpoint | undefined;
  /**
   * - `waiting`: a try is running or due later.
   * - `delivered`: answered 200.
   * - `exhausted`: every try of the schedule failed.
   * - `skipped`: there was no address to deliver to.
   */
  state: 'waiting' | 'delivered' | 'exhausted' | 'skipped';
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
