import { createHash } from 'node:crypto';
import { isHolder, jsonObject } from '../../../common/json-object.js';
import { COLLECTION_STATUSES, DISBURSEMENT_STATUSES } from '../../../common/vocabulary.js';
import { REDACTED } from '../../../gateway-profile/gateway-recording.js';
import { type Answered } from '../../http-exchange.js';
import { type RecordedAnswer } from '../questions/step-answer.js';

const DEEPEST = 6;
/** The list of banks is long, and its first entries show its form. */
const KEPT_ENTRIES = 3;
const FIELD = /^[A-Za-z][\w.-]{0,63}$/;
const AMOUNT_FIELDS: ReadonlySet<string> = new Set([
  'amount',
  'fee',
  'net_amount',
  'total_amount',
  'balance',
  'available_balance',
  'locked_balance',
]);
const AMOUNT = /^(?!255\d{9}(?:\.|$))-?\d{1,15}(?:\.\d{1,6})?$/;
/** Texts of these fields are kept if they have this form, which no name, phone or account number has. */
const KEPT_FORMS: Readonly<Record<string, RegExp>> = {
  status: new RegExp(`^(?:${['error', ...COLLECTION_STATUSES, ...DISBURSEMENT_STATUSES].join('|')})$`),
  code: /^[A-Z][A-Z0-9_]{2,63}$/,
  currency: /^[A-Z]{3}$/,
  request_id: /^(?=.*[A-Za-z])(?=.*\d)[\w.:-]{8,64}$/,
};
const ONLY_ABOVE: ReadonlySet<string> = new Set(['code', 'request_id']);

/** What may not be lost when texts are. */
interface Kept {
  /** The run salts what is kept of the provider's references. */
  readonly run: string;
  /** The run's own references that may come back. */
  readonly references: readonly string[];
}

/** Takes every text out of an answer that may be personal or secret, and leaves its form. */
export function redactAnswer({ status, headers, text }: Answered, kept: Kept): RecordedAnswer {
  const body = jsonObject(text);
  const retryAfter = headers['retry-after'];
  return {
    status,
    headers: Object.keys(headers).sort(),
    ...(retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) && { retryAfter: Number(retryAfter) }),
    ...(body && { body: withoutTexts(body, kept, 0) as Readonly<Record<string, unknown>> }),
  };
}

function withoutTexts(value: unknown, kept: Kept, depth: number, field = ''): unknown {
  if (typeof value === 'string') return textOf(field, value, kept, depth);
  if (typeof value === 'number') return AMOUNT_FIELDS.has(field) && AMOUNT.test(String(value)) ? value : 0;
  if (!isHolder(value)) return value;
  if (depth >= DEEPEST) return REDACTED;
  if (Array.isArray(value))
    return value.slice(0, KEPT_ENTRIES).map((entry: unknown) => withoutTexts(entry, kept, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, entry], index) => [
      FIELD.test(name) ? name : `field ${index + 1}`,
      withoutTexts(entry, kept, depth + 1, name),
    ]),
  );
}

/** @param depth 1 for the fields of the body itself. */
function textOf(field: string, text: string, { run, references }: Kept, depth: number): string {
  if (field === 'reference') return references.includes(text) ? text : REDACTED;
  if (field === 'provider_reference') return likeness(run, text);
  if (AMOUNT_FIELDS.has(field)) return AMOUNT.test(text) ? text : REDACTED;
  const isKept = Object.hasOwn(KEPT_FORMS, field) && KEPT_FORMS[field]?.test(text);
  return isKept && (depth === 1 || !ONLY_ABOVE.has(field)) ? text : REDACTED;
}

/** Sixteen bits: enough to see that two are the same, too few to find out what they are. */
function likeness(run: string, text: string): string {
  return `like ${createHash('sha256').update(`${run} ${text}`).digest('hex').slice(0, 4)}`;
}
