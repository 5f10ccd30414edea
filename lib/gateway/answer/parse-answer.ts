import { withoutPrototypes } from '../../common/json-object.js';
import { type BodyHeaders } from '../http/http-transport.js';

/** The body of an answer, without regard to the HTTP status. */
export type ParsedAnswer =
  | {
      readonly shape: 'success';
      readonly envelope: SuccessEnvelope;
      readonly text: string;
    }
  /** One of the known error shapes, complete and without contradictions. */
  | { readonly shape: 'error'; readonly error: GatewayErrorBody }
  /** Everything else; it says nothing about a payment. */
  | { readonly shape: 'unreadable' };

/** The envelope of a success (specification, "Response envelope"). */
export interface SuccessEnvelope {
  readonly code: string;
  readonly message: string;
  readonly requestId?: string;
  /** Undefined or null if the answer has none. */
  readonly data: unknown;
}

/** The common part of error shapes A, B, C and a bare `{ message }` (specification, "Errors"). */
export interface GatewayErrorBody {
  readonly code?: string;
  readonly message?: string;
  readonly requestId?: string;
  /** Messages by field (shape C); empty in the other shapes. */
  readonly errors: Readonly<Record<string, string[]>>;
  /** Whether another field may be the record of a payment. */
  readonly mayHoldRecord: boolean;
}

type WireObject = Readonly<Record<string, unknown>>;

const UNREADABLE: ParsedAnswer = { shape: 'unreadable' };
const JSON_TYPE = /^\s*(application|text)\/([\w.-]+\+)?json\s*(;|$)/i;
/** An answer without a code may have only these fields. */
const PLAIN_FIELDS: ReadonlySet<string> = new Set([
  'status',
  'success',
  'code',
  'message',
  'errors',
  'data',
  'meta',
  'request_id',
]);

/** Names of fields that may hold the record of a payment or a part of it. */
const RECORD_FIELD =
  /pay|transaction|trx|txn|transfer|disbursement|collection|provider|result|record|reference|receipt|amount|^id$/i;

/** Reads the text of an answer. Never throws. */
export function parseAnswer(text: string, headers: BodyHeaders = {}): ParsedAnswer {
  const trimmed = text.trim();
  const body = parseObject(trimmed);
  if (!body) return UNREADABLE;
  if (body['status'] === 'success') return parseSuccess(body, trimmed);
  // A program on the way may have written or changed anything else, so it is not the gateway's refusal.
  return isPlainJson(headers) ? parseError(body) : UNREADABLE;
}

function parseObject(text: string): WireObject | undefined {
  const body = parseJson(text);
  if (!isObject(body) || outerFields(text) !== fieldsOf(body)) return undefined;
  return withoutPrototypes(body, text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Counts the fields of a JSON object and of the objects directly in it, `data` above all, repetitions included:
 * `JSON.parse` keeps the last of each name.
 */
function outerFields(text: string): number {
  let fields = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === ':' && depth <= 2) fields += 1;
  }
  return fields;
}

/** The same count of what was parsed, without repetitions. */
function fieldsOf(body: WireObject): number {
  const values = Object.values(body);
  return values.reduce<number>(
    (fields, value) => fields + (isObject(value) ? Object.keys(value).length : 0),
    values.length,
  );
}

/** The end of the string that begins at `start`. The text is valid JSON, so it ends. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** Whether an odd number of backslashes precedes `at`. */
function isEscaped(text: string, at: number): boolean {
  let escaped = false;
  for (let before = at - 1; text[before] === '\\'; before -= 1) escaped = !escaped;
  return escaped;
}

function isPlainJson({ contentType, contentEncoding }: BodyHeaders): boolean {
  const isPlain = contentEncoding === undefined || contentEncoding.trim().toLowerCase() === 'identity';
  return isPlain && (contentType === undefined || JSON_TYPE.test(contentType));
}

function parseSuccess(body: WireObject, text: string): ParsedAnswer {
  if (body['success'] === false) return UNREADABLE;
  const requestId = textField(body, 'request_id');
  const envelope = {
    code: textField(body, 'code') ?? '',
    message: textField(body, 'message') ?? '',
    data: body['data'],
  };
  return { shape: 'success', envelope: requestId ? { requestId, ...envelope } : envelope, text };
}

function parseError(body: WireObject): ParsedAnswer {
  const errors = fieldErrors(body['errors']);
  if (!errors || !isErrorShape(body, Object.keys(errors).length > 0)) return UNREADABLE;
  const code = textField(body, 'code');
  const message = textField(body, 'message');
  const requestId = textField(body, 'request_id');
  return {
    shape: 'error',
    error: {
      errors,
      mayHoldRecord: mayHoldRecord(body),
      ...(code && { code }),
      ...(message && { message }),
      ...(requestId && { requestId }),
    },
  };
}

/** A record beside an error, or a code in another place, contradicts the error. */
function isErrorShape(body: WireObject, hasFieldErrors: boolean): boolean {
  const { status, success, code, message } = body;
  const saysError = status === 'error' || success === false;
  const contradicts =
    (status !== undefined && status !== 'error') || (success !== undefined && success !== false);
  if (contradicts || !isEmpty(body['data']) || !isEmpty(body['error'])) return false;
  if (message != null && typeof message !== 'string') return false;
  if (code == null || code === '') {
    const isWhole = hasFieldErrors ? saysError : typeof message === 'string';
    return isWhole && Object.keys(body).every((field) => PLAIN_FIELDS.has(field));
  }
  return saysError && typeof code === 'string';
}

function mayHoldRecord(body: WireObject): boolean {
  if (!isEmpty(body['meta'])) return true;
  const fields = Object.entries(body).filter(([field]) => !PLAIN_FIELDS.has(field));
  // The list grows while it is read, because deep nesting would overflow the stack of a recursive function.
  for (const [field, value] of fields) {
    if (RECORD_FIELD.test(field)) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const entry of Object.entries(value)) fields.push(entry);
  }
  return false;
}

/** The messages by field; empty if the answer has none, undefined if `errors` is something else. */
function fieldErrors(value: unknown): Record<string, string[]> | undefined {
  if (isEmpty(value)) return {};
  if (!isObject(value)) return undefined;
  const fields = Object.entries(value);
  return fields.every((field): field is [string, string[]] => isMessageList(field[1]))
    ? Object.fromEntries(fields)
    : undefined;
}

function isMessageList(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((message) => typeof message === 'string');
}

function textField(body: WireObject, field: string): string | undefined {
  const value = body[field];
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return value == null || (typeof value === 'object' && Object.keys(value).length === 0);
}
