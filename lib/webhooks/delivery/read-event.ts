import { type PaymentWebhookEvent } from '../../common/events.js';
import { moneyFromWire } from '../../common/money.js';

/** A readable event, or the status with which the delivery is refused and why. */
export type ReadEvent =
  { readonly event: PaymentWebhookEvent } | { readonly status: 400 | 422; readonly problem: string };

const LONGEST_REFERENCE = 255;

/**
 * Reads a verified body. Required are `event` and, in `data`, reference, amount, currency and status; every other
 * field may be absent, null or new (specification, "Events").
 */
export function readEvent(body: Uint8Array): ReadEvent {
  const payload = parseObject(body);
  if (!payload) return { status: 400, problem: 'the body is not a JSON object' };
  const { event, data } = payload;
  if (!isText(event)) return malformed('event');
  if (!isObject(data)) return malformed('data');
  const { reference, currency, status } = data;
  const amount = moneyFromWire(data['amount']);
  if (!isText(reference) || Buffer.byteLength(reference) > LONGEST_REFERENCE)
    return malformed('data.reference');
  if (amount === undefined || amount.startsWith('-')) return malformed('data.amount');
  if (!isText(currency)) return malformed('data.currency');
  if (!isText(status)) return malformed('data.status');
  return { event: { ...payload, event, data: { ...data, reference, amount, currency, status } } };
}

function parseObject(body: Uint8Array): Record<string, unknown> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const value: unknown = JSON.parse(text, withoutPrototype);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An own `__proto__` would become a prototype wherever an application copies the event with Object.assign. */
function withoutPrototype(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function malformed(field: string): ReadEvent {
  return { status: 422, problem: `${field} is missing or malformed` };
}
