import { optionalTimestamp, timestamp } from '../clock/timestamp.js';
import { formatCents } from '../../common/money.js';
import { type Collection } from '../core/collection.js';
import { type Delivery, type DeliveryAttempt } from '../core/delivery.js';
import { type Payout } from '../core/payout.js';
import { type SandboxRequest } from '../core/request-journal.js';

/** One thing that happened to a payment or payout. */
export interface TimelineEntry {
  /** By the sandbox's clock. */
  readonly at: string;
  readonly what: 'request' | 'payment' | 'payout' | 'delivery';
  /** Contains no secrets and no personal data. */
  readonly text: string;
}

/** `POST /payments/mobile-money, key 1f… -> 200 PAYMENT_INITIATED [ending 0001]` */
export function requestEntry(request: SandboxRequest): TimelineEntry {
  const { at, method, path, headers, status, code, rule, fault, varied } = request;
  const key = headers['idempotency-key'];
  const call = `${method} ${path.replace('/api/v1', '')}${key === undefined ? '' : `, key ${key}`}`;
  const given = code === null ? '' : ` ${code}`;
  const answer = status === null ? `no answer (${fault ?? 'none was sent'})` : `${status}${given}`;
  const otherwise = varied.length > 0 ? ` (varied: ${varied.join(', ')})` : '';
  return { at, what: 'request', text: `${call} -> ${answer} [${rule ?? 'no rule'}]${otherwise}` };
}

/** `success, 15000.00 TZS by NET_ONE` */
export function paymentEntry({ status, amountCents, channel }: Collection, at: string): TimelineEntry {
  return { at, what: 'payment', text: `${status}, ${formatCents(amountCents)} TZS by ${channel}` };
}

/** `processing, 20000.00 TZS and 500.00 fee to BSB` */
export function payoutEntry({ status, amountCents, feeCents, recipient }: Payout, at: string): TimelineEntry {
  const money = `${formatCents(amountCents)} TZS and ${formatCents(feeCents)} fee`;
  return { at, what: 'payout', text: `${status}, ${money} to ${recipient.channel}` };
}

/** `payment.success, try 2 to http://127.0.0.1:3000/hook -> 200` */
export function attemptEntry(delivery: Delivery, attempt: DeliveryAttempt): TimelineEntry {
  const { event, endpoint, nextAttemptAt } = delivery;
  const { at, number, forged, problem } = attempt;
  // Without its query, which may contain a token.
  const where = endpoint ? ` to ${endpoint.url.origin}${endpoint.url.pathname}` : '';
  const next = optionalTimestamp(nextAttemptAt);
  const later = problem !== undefined && next !== null ? `; next try at ${next}` : '';
  const what = `${event.event}, try ${number}${forged ? ' (forged)' : ''}${where}`;
  return { at: timestamp(at), what: 'delivery', text: `${what} -> ${problem ?? '200'}${later}` };
}

/** An event that was not sent at once. */
export function unsentEntry({ event, nextAttemptAt }: Delivery, at: string): TimelineEntry {
  const next = optionalTimestamp(nextAttemptAt);
  const why = next === null ? 'not sent: there was no address (deliverTo)' : `first try at ${next}`;
  return { at, what: 'delivery', text: `${event.event}, ${why}` };
}
