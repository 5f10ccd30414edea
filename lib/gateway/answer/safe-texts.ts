import { GATEWAY_CODES, TOKEN } from '../../errors/gateway-codes.js';
import { type GatewayCall } from '../gateway-call.js';
import { type GatewayErrorBody } from './parse-answer.js';

export interface SafeTokens {
  readonly code?: string;
  readonly requestId?: string;
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** The codes of the specification: those of errors, and those that it shows for success. */
const LISTED_CODES: ReadonlySet<string> = new Set([
  ...Object.keys(GATEWAY_CODES),
  'PAYMENT_INITIATED',
  'DISBURSEMENT_INITIATED',
  'ACCOUNT_VERIFIED',
  'SUCCESS',
]);

/**
 * Code and request id of an answer. One that is not a single token is left out: it may hold anything. Never throws: the
 * answer counts without them, too.
 */
export function safeTokens(
  { code, requestId }: Pick<GatewayErrorBody, 'code' | 'requestId'>,
  call: GatewayCall<object>,
  refusalCodes: ReadonlySet<string>,
): SafeTokens {
  const safe = (token: string): string =>
    isKnown(token, refusalCodes) ? token : redact(token, soughtIn(sensitiveTexts(call)), NUMBER_IN_TOKEN);
  const tokens: { -readonly [Name in keyof SafeTokens]: SafeTokens[Name] } = {};
  try {
    if (code !== undefined && TOKEN.test(code)) tokens.code = safe(code);
    if (requestId !== undefined && TOKEN.test(requestId)) tokens.requestId = safe(requestId);
  } catch {
    return {};
  }
  return tokens;
}

function isKnown(token: string, refusalCodes: ReadonlySet<string>): boolean {
  return LISTED_CODES.has(token) || refusalCodes.has(token) || UUID.test(token);
}

/** More than an answer needs to say what is wrong. An answer may have 2 MB, and each text costs time for each value. */
const MOST_TEXTS = 100;
const LONGEST_TEXT = 1_000;
/** A value that is cut off here is behind the end of the text that remains. */
const LONGEST_READ = 4 * LONGEST_TEXT;

/**
 * The texts of an error answer without values of the request and without possible secrets. The first hundred of them, each
 * up to 1,000 characters, are kept. Never throws: the answer counts without them, too.
 */
export function safeTexts(
  error: Pick<GatewayErrorBody, 'message' | 'errors'>,
  call: GatewayCall<object>,
): Pick<GatewayErrorBody, 'message' | 'errors'> {
  try {
    const sought = soughtIn(sensitiveTexts(call));
    const safe = (text: string): string =>
      redact(text.slice(0, LONGEST_READ), sought, LONG_NUMBER).slice(0, LONGEST_TEXT);
    const errors: [string, string[]][] = [];
    let left = MOST_TEXTS;
    for (const [field, messages] of Object.entries(error.errors)) {
      if (left <= 0) break;
      const kept = messages.slice(0, left);
      left -= kept.length;
      errors.push([safe(field), kept.map(safe)]);
    }
    return {
      errors: Object.fromEntries(errors),
      ...(error.message !== undefined && { message: safe(error.message) }),
    };
  } catch {
    return { errors: {} };
  }
}

/** Fields whose values a gateway message may safely repeat. */
const HARMLESS = new Set(['reference', 'currency', 'channel', 'network', 'bank_code', 'amount']);
/** Fields that a gateway may repeat in part, or in another order. */
const NAMES = new Set(['customer_name', 'recipient_name', 'account_name']);

/** The personal data of a request. Errors and log lines must not contain it. */
export function sensitiveTexts(call: GatewayCall<object>): string[] {
  return Object.entries(call.body ?? {}).flatMap(([field, value]) => {
    if (HARMLESS.has(field)) return [];
    const texts = textsIn(value);
    return NAMES.has(field) ? [...texts, ...texts.flatMap(partsOfName)] : texts;
  });
}

/** `Ng'wanakilala` may come back without its apostrophe, or with something else in its place. */
function partsOfName(name: string): string[] {
  const words = name.split(/[\s,.]+/);
  return [...words, ...words.flatMap((word) => word.split(/[^\p{L}\p{M}\p{N}]+/u))];
}

/** A name in code. Blanking it out would hide which field a message is about. */
const IDENTIFIER = /^[a-z_][\w.-]*$/i;

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? [] : Object.keys(value).filter((key) => !IDENTIFIER.test(key));
  return [...keys, ...Object.values(value).flatMap(textsIn)];
}

