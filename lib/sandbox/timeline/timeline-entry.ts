import { optionalTimestamp, timestamp } from '../clock/timestamp.js';
import { formatCents } from '../../common/money.js';
import { type Collection } from '../core/collection.js';
import { type Delivery, type DeliveryAttempt } from '../core/delivery.js';
import { type Payout } from '../core/payout.js';
import { type SandboxRequest } from '../core/request-journal.js';
import { type UnsentReason } from '../webhooks/endpoint-registry.js';

/** One thing that happened to a payment or payout. */
export interface TimelineEntry {
  /** By the sandbox's clock. */
  readonly at: string;
  readonly what: 'request' | 'payment' | 'payout' | 'delivery';
  /** Of the request or the delivery, in the control API; null for the others. */
  readonly id: string | null;
  /** What the text says, for a reader in another language. */
  readonly facts: TimelineFacts;
  /** Contains no secrets and no personal data. */
  readonly text: string;
}

/** The fields of a timeline entry, by its `what`. */
type TimelineFacts =
  | {
      readonly call: string;
      readonly key: string | null;
      readonly status: number | null;
      readonly code: string | null;
      readonly rule: string | null;
      readonly fault: string | null;
      readonly varied: readonly string[];
    }
  | {
      readonly status: string;
      readonly reason: string | null;
      readonly amount: string;
      /** Of a payout. */
      readonly fee?: string;
      readonly channel: string;
    }
  | {
      readonly event: string;
      /** Null: it is no try. */
      readonly number: number | null;
      readonly forged: boolean;
      readonly url: string | null;
      readonly status: number | null;
      readonly problem: string | null;
      readonly next_attempt_at: string | null;
    };

/** `POST /payments/mobile-money, key 1f… -> 200 PAYMENT_INITIATED [ending 0001]` */
export function requestEntry(request: SandboxRequest): TimelineEntry {
  const { id, at, method, path, headers, status, code, rule, fault, varied } = request;
  const key = headers['idempotency-key'] ?? null;
  const call = `${method} ${path.replace('/api/v1', '')}`;
  const withKey = key === null ? call : `${call}, key ${key}`;
  const given = code === null ? '' : ` ${code}`;
  const answer = status === null ? `no answer (${fault ?? 'none was sent'})` : `${status}${given}`;
  const otherwise = varied.length > 0 ? ` (varied: ${varied.join(', ')})` : '';
  const facts = { call, key, status, code, rule, fault, varied };
  return {
    at,
    what: 'request',
    id,
    facts,
    text: `${withKey} -> ${answer} [${rule ?? 'no rule'}]${otherwise}`,
  };
}

/** `success, 15000.00 TZS by NET_ONE` */
export function paymentEntry(
  { status, amountCents, channel, reason }: Collection,
  at: string,
): TimelineEntry {
  const amount = formatCents(amountCents);
  const facts = { status, reason: reason ?? null, amount, channel };
  const text = `${status}${because(reason)}, ${amount} TZS by ${channel}`;
  return { at, what: 'payment', id: null, facts, text };
}

/** `processing, 20000.00 TZS and 500.00 fee to BSB` */
export function payoutEntry(
  { status, amountCents, feeCents, recipient, reason }: Payout,
  at: string,
): TimelineEntry {
  const [amount, fee] = [formatCents(amountCents), formatCents(feeCents)];
  const { channel } = recipient;
  const facts = { status, reason: reason ?? null, amount, fee, channel };
  const text = `${status}${because(reason)}, ${amount} TZS and ${fee} fee to ${channel}`;
  return { at, what: 'payout', id: null, facts, text };
}

/** `payment.success, try 2 to http://127.0.0.1:3000/hook -> 200` */
export function attemptEntry(delivery: Delivery, attempt: DeliveryAttempt): TimelineEntry {
  const { id, event, nextAttemptAt } = delivery;
  const { at, number, forged, problem, answer } = attempt;
  const url = attempt.url === undefined ? null : withoutQuery(attempt.url);
  const next = optionalTimestamp(nextAttemptAt);
  const later = problem !== undefined && next !== null ? `; next try at ${next}` : '';
  const result = problem ?? String(answer?.status);
  const what = `${event.event}, try ${number}${forged ? ' (forged)' : ''}${url === null ? '' : ` to ${url}`}`;
  const facts = {
    event: event.event,
    number,
    forged,
    url,
    status: answer?.status ?? null,
    problem: problem ?? null,
    next_attempt_at: problem === undefined ? null : next,
  };
  return { at: timestamp(at), what: 'delivery', id, facts, text: `${what} -> ${result}${later}` };
}

/** Why an event was not sent. */
const UNSENT: Readonly<Record<UnsentReason, string>> = {
  'no address': 'there was no address (deliverTo)',
  'turned off': 'its address was turned off or removed',
  'not chosen': 'its address takes other events',
};

const NO_TRY = { number: null, forged: false, url: null, status: null, problem: null } as const;

/** An event that was not sent at once. */
export function unsentEntry(
  { id, event, nextAttemptAt }: Delivery,
  at: string,
  reason: UnsentReason,
): TimelineEntry {
  const next = optionalTimestamp(nextAttemptAt);
  const why = next === null ? `not sent: ${UNSENT[reason]}` : `first try at ${next}`;
  const facts = { event: event.event, ...NO_TRY, next_attempt_at: next };
  return { at, what: 'delivery', id, facts, text: `${event.event}, ${why}` };
}

/** An event that was tried, and whose address was turned off or removed before the next try. */
export function givenUpEntry({ id, event }: Delivery, at: string): TimelineEntry {
  const facts = { event: event.event, ...NO_TRY, next_attempt_at: null };
  return { at, what: 'delivery', id, facts, text: `${event.event}, not sent again: ${UNSENT['turned off']}` };
}

/** A query may contain a token. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : ` (${reason})`;
}
