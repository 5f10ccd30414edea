import { gatewayCodeInfo, type GatewayCodeEffect } from '../errors/gateway-codes.js';
import { type CallKind } from './gateway-call.js';
import { type ParsedAnswer, type SuccessEnvelope } from './parse-answer.js';

/** What a complete answer means, before it is decided what to do about it (design rules, "Money safety"). */
export type AnswerMeaning =
  | 'success'
  | GatewayCodeEffect
  | 'unlisted-code'
  | 'rate-limited'
  | 'redirect'
  | 'server-error'
  | 'bad-answer';

/** Statuses with which servers and proxies refuse a request before anything acted on it. */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 411, 413, 415, 422]);

/** Classifies an answer: by body code first, by HTTP status second. */
export function classifyAnswer(
  kind: CallKind,
  httpStatus: number,
  answer: ParsedAnswer,
  refusalCodes: ReadonlySet<string>,
): AnswerMeaning {
  if (httpStatus >= 300 && httpStatus < 400) return 'redirect';
  if (answer.shape === 'success') return classifySuccess(httpStatus, answer.envelope);
  const byBody = answer.shape === 'error' ? classifyError(kind, answer.error, refusalCodes) : undefined;
  return byBody ?? classifyStatus(httpStatus, answer);
}

/** A success envelope under an error status, or with an error's code, contradicts itself, so it proves nothing. */
function classifySuccess(httpStatus: number, { code, data }: SuccessEnvelope): AnswerMeaning {
  if (httpStatus >= 500) return 'server-error';
  if (gatewayCodeInfo(code)) return 'bad-answer';
  return httpStatus < 300 && data !== undefined && data !== null ? 'success' : 'bad-answer';
}

function classifyError(
  kind: CallKind,
  error: { readonly code?: string; readonly errors: Readonly<Record<string, unknown>> },
  refusalCodes: ReadonlySet<string>,
): AnswerMeaning | undefined {
  const effect = gatewayCodeInfo(error.code)?.effect;
  if (effect !== undefined) return kind === 'read' && isDuplicate(effect) ? 'unlisted-code' : effect;
  if (error.code !== undefined && refusalCodes.has(error.code)) return 'refused';
  // Shape C carries no code: a complaint about `reference` is about its second use, and about another field a refusal.
  if (kind !== 'read' && Object.hasOwn(error.errors, 'reference')) return 'duplicate-reference';
  return Object.keys(error.errors).length > 0 ? 'refused' : undefined;
}

function classifyStatus(httpStatus: number, answer: ParsedAnswer): AnswerMeaning {
  if (httpStatus === 401 || httpStatus === 403) return 'unauthorized';
  if (httpStatus === 429) return 'rate-limited';
  if (answer.shape === 'error' && answer.error.code !== undefined) return 'unlisted-code';
  if (httpStatus === 408 || httpStatus === 409 || httpStatus >= 500) return 'server-error';
  if (httpStatus < 300 || answer.shape === 'malformed') return 'bad-answer';
  return REFUSING_STATUSES.has(httpStatus) ? 'refused' : 'unlisted-code';
}

function isDuplicate(effect: GatewayCodeEffect): boolean {
  return effect === 'duplicate-request' || effect === 'duplicate-reference';
}
