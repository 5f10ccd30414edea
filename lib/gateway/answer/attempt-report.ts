import { type AttemptInfo } from '../../common/vocabulary.js';
import { gatewayCodeInfo } from '../../errors/gateway-codes.js';
import { type AnswerMeaning } from './classify-answer.js';
import { type GatewayErrorBody } from './parse-answer.js';
import { type GatewayCall } from '../gateway-call.js';

/** What happened to one attempt. */
export type AttemptEvent =
  | AnswerMeaning
  /** Nothing left this machine. */
  | 'not-sent'
  /** Nothing left this machine: an interceptor of the application changed what must not change. */
  | 'request-changed'
  /** Nothing left this machine: the account waits after a 429, longer than the call can. */
  | 'held-back'
  /** Bytes may have left, and no complete answer came. */
  | 'no-answer'
  /** The caller's signal fired before anything left this machine. */
  | 'aborted-unsent'
  /** The caller's signal fired afterwards. */
  | 'aborted'
  /** A success answer that names another reference, amount or currency. */
  | 'echo-mismatch';

/** One try of a call, interpreted. */
export interface AttemptReport {
  readonly event: AttemptEvent;
  readonly httpStatus?: number;
  /** The gateway's code, or the network's. */
  readonly code?: string;
  readonly requestId?: string;
  /** The gateway's own sentence and its field messages, safe to print. */
  readonly message?: string;
  readonly errors: Readonly<Record<string, readonly string[]>>;
  readonly retryAfterMs?: number;
}

const UNREADABLE: ReadonlySet<AttemptEvent> = new Set<AnswerMeaning>([
  'bad-answer',
  'server-error',
  'unproven-refusal',
]);

const NOT_SENT: ReadonlySet<AttemptEvent> = new Set<AttemptEvent>([
  'not-sent',
  'request-changed',
  'held-back',
  'aborted-unsent',
]);

/** What the journal, results and errors keep of a try. */
export function attemptInfo(report: AttemptReport, number: number, durationMs: number): AttemptInfo {
  const { event, httpStatus, code } = report;
  return {
    number,
    phase: phaseOf(event),
    ...(httpStatus !== undefined && { httpStatus }),
    ...(code !== undefined && { code }),
    durationMs: Math.round(durationMs),
  };
}

function phaseOf(event: AttemptEvent): AttemptInfo['phase'] {
  if (NOT_SENT.has(event)) return 'not-sent';
  return event === 'no-answer' || event === 'aborted' || UNREADABLE.has(event) ? 'ambiguous' : 'answered';
}

/** What names an answer, safe to print. */
export type SafeTokens = Pick<AttemptReport, 'code' | 'requestId'>;

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const TOKEN = /^[\w.:-]{1,64}$/;
/** The success code that the specification shows. */
const PAYMENT_INITIATED = 'PAYMENT_INITIATED';

/**
 * Code and request id of an answer: where one is no single token it may hold anything, and is left out.
 *
 * @param sensitive Asked only for tokens that nobody knows.
 */
export function safeTokens(
  { code, requestId }: Pick<GatewayErrorBody, 'code' | 'requestId'>,
  sensitive: () => readonly string[],
  refusalCodes: ReadonlySet<string>,
): SafeTokens {
  const safe = (token: string): string =>
    isKnown(token, refusalCodes) ? token : redactText(token, sensitive());
  const tokens: { -readonly [Name in keyof SafeTokens]: SafeTokens[Name] } = {};
  if (code !== undefined && TOKEN.test(code)) tokens.code = safe(code);
  if (requestId !== undefined && TOKEN.test(requestId)) tokens.requestId = safe(requestId);
  return tokens;
}

function isKnown(token: string, refusalCodes: ReadonlySet<string>): boolean {
  return (
    token === PAYMENT_INITIATED ||
    gatewayCodeInfo(token) !== undefined ||
    refusalCodes.has(token) ||
    UUID.test(token)
  );
}

/** The texts of an error answer without what the request held and without anything that looks like a secret. */
export function safeTexts(
  error: Pick<GatewayErrorBody, 'message' | 'errors'>,
  sensitive: readonly string[],
): Pick<AttemptReport, 'message' | 'errors'> {
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

/** What a request says about people: nothing of it may stand in an error or a log line. */
export function sensitiveTexts(call: GatewayCall<object>): string[] {
  return Object.entries(call.body ?? {}).flatMap(([field, value]) => {
    if (HARMLESS.has(field)) return [];
    const texts = textsIn(value);
    return NAMES.has(field) ? [...texts, ...texts.flatMap((text) => text.split(/[\s,.]+/))] : texts;
  });
}

/** Every text in a value, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const API_KEY = /\b[ps]k_(?:test|live)_\S+/gi;
const E_MAIL = /[^\s@<>"']+@[^\s@<>"']+/g;
/** Phone and account numbers, also when written in groups. */
const LONG_NUMBER = /\+?\d(?:\)?[ /-]?\d){5,}/g;
/** Shorter values would blank out ordinary words. */
const SHORTEST_VALUE = 3;
/** A shorter one counts as a whole word only: `Ali` must leave `invalid` alone. */
const SHORTEST_PART = 6;
const ASCII = /^[\0-\x7f]*$/;

/**
 * Makes text from outside safe for messages and logs: keys, e-mail addresses and long numbers become `[redacted]`,
 * and so does every one of `values`, in whatever case it is written.
 */
export function redactText(text: string, values: readonly string[] = []): string {
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

/** Spares making a pattern. Beyond ASCII only a pattern knows which letters are the same in another case. */
function mayStandIn(text: string, value: string): boolean {
  return !ASCII.test(text) || !ASCII.test(value) || text.toLowerCase().includes(value.toLowerCase());
}

function occurrencesOf(value: string): RegExp {
  const literal = value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const whole = value.length < SHORTEST_PART;
  return new RegExp(whole ? `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])` : literal, 'giu');
}
