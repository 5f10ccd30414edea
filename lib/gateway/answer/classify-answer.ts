import { type PaymentFamily } from '../../common/vocabulary.js';
import { gatewayCodeInfo, type GatewayCodeEffect } from '../../errors/gateway-codes.js';
import { type CallKind } from '../gateway-call.js';
import { type GatewayErrorBody, type ParsedAnswer, type SuccessEnvelope } from './parse-answer.js';

/** What a complete answer means, before it is decided what to do about it (design rules, "Money safety"). */
export type AnswerMeaning =
  | 'success'
  /** `refused`: by a listed code or by field messages, under a status that fits. */
  | GatewayCodeEffect
  /** An error answer without a code, under a status with which servers refuse. */
  | 'refused-without-code'
  /** A payment's answer that looks like a refusal and proves none. */
  | 'unproven-refusal'
  | 'unlisted-code'
  | 'rate-limited'
  | 'redirect'
  | 'server-error'
  | 'bad-answer';

/** Statuses with which servers refuse a request before anything acted on it. */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 411, 413, 415, 422]);
/** What their status says stands above every code that refuses. */
const SPEAKING_STATUSES: ReadonlySet<number> = new Set([401, 403, 408, 429]);
/** Words of an answer that may speak of an earlier payment instead of refusing this one. */
const EARLIER_PAYMENT = /idempoten|duplicat|already|\btaken\b/i;
/** An answer without a listed code refuses only where it does not speak of the reference at all. */
const REFERENCE = /reference/i;

/** Classifies an answer: by body code first, by HTTP status second. */
export function classifyAnswer(
  kind: CallKind,
  httpStatus: number,
  answer: ParsedAnswer,
  refusalCodes: ReadonlySet<string>,
): AnswerMeaning {
  if (httpStatus >= 300 && httpStatus < 400) return 'redirect';
  switch (answer.shape) {
    case 'success':
      return classifySuccess(httpStatus, answer.envelope);
    case 'error':
      return kind === 'read'
        ? classifyReadError(httpStatus, answer.error, refusalCodes)
        : classifyPaymentError(kind, httpStatus, answer.error, refusalCodes);
    case 'unreadable':
      return statusAlone(httpStatus) ?? (kind === 'read' ? 'bad-answer' : 'unproven-refusal');
  }
}

/** A success envelope under an error status, or with an error's code, contradicts itself, so it proves nothing. */
function classifySuccess(httpStatus: number, { code, data }: SuccessEnvelope): AnswerMeaning {
  if (httpStatus >= 500) return 'server-error';
  if (gatewayCodeInfo(code)) return 'bad-answer';
  return httpStatus < 300 && data !== undefined && data !== null ? 'success' : 'bad-answer';
}

/** A read moves no money: its code counts under any status, and it has nothing that could be a duplicate. */
function classifyReadError(
  httpStatus: number,
  { code, errors }: GatewayErrorBody,
  refusalCodes: ReadonlySet<string>,
): AnswerMeaning {
  const effect = gatewayCodeInfo(code)?.effect;
  if (effect === 'duplicate-request' || effect === 'duplicate-reference') return 'unlisted-code';
  if (effect !== undefined) return effect;
  if ((code !== undefined && refusalCodes.has(code)) || hasFields(errors)) return 'refused';
  if (httpStatus === 401 || httpStatus === 403) return 'unauthorized';
  if (httpStatus === 429) return 'rate-limited';
  if (code !== undefined) return 'unlisted-code';
  return statusAlone(httpStatus) ?? 'refused-without-code';
}

