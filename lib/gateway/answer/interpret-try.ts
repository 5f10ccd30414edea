import { type AttemptInfo, type PaymentOutcome } from '../../common/vocabulary.js';
import { safeTexts, safeTokens, type SafeTokens } from './safe-texts.js';
import { type TryEvent, classifyAnswer } from './classify-answer.js';
import { checkEcho, type EchoCheck } from './check-echo.js';
import { type GatewayCall, type ReadPayload } from '../gateway-call.js';
import {
  parseAnswer,
  type GatewayErrorBody,
  type ParsedAnswer,
  type SuccessEnvelope,
} from './parse-answer.js';
import { asRecord, type LastResponse, withProvenEnd } from './wire-record.js';
import { parseRetryAfter } from '../wait-before-try.js';
import { type TryResult } from '../http/send-try.js';

/** What one try of a call came to. */
export interface TryReport {
  readonly event: TryEvent;
  readonly httpStatus?: number;
  /** The gateway's code, or the network's. */
  readonly code?: string;
  readonly requestId?: string;
  /** The gateway's message and field messages, safe to print. */
  readonly message?: string;
  readonly errors: Readonly<Record<string, string[]>>;
  readonly retryAfterMs?: number;
  /** The answer turned the request away, and nothing in it says that the gateway looked at the payment. */
  readonly turnedAway?: true;
}

/** A success answer without its `data`. */
export type AnswerEnvelope = Pick<LastResponse, 'requestId' | 'code' | 'message' | 'httpStatus'>;

/** A success answer that the operation could read. */
export interface ReadSuccess<T> extends ReadPayload<T> {
  /** The JSON of the whole answer, as received. */
  readonly text: string;
  readonly envelope: AnswerEnvelope;
  /** Set if the record proves that the payment has ended: it names the payment, too. */
  readonly outcome?: PaymentOutcome;
}

const NO_ECHO: EchoCheck = { differing: [], warnings: [] };

/** A try after `interpretTry`. `success` is set exactly if the event is `success`. */
interface Interpretation<T> {
  readonly report: TryReport;
  readonly success?: ReadSuccess<T>;
}

export function interpretTry<T extends object>(
  call: GatewayCall<T>,
  result: TryResult,
  refusalCodes: ReadonlySet<string>,
): Interpretation<T> {
  if (result.result === 'failure') return { report: interpretFailure(result) };
  if (result.result === 'held-back') {
    const { retryAfterMs } = result;
    return { report: { event: 'held-back', code: 'HELD_BACK', retryAfterMs, errors: {} } };
  }
  const { httpStatus, text, headers, mayBeCutOff } = result;
  const answer = parseAnswer(text, headers);
  const classified = classifyAnswer(call.kind, httpStatus, answer, refusalCodes);
  // What is missing may say that the payment was made.
  const isUnproven = classified === 'refused' && mayBeCutOff && call.kind !== 'read';
  const event = isUnproven ? 'unproven-refusal' : classified;
  if (answer.shape === 'success') {
    const tokens = safeTokens(answer.envelope, call, refusalCodes);
    return event === 'success'
      ? interpretSuccess(call, httpStatus, answer.envelope, answer.text, tokens)
      : { report: { event, httpStatus, ...tokens, errors: {} } };
  }
  const retryAfterMs = event === 'rate-limited' ? parseRetryAfter(headers, Date.now()) : undefined;
  const error: Omit<GatewayErrorBody, 'mayHoldRecord'> =
    answer.shape === 'error' ? answer.error : { errors: {} };
  return {
    report: {
      event,
      httpStatus,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(turnsAway(event, answer, text) && { turnedAway: true }),
      ...safeTokens(error, call, refusalCodes),
      ...safeTexts(call.kind === 'read' ? withoutWords(error, call.body) : error, call),
    },
  };
}