const API_KEY = /\b[ps]k_(?:test|live)_\S+/gi;
/** The look-behind tries a word once, and not from each letter of it again: a long word would stop the process. */
const E_MAIL = /(?<![^\s@<>"'])[^\s@<>"']+@[^\s@<>"']+/g;
/** Phone and account numbers, also when written in groups. A point before one or two last digits is that of an amount. */
const LONG_NUMBER =
  /\+?\d(?:\)?(?:[ /_\p{Pd}]|\.(?=\d{3}|\d\d?[./_\p{Pd}]\d)|(?<=[./_\p{Pd}]\d\d?)\.)?\d){5,}/gu;
/** In a token a point or a low line divides the parts of a code or a date. */
const NUMBER_IN_TOKEN = /\d(?:-?\d){5,}/g;
/** Shorter values would blank out ordinary words. */
const SHORTEST_VALUE = 3;
/** A shorter value is replaced only as a whole word: `Ali` must not change `invalid`. */
const SHORTEST_PART = 6;
/** Of a longer value only the beginning is sought: from some 8,000 letters on V8 throws, with the value in its message. */
const LONGEST_PATTERN = 1_000;
const HALF_A_PAIR = /[\ud800-\udbff]$/;
const ASCII = /^[\0-\x7f]*$/;

/**
 * Makes text from outside safe for messages and logs: replaces keys, e-mail addresses, long numbers and all
 * `values`, in any case, by `[redacted]`. The text cannot end a log line or steer a terminal. It takes time in proportion to the
 * length of the text.
 */
export function redactText(text: string, values: readonly string[]): string {
  return redact(text, soughtIn(values), LONG_NUMBER);
}

/** What is sought in a text. A longer value may contain a shorter one. */
function soughtIn(values: readonly string[]): readonly string[] {
  return values.map((value) => usualSpelling(value).trim()).sort((a, b) => b.length - a.length);
}

function redact(text: string, values: readonly string[], numbers: RegExp): string {
  let result = usualSpelling(text);
  for (const value of values) {
    const isLong = value.length > LONGEST_PATTERN;
    const sought = isLong ? value.slice(0, LONGEST_PATTERN).replace(HALF_A_PAIR, '') : value;
    if (sought.length < SHORTEST_VALUE || !mayStandIn(result, sought)) continue;
    // What follows the beginning of a long value may be the rest of it.
    result = result.replace(isLong ? toTheEnd(sought) : occurrencesOf(sought), '[redacted]');
  }
  return result.replace(API_KEY, '[redacted]').replace(E_MAIL, '[redacted]').replace(numbers, '[redacted]');
}

/** A character as HTML writes it, also if it was encoded several times. */
const ENTITY = /&(?:amp;)*(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|apos|lsquo|nbsp|quot|rsquo));/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  lsquo: "'",
  nbsp: ' ',
  quot: '"',
  rsquo: "'",
};
/** What is written for an apostrophe, also with the backslash of a text in quotation marks. */
const APOSTROPHE = /\\?['`\u00b4\u02b9\u02bb\u02bc\u2018\u2019\u201b\u2032\uff07]/g;
/** More marks than any letter has. To bring a long run of them into order would stop the process. */
const EXCESS_MARKS = /(?<=[\p{M}\uff9e\uff9f]{8})[\p{M}\uff9e\uff9f]+/gu;
/** White space, ends of lines, and what steers a terminal or is no character. */
const BLANKS = /[\s\p{C}\p{Zl}\p{Zp}]+/gu;

/** One spelling for what the gateway may write in several ways, on one line. */
function usualSpelling(text: string): string {
  return text
    .replace(ENTITY, decoded)
    .replace(/\p{Cf}+/gu, '')
    .replace(APOSTROPHE, "'")
    .replace(EXCESS_MARKS, '')
    .normalize('NFKC')
    .replace(BLANKS, ' ');
}

function decoded(entity: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? entity;
  const code = decimal === undefined ? parseInt(hexadecimal ?? '', 16) : Number(decimal);
  const character = code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  // A page that shows the text must not get an element.
  return character === '<' || character === '>' ? entity : character;
}

/** A cheap check before a pattern is made. Beyond ASCII only a pattern knows the upper case of a letter. */
function mayStandIn(text: string, value: string): boolean {
  if (text.length < value.length) return false;
  return !ASCII.test(text) || !ASCII.test(value) || text.toLowerCase().includes(value.toLowerCase());
}

function occurrencesOf(value: string): RegExp {
  const literal = literalOf(value);
  const whole = value.length < SHORTEST_PART;
  return new RegExp(whole ? `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])` : literal, 'giu');
}

function toTheEnd(beginning: string): RegExp {
  return new RegExp(`${literalOf(beginning)}[^]*`, 'iu');
}

function literalOf(value: string): string {
  return value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