function classifyPaymentError(
  kind: PaymentFamily,
  httpStatus: number,
  error: GatewayErrorBody,
  refusalCodes: ReadonlySet<string>,
): AnswerMeaning {
  const effect = duplicateField(error) ?? gatewayCodeInfo(error.code)?.effect;
  const isVouchedFor = error.code !== undefined && refusalCodes.has(error.code);
  switch (effect) {
    case 'duplicate-request':
    case 'duplicate-reference':
    case 'provider-error':
      return effect;
    case 'unauthorized':
      return isClientError(httpStatus) && httpStatus !== 408 && httpStatus !== 429
        ? 'unauthorized'
        : unproven(httpStatus);
    case 'refused':
      return !isVouchedFor && speaksOfEarlierPayment(error)
        ? unproven(httpStatus)
        : refusedByCode(httpStatus, isVouchedFor);
    case undefined:
      return isVouchedFor ? refusedByCode(httpStatus, true) : classifyUnlisted(kind, httpStatus, error);
  }
}

/** Some gateways answer a refusal with HTTP 200. Only where the merchant vouches for the code is that a refusal here too. */
function refusedByCode(httpStatus: number, isVouchedFor: boolean): AnswerMeaning {
  return provesRefusal(httpStatus) || (isVouchedFor && isSuccessStatus(httpStatus))
    ? 'refused'
    : unproven(httpStatus);
}

function classifyUnlisted(kind: PaymentFamily, httpStatus: number, error: GatewayErrorBody): AnswerMeaning {
  const { code, errors, message } = error;
  if (code === undefined && hasFields(errors)) {
    const isRefusal = provesRefusal(httpStatus) && httpStatus !== 409 && !speaksOfEarlierPayment(error);
    return isRefusal ? 'refused' : unproven(httpStatus);
  }
  if (httpStatus === 401 || httpStatus === 403) return 'unauthorized';
  if (httpStatus === 429) return 'rate-limited';
  const mayBeEarlier =
    kind === 'collection' &&
    (REFERENCE.test(`${code ?? ''} ${message ?? ''}`) || speaksOfEarlierPayment(error));
  if (code !== undefined) return mayBeEarlier ? unproven(httpStatus) : 'unlisted-code';
  const byStatus = statusAlone(httpStatus);
  if (byStatus !== undefined) return byStatus;
  return REFUSING_STATUSES.has(httpStatus) && !mayBeEarlier ? 'refused-without-code' : 'unproven-refusal';
}

/** Field messages about these two say that the gateway has them from an earlier request. */
function duplicateField({ errors }: GatewayErrorBody): GatewayCodeEffect | undefined {
  const fields = Object.keys(errors).map((field) => field.toLowerCase());
  if (fields.some((field) => field.includes('idempoten'))) return 'duplicate-request';
  return fields.some((field) => field.includes('reference')) ? 'duplicate-reference' : undefined;
}

/** The specification lists no code for a collection whose reference stands already. */
function speaksOfEarlierPayment({ code = '', message = '', errors }: GatewayErrorBody): boolean {
  return [code, message, ...Object.values(errors).flat()].some((text) => EARLIER_PAYMENT.test(text));
}

/** Whether a listed code refuses under this status: a server that failed, or says 2xx, may have acted all the same. */
function provesRefusal(httpStatus: number): boolean {
  return isClientError(httpStatus) && !SPEAKING_STATUSES.has(httpStatus);
}

/** What an answer means whose refusal its status does not bear out. */
function unproven(httpStatus: number): AnswerMeaning {
  return httpStatus < 300 || httpStatus >= 500
    ? 'unproven-refusal'
    : (statusAlone(httpStatus) ?? 'unproven-refusal');
}

/** What a status says whatever the body holds; undefined for a 4xx that only a readable body explains. */
function statusAlone(httpStatus: number): AnswerMeaning | undefined {
  if (httpStatus === 401 || httpStatus === 403) return 'unauthorized';
  if (httpStatus === 429) return 'rate-limited';
  if (httpStatus === 408 || httpStatus === 409 || httpStatus >= 500) return 'server-error';
  return isClientError(httpStatus) ? undefined : 'bad-answer';
}

function isClientError(httpStatus: number): boolean {
  return httpStatus >= 400 && httpStatus < 500;
}

function isSuccessStatus(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus < 300;
}

function hasFields(errors: GatewayErrorBody['errors']): boolean {
  return Object.keys(errors).length > 0;
}