/** Keeps only the names of refused fields: the texts may be about people who are not in the request. */
function withoutWords(
  { errors }: Pick<GatewayErrorBody, 'errors'>,
  body: object = {},
): Pick<GatewayErrorBody, 'message' | 'errors'> {
  const fields = Object.keys(errors).filter((field) => Object.hasOwn(body, field));
  return {
    errors: Object.fromEntries(fields.map((field) => [field, [`${field} was refused by the gateway`]])),
  };
}

/** The codes of undici for connections that were closed with the application. */
const CLOSED: ReadonlySet<string> = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);

function interpretFailure(failure: Extract<TryResult, { readonly result: 'failure' }>): TryReport {
  const notSent = CLOSED.has(failure.code) ? 'stopped' : 'not-sent';
  const unsent = failure.aborted ? 'aborted-unsent' : notSent;
  const sent = failure.aborted ? 'aborted' : 'no-answer';
  if (failure.changed !== undefined) {
    return { event: 'request-changed', code: failure.code, message: failure.changed, errors: {} };
  }
  return { event: failure.sent ? sent : unsent, code: failure.code, errors: {} };
}

function interpretSuccess<T extends object>(
  call: GatewayCall<T>,
  httpStatus: number,
  { message, data }: SuccessEnvelope,
  text: string,
  tokens: SafeTokens,
): Interpretation<T> {
  const report = (event: TryEvent): TryReport => ({
    event,
    httpStatus,
    errors: {},
    ...tokens,
  });
  const payload = call.read(data);
  if (payload === undefined) return { report: report('bad-answer') };
  const wire = asRecord(data) ?? {};
  const echo = call.kind === 'read' ? NO_ECHO : checkEcho(call, wire);
  if (echo.differing.length > 0) return { report: report('echo-mismatch') };
  const { outcome, value, warnings } = withProvenEnd(call.kind, payload, wire);
  return {
    report: report('success'),
    success: {
      value,
      text,
      warnings: [...echo.warnings, ...warnings],
      envelope: { message, httpStatus, code: '', ...tokens },
      ...(outcome && { outcome }),
    },
  };
}

const AMBIGUOUS: ReadonlySet<TryEvent> = new Set<TryEvent>([
  'no-answer',
  'aborted',
  'bad-answer',
  'server-error',
  'unproven-refusal',
]);

const NOT_SENT: ReadonlySet<TryEvent> = new Set<TryEvent>([
  'not-sent',
  'stopped',
  'request-changed',
  'held-back',
  'aborted-unsent',
]);

/** The part of a try that the journal, results and errors keep. */
export function attemptInfo(report: TryReport, number: number, durationMs: number): AttemptInfo {
  const { event, httpStatus, code } = report;
  return {
    number,
    phase: phaseOf(event),
    durationMs: Math.round(durationMs),
    ...(httpStatus !== undefined && { httpStatus }),
    ...(code !== undefined && { code }),
  };
}

export function phaseOf(event: TryEvent): AttemptInfo['phase'] {
  if (NOT_SENT.has(event)) return 'not-sent';
  return AMBIGUOUS.has(event) ? 'ambiguous' : 'answered';
}

const TURNING_EVENTS: ReadonlySet<TryEvent> = new Set(['unauthorized', 'rate-limited', 'redirect']);
const TURNING_CODES: ReadonlySet<string | undefined> = new Set([
  undefined,
  'UNAUTHORIZED',
  'INSUFFICIENT_PERMISSIONS',
]);

/** A code of its own, messages for fields or a record may be about the payment, whatever the status is. */
function turnsAway(event: TryEvent, answer: ParsedAnswer, text: string): boolean {
  if (!TURNING_EVENTS.has(event)) return false;
  // In JSON of no known shape they may be anywhere.
  if (answer.shape !== 'error') return !text.includes('{');
  const { code, errors, mayHoldRecord } = answer.error;
  return TURNING_CODES.has(code) && !mayHoldRecord && Object.keys(errors).length === 0;
}
