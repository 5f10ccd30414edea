import { type PaymentWebhookEvent } from '../../common/events.js';
import { DEEPEST_NESTING, holdersIn } from '../../common/json-object.js';
import { moneyFromWire } from '../../common/money.js';

/** A readable event, or the status with which the delivery is refused and why. */
export type ReadEvent =
  { readonly event: PaymentWebhookEvent } | { readonly status: 400 | 422; readonly problem: string };

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
const LONGEST_TEXT = 255;
/** Stores cannot keep half a surrogate pair or the character zero. */
const UNSTORABLE = /[\p{Surrogate}\0]/u;

/**
 * Reads a verified body. Required are `event` and, in `data`, reference, amount, currency and status; every
 * other field may be absent, null or new (specification, "Events").
 */
export function readEvent(body: Uint8Array): ReadEvent {
  const payload = parse(body);
  if (!isObject(payload)) return { status: 400, problem: 'the body is not a JSON object' };
  if (!tame(payload)) return { status: 400, problem: 'the body is nested too deeply' };
  const { event, data } = payload;
  if (!isText(event)) return malformed('event');
  if (!isObject(data)) return malformed('data');
  const { reference, currency, status } = data;
  const amount = moneyFromWire(data['amount']);
  if (!isText(reference)) return malformed('data.reference');
  if (amount === undefined || amount.startsWith('-')) return malformed('data.amount');
  if (!isText(currency)) return malformed('data.currency');
  if (!isText(status)) return malformed('data.status');
  data['amount'] = amount;
  return { event: payload as unknown as PaymentWebhookEvent };
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(UTF_8.decode(body));
  } catch {
    return undefined;
  }
}

/**
 * Whether a payload is not nested too deeply for recursive code. Removes every own `__proto__`, which would
 * become a prototype if an application copies the event with Object.assign.
 */
function tame(payload: object): boolean {
  let level: readonly object[] = [payload];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= DEEPEST_NESTING) return false;
    level = level.flatMap(holdersIn);
  }
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  if (typeof value !== 'string' || value.trim() === '' || UNSTORABLE.test(value)) return false;
  return Buffer.byteLength(value) <= LONGEST_TEXT;
}

function malformed(field: string): ReadEvent {
  return { status: 422, problem: `${field} is missing or malformed` };
}

/** A delivery with a valid signature. */
export interface VerifiedWebhook {
  readonly event: PaymentWebhookEvent;
  /** SHA-256 (hex) of the body; made when it is asked for. */
  readonly bodyHash: () => string;
  readonly deliveredAt: Date;
}
