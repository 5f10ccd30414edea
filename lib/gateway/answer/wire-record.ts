import { moneyFromWire } from '../../common/money.js';
import {
  type AttemptInfo,
  FINAL_STATUSES,
  movesMoney,
  type PaymentFamily,
  type PaymentOutcome,
} from '../../common/vocabulary.js';
import { type ReadPayload } from '../gateway-call.js';
import { type AmountFormat } from '../../config/payments-options.js';

/** A JSON object from the wire. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** `data` as an object; undefined if it is something else. */
export function asRecord(data: unknown): WireRecord | undefined {
  return typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as WireRecord) : undefined;
}

/** Writes money fields as two-decimal strings. What is no exact amount stays as it came, a number as text, with a warning. */
export function withMoney(
  record: WireRecord,
  fields: readonly string[],
): { readonly record: Record<string, unknown>; readonly warnings: string[] } {
  // No spread: Node 20 gives a new shape to each spread object that gets further properties.
  const result: Record<string, unknown> = Object.assign({}, record);
  const warnings: string[] = [];
  for (const field of fields) {
    const value = record[field];
    if (value == null) continue;
    const money = moneyFromWire(value);
    if (money === undefined) warnings.push(`${field} is not an exact amount and was kept as it came`);
    result[field] = money ?? (typeof value === 'number' ? String(value) : value);
  }
  return { record: result, warnings };
}

/** Some servers write an empty object as `[]`. */
export function withMetadata(record: Record<string, unknown>): Record<string, unknown> {
  const { metadata } = record;
  return Array.isArray(metadata) && metadata.length === 0 ? { ...record, metadata: {} } : record;
}

/** Warns if the specification does not list a value. */
export function unlistedValue(
  record: WireRecord,
  field: string,
  listed: readonly string[],
): readonly string[] {
  const value = record[field];
  if (value == null) return [`the answer has no ${field}`];
  return listed.includes(value as string)
    ? []
    : [`${field} has a value that the specification does not list`];
}

/** Fields of a record, each with the values that the specification lists. */
export type ListedValues = readonly (readonly [field: string, values: readonly string[]])[];

/** Reads the record of a payment. */
export function readPaymentRecord<T extends object>(
  data: unknown,
  moneyFields: readonly string[],
  listed: ListedValues,
): ReadPayload<T> | undefined {
  const wire = asRecord(data);
  if (!wire) return undefined;
  const { record, warnings } = withMoney(wire, moneyFields);
  for (const [field, values] of listed) warnings.push(...unlistedValue(wire, field, values));
  return { value: withMetadata(record) as T, warnings };
}

/** The status if a payment of this family ends with it; undefined for every other value. */
export function finalStatus(family: PaymentFamily, status: unknown): PaymentOutcome | undefined {
  const outcomes: readonly PaymentOutcome[] = FINAL_STATUSES[family];
  return outcomes.find((outcome) => outcome === status);
}

/**
 * What an answer to a payment proves: half an answer ends nothing. A wrong end pays twice: after a failure the reference is
 * used up, and the caller takes another one. Something before the gateway may answer a repeated key with
 * `status: "failed"` alone. The fields are those that a status query needs (`PROOFS` in `journal/outcomes/status-query.ts`); the
 * attempt is not asked for, because an answer is about the request that it answers.
 */
export function withProvenEnd<T extends object>(
  kind: PaymentFamily | 'read',
  payload: ReadPayload<T>,
  answer: WireRecord,
): ReadPayload<T> & { readonly outcome?: PaymentOutcome } {
  const outcome = kind === 'read' ? undefined : finalStatus(kind, answer['status']);
  if (outcome === undefined) return payload;
  const { value, warnings } = payload;
  const needed = movesMoney(outcome) ? ['reference'] : ['reference', 'amount'];
  const missing = needed.filter((field) => answer[field] == null || isRounded(answer[field]));
  if (missing.length > 0) {
    const open = `the answer says ${outcome}, but does not repeat ${missing.join(' and ')}: the payment counts as accepted, not as ended`;
    return { value: { ...value, status: 'pending' }, warnings: [...warnings, open] };
  }
  // A payment may end without success although the gateway took the request.
  const ended = movesMoney(outcome) ? [] : [`the payment has ended already: ${outcome}`];
  return { value, warnings: [...warnings, ...ended], outcome };
}

/** A number so large that it may have been another one before it was read: it names no payment. */
function isRounded(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/** An amount for the request. As a JSON number it is exact, because it has at most 15 digits. */
export function wireAmount(canonical: string, format: AmountFormat): string | number {
  return format === 'string' ? canonical : Number(canonical);
}

/**
 * How a call went: the envelope beside `data`, and every try.
 *
 * @publicApi
 */
export interface LastResponse {
  /** The gateway's `request_id`, for its support. */
  readonly requestId?: string;
  /** The envelope's code, for example `PAYMENT_INITIATED`; empty if no answer is known. */
  readonly code: string;
  /** The envelope's message, for people; empty if no answer is known. */
  readonly message: string;
  /**
   * HTTP status of the answer. 0 if no answer is known: the payment was certainly made, as a webhook, a status query or an
   * operator says, but the gateway's record of it never came or cannot be read. A payment has only its `reference`,
   * `amount`, `currency` and `status` then.
   */
  readonly httpStatus: number;
  /** The `Idempotency-Key` that was sent, on the four operations that move money. */
  readonly idempotencyKey?: string;
  /**
   * Every try of the call, in order. Empty if this call sent nothing: the payment was made before, or the list of banks was
   * kept, and the other fields are those of the earlier answer.
   */
  readonly attempts: readonly AttemptInfo[];
  /**
   * What was odd about the answer: an absent echo, a status that the specification does not list, an end that the answer
   * does not prove.
   */
  readonly warnings: readonly string[];
}

/**
 * A result of the gateway with `lastResponse`. That property is not enumerable, so JSON, copies and
 * comparisons leave it out.
 *
 * @publicApi
 */
export type PaymentsResponse<T> = T & {
  /** How the call went. */
  readonly lastResponse: LastResponse;
};

export function withLastResponse<T extends object>(
  value: T,
  lastResponse: LastResponse,
): PaymentsResponse<T> {
  return Object.defineProperty(value, 'lastResponse', {
    value: lastResponse,
    configurable: true,
  }) as PaymentsResponse<T>;
}
