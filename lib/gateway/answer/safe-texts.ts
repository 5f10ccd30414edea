import { GATEWAY_CODES } from '../../errors/gateway-codes.js';
import { type GatewayCall } from '../gateway-call.js';
import { type GatewayErrorBody } from './parse-answer.js';

export interface SafeTokens {
  readonly code?: string;
  readonly requestId?: string;
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const TOKEN = /^[\w.:-]{1,64}$/;
/** The codes of the specification: those of errors, and those that it shows for success. */
const LISTED_CODES: ReadonlySet<string> = new Set([
  ...Object.keys(GATEWAY_CODES),
  'PAYMENT_INITIATED',
  'DISBURSEMENT_INITIATED',
  'ACCOUNT_VERIFIED',
  'SUCCESS',
]);

/** Code and request id of an answer. One that is not a single token is left out: it may hold anything. */
export function safeTokens(
  { code, requestId }: Pick<GatewayErrorBody, 'code' | 'requestId'>,
  call: GatewayCall<object>,
  refusalCodes: ReadonlySet<string>,
): SafeTokens {
  const safe = (token: string): string =>
    isKnown(token, refusalCodes) ? token : redactText(token, sensitiveTexts(call));
  const tokens: { -readonly [Name in keyof SafeTokens]: SafeTokens[Name] } = {};
  if (code !== undefined && TOKEN.test(code)) tokens.code = safe(code);
  if (requestId !== undefined && TOKEN.test(requestId)) tokens.requestId = safe(requestId);
  return tokens;
}

function isKnown(token: string, refusalCodes: ReadonlySet<string>): boolean {
  return LISTED_CODES.has(token) || refusalCodes.has(token) || UUID.test(token);
}

/** The texts of an error answer without values of the request and without possible secrets. */
export function safeTexts(
  error: Pick<GatewayErrorBody, 'message' | 'errors'>,
  call: GatewayCall<object>,
): Pick<GatewayErrorBody, 'message' | 'errors'> {
  const sensitive = sensitiveTexts(call);
  const errors = Object.entries(error.errors).map(([field, messages]): [string, string[]] => [
    redactText(field, sensitive),
    messages.map((message) => redactText(message, sensitive)),
  ]);
  return {
    errors: Object.fromEntries(errors),
    ...(error.message !== undefined && { message: redactText(error.message, sensitive) }),
  };
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
    return NAMES.has(field) ? [...texts, ...texts.flatMap((text) => text.split(/[\s,.]/))] : texts;
  });
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const API_KEY = /\b[ps]k_(?:test|live)_\S+/gi;
/** The look-behind tries a word once, and not from each letter of it again: a long word would stop the process. */
const E_MAIL = /(?<![^\s@<>"'])[^\s@<>"']+@[^\s@<>"']+/g;
/** Phone and account numbers, also when written in groups. */
const LONG_NUMBER = /\+?\d(?:\)?[ /-]?\d){5,}/g;
/** Shorter values would blank out ordinary words. */
const SHORTEST_VALUE = 3;
/** A shorter value is replaced only as a whole word: `Ali` must not change `invalid`. */
const SHORTEST_PART = 6;
const ASCII = /^[\0-\x7f]*$/;

/**
 * Makes text from outside safe for messages and logs: replaces keys, e-mail addresses, long numbers and all
 * `values`, in any case, by `[redacted]`.
 */
export function redactText(text: string, values: readonly string[]): string {
  let result = text;
  for (const value of [...values].sort((a, b) => b.length - a.length)) {
    const trimmed = value.trim();
    if (trimmed.length >= SHORTEST_VALUE && mayStandIn(result, trimmed))
      result = result.replace(occurrencesOf(trimmed), '[redacted]');
  }
  return result
    .replace(API_KEY, '[redacted]')
    .replace(E_MAIL, '[redacted]')
    .replace(LONG_NUMBER, '[redacted]');
}

/** A cheap check before a pattern is made. Beyond ASCII only a pattern knows the upper case of a letter. */
function mayStandIn(text: string, value: string): boolean {
  return !ASCII.test(text) || !ASCII.test(value) || text.toLowerCase().includes(value.toLowerCase());
}

function occurrencesOf(value: string): RegExp {
  const literal = value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const whole = value.length < SHORTEST_PART;
  return new RegExp(whole ? `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])` : literal, 'giu');
}
