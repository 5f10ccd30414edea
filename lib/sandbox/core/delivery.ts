import { type OutgoingEvent } from './webhook-event.js';

/** A secret that signs an endpoint's webhooks. */
export interface EndpointSecret {
  readonly text: string;
  readonly key: Uint8Array;
  readonly createdAt: number;
  /** When the emulator stops using it; undefined for the newest. */
  expiresAt: number | undefined;
}

/** An address that receives webhooks. */
export interface WebhookEndpoint {
  readonly id: string;
  /** Undefined: every merchant without an endpoint of its own. */
  readonly merchant: string | undefined;
  readonly createdAt: number;
  url: URL;
  /** Undefined: all events. */
  events: readonly string[] | undefined;
  enabled: boolean;
  /** The newest first. */
  secrets: readonly EndpointSecret[];
}

/** The secrets that sign now. The newest never expires, so there is at least one. */
export function activeSecrets({ secrets }: WebhookEndpoint, now: number): readonly EndpointSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
}

/** A receiver's answer. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The first bytes of the body as text. */
  readonly body: string;
}

/** An operator's choice for one more try: the headers of the previous try, or a new signature. */
export type Replay = 'identical' | 'resigned';

/** One try to deliver an event. */
export interface DeliveryAttempt {
  /** 1 for the first. */
  readonly number: number;
  readonly at: number;
  /** Where it was sent: the endpoint may have another address since. Undefined in the state of an earlier version. */
  readonly url: string | undefined;
  readonly answer: ReceiverAnswer | undefined;
  /** Whether its signature is wrong on purpose. */
  readonly forged: boolean;
  /** Why it did not count as delivered; undefined if it did. */
  readonly problem: string | undefined;
  readonly durationMs: number;
  /** Undefined: the schedule caused it. */
  readonly replay: Replay | undefined;
  /** The headers of the request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One event for one receiver. */
export interface Delivery {
  readonly id: string;
  readonly event: OutgoingEvent;
  readonly body: Buffer;
  readonly attempts: DeliveryAttempt[];
  /** How many tries of this run have not ended. */
  running: number;
  /** Undefined: no endpoint took the event, or its endpoint was removed. A replay may set it later. */
  endpoint: WebhookEndpoint | undefined;
  /**
   * - `waiting`: a try is running or scheduled.
   * - `delivered`: the receiver answered 200.
   * - `exhausted`: every try of the schedule failed, or that of a replay after it was skipped.
   * - `skipped`: no endpoint took the event, or its endpoint was removed or turned off before one answered 200.
   */
  state: 'waiting' | 'delivered' | 'exhausted' | 'skipped';
  /** Scheduled tries without an answer 200. */
  failures: number;
  nextAttemptAt: number | undefined;
  /** When the plan's late copies are due that were not sent yet. */
  lateCopiesAt: readonly number[];
}

/** Where its next try goes. Once it has ended: where its last one went. */
export function addressOf({ attempts, endpoint, state }: Delivery): string | undefined {
  const current = endpoint?.url.href;
  return state === 'waiting' ? current : (attempts.at(-1)?.url ?? current);
}

/** @param copy Index of the receiver among those of the event, from 0. */
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
    running: 0,
    endpoint,
    state: endpoint ? 'waiting' : 'skipped',
    failures: 0,
    nextAttemptAt: undefined,
    lateCopiesAt: [],
  };
}
