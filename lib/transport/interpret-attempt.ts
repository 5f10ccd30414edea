import { safeCode, safeTexts, type AttemptReport } from './call-report.js';
import { classifyAnswer } from './classify-answer.js';
import { checkEcho } from './echo-check.js';
import { type GatewayCall, type ReadPayload } from './gateway-call.js';
import { type LastResponse } from './last-response.js';
import { parseAnswer, type SuccessEnvelope } from './parse-answer.js';
import { asRecord } from './read-record.js';
import { parseRetryAfter } from './retry-timing.js';
import { type AttemptResult } from './send-attempt.js';

/** A success answer beside its `data`. */
export type AnswerEnvelope = Pick<LastResponse, 'requestId' | 'code' | 'message' | 'httpStatus'>;

/** A success answer that the operation could read. */
export interface ReadSuccess<T> extends ReadPayload<T> {
  /** `data` as it came. */
  readonly data: unknown;
  readonly envelope: AnswerEnvelope;
}

/** What one try came to. `success` is there exactly when the event is `success`. */
export interface Interpretation<T> {
  readonly report: AttemptReport;
  readonly success?: ReadSuccess<T>;
}

/** Makes sense of what one try brought. */
export function interpretAttempt<T extends object>(
  call: GatewayCall<T>,
  result: AttemptResult,
  refusalCodes: ReadonlySet<string>,
): Interpretation<T> {
  if (result.result === 'failure') return { report: interpretFailure(result) };
  const { httpStatus, text } = result;
  const answer = parseAnswer(text);
  const event = classifyAnswer(call.kind, httpStatus, answer, refusalCodes);
  if (answer.shape === 'success') {
    return event === 'success'
      ? interpretSuccess(call, httpStatus, answer.envelope)
      : { report: { event, httpStatus, code: answer.envelope.code, errors: {} } };
  }
  const retryAfterMs = event === 'rate-limited' ? parseRetryAfter(result.retryAfter, Date.now()) : undefined;
  const error = answer.shape === 'error' ? answer.error : { errors: {} };
  const sensitive = sensitiveTexts(call.body);
  return {
    report: {
      event,
      httpStatus,
      ...(error.code !== undefined && { code: safeCode(error.code, sensitive) }),
      ...(error.requestId !== undefined && { requestId: error.requestId }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...safeTexts(error, sensitive),
    },
  };
}

function interpretFailure(failure: Extract<AttemptResult, { readonly result: 'failure' }>): AttemptReport {
  const unsent = failure.aborted ? 'aborted-unsent' : 'not-sent';
  const sent = failure.aborted ? 'aborted' : 'no-answer';
  return { event: failure.sent ? sent : unsent, code: failure.code, errors: {} };
}

function interpretSuccess<T extends object>(
  call: GatewayCall<T>,
  httpStatus: number,
  { code, message, requestId, data }: SuccessEnvelope,
): Interpretation<T> {
  const report = { httpStatus, code, errors: {}, ...(requestId !== undefined && { requestId }) };
  const payload = call.read(data);
  if (payload === undefined) return { report: { ...report, event: 'bad-answer' } };
  const echo =
    call.kind === 'read' ? { differing: [], warnings: [] } : checkEcho(call.payment, asRecord(data) ?? {});
  if (echo.differing.length > 0) return { report: { ...report, event: 'echo-mismatch' } };
  return {
    report: { ...report, event: 'success' },
    success: {
      value: payload.value,
      data,
      warnings: [...echo.warnings, ...payload.warnings],
      envelope: { code, message, httpStatus, ...(requestId !== undefined && { requestId }) },
    },
  };
}

/** Fields whose values a gateway message may safely repeat. */
const HARMLESS = new Set(['reference', 'currency', 'channel', 'network', 'bank_code', 'amount']);

/** Every text of the request, metadata included, that a message must not repeat. */
function sensitiveTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) =>
    HARMLESS.has(field) ? [] : sensitiveTexts(inner),
  );
}
