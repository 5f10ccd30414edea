import { createHash } from 'node:crypto';
import { isHolder, jsonObject } from '../../../common/json-object.js';
import { COLLECTION_STATUSES, DISBURSEMENT_STATUSES, LOOKUP_CHANNELS } from '../../../common/vocabulary.js';
import { REDACTED } from '../../../gateway-profile/gateway-recording.js';
import { MONEY_FIELDS } from '../../../sandbox/profile/value-variations.js';
import { type Answered } from '../../http-exchange.js';
import { type RecordedAnswer } from '../questions/step-answer.js';

const DEEPEST = 6;
/** The list of banks is long, and its first entries show its form. */
const KEPT_ENTRIES = 3;
const FIELD = /^(?=.{1,64}$)[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const HEADER = /^(?=.{1,64}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
/** A phone or an account number may stand in a longer text. */
const LONG_NUMBER = /\d{9}/;
/** A shorter input is found in too much, and tells nothing. */
const SHORTEST_INPUT = 5;
const BALANCE_FIELDS: ReadonlySet<string> = new Set(['balance', 'available_balance', 'locked_balance']);
const AMOUNT = /^-?\d{1,15}(?:\.\d{1,6})?$/;
const CHANNEL = new RegExp(`^(?:${LOOKUP_CHANNELS.join('|')})$`);
/** Texts of these fields are kept if they have this form, which no name, phone or account number has. */
const KEPT_FORMS: Readonly<Record<string, RegExp>> = {
  status: new RegExp(`^(?:${['error', ...COLLECTION_STATUSES, ...DISBURSEMENT_STATUSES].join('|')})$`),
  code: /^[A-Z][A-Z0-9_]{2,63}$/,
  currency: /^[A-Z]{3}$/,
  channel: CHANNEL,
  // One example of the specification calls a lookup's channel so.
  type: CHANNEL,
  request_id: /^(?=.*[A-Za-z])(?=.*\d)[\w.:-]{8,64}$/,
};
const ONLY_ABOVE: ReadonlySet<string> = new Set(['code', 'request_id']);

/** What may not be lost when texts are. */
interface Kept {
  /** The run salts what is kept of the provider's references. */
  readonly run: string;
  /** The run's own references that may come back. */
  readonly references: readonly string[];
  /** What the person gave who asks. Nothing that contains one of it is kept. */
  readonly inputs: readonly string[];
}

/** Takes every text out of an answer that may be personal or secret, and leaves its form. */
export function redactAnswer({ status, headers, text, isCut }: Answered, kept: Kept): RecordedAnswer {
  const body = jsonObject(text);
  const retryAfter = headers['retry-after'];
  return {
    status,
    headers: Object.keys(headers)
      .filter((name) => HEADER.test(name) && isHarmless(name, kept))
      .sort(),
    ...(retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) && { retryAfter: Number(retryAfter) }),
    ...(isCut && { isCut }),
    ...(body && { body: withoutTexts(body, kept, 0) as Readonly<Record<string, unknown>> }),
  };
}

function withoutTexts(value: unknown, kept: Kept, depth: number, field = ''): unknown {
  if (typeof value === 'string') return textOf(field, value, kept, depth);
  if (typeof value === 'number') return numberOf(field, value, kept);
  if (!isHolder(value)) return value;
  if (depth >= DEEPEST) return REDACTED;
  if (Array.isArray(value))
    return value.slice(0, KEPT_ENTRIES).map((entry: unknown) => withoutTexts(entry, kept, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, entry], index) => [
      FIELD.test(name) && isHarmless(name, kept) ? name : `field ${index + 1}`,
      withoutTexts(entry, kept, depth + 1, name),
    ]),
  );
}

function numberOf(field: string, value: number, kept: Kept): unknown {
  if (field === 'provider_reference') return likeness(kept.run, String(value));
  if (!MONEY_FIELDS.has(field)) return 0;
  const text = amountOf(field, String(value), kept);
  return text === REDACTED ? REDACTED : Number(text);
}

/** @param depth 1 for the fields of the body itself. */
function textOf(field: string, text: string, kept: Kept, depth: number): string {
  if (field === 'reference') return kept.references.includes(text) ? text : REDACTED;
  if (field === 'provider_reference') return text.trim() === '' ? REDACTED : likeness(kept.run, text);
  if (MONEY_FIELDS.has(field)) return amountOf(field, text, kept);
  const isKept = Object.hasOwn(KEPT_FORMS, field) && KEPT_FORMS[field]?.test(text);
  return isKept && isHarmless(text, kept) && (depth === 1 || !ONLY_ABOVE.has(field)) ? text : REDACTED;
}

/** A balance may be as long as a phone number. That it is an amount is all that is asked about it. */
function amountOf(field: string, text: string, kept: Kept): string {
  if (!AMOUNT.test(text)) return REDACTED;
  if (isHarmless(text, kept)) return text;
  return BALANCE_FIELDS.has(field) ? '0.00' : REDACTED;
}

/** Whether a text holds neither a long number nor an input, however that is spelled. */
function isHarmless(text: string, { inputs }: Kept): boolean {
  if (LONG_NUMBER.test(text)) return false;
  const plain = plainOf(text);
  return !inputs.map(plainOf).some((input) => input.length >= SHORTEST_INPUT && plain.includes(input));
}

function plainOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Sixteen bits: enough to see that two are the same, too few to find out what they are. */
function likeness(run: string, text: string): string {
  return `like ${createHash('sha256').update(`${run} ${text}`).digest('hex').slice(0, 4)}`;
}
