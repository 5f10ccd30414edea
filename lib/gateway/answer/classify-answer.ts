import { type PaymentFamily } from '../../common/vocabulary.js';
import { GATEWAY_CODES, gatewayCodeInfo, type GatewayCodeEffect } from '../../errors/gateway-codes.js';
import { type CallKind } from '../gateway-call.js';
import { type GatewayErrorBody, type ParsedAnswer, type SuccessEnvelope } from './parse-answer.js';

/**
 * What happened to one try of a call. `classifyAnswer` finds it by the answer; `interpret-attempt.ts` finds it
 * if no answer came, and corrects it if a success answer does not fit the call. `decide-after-attempt.ts`
 * decides what follows from it.
 */
export type AttemptEvent =
  /** Nothing left this machine. */
  | 'not-sent'
  /** Nothing left this machine: an interceptor of the application changed what must not change. */
  | 'request-changed'
  /** Nothing left this machine: the account waits after a 429, longer than the call can. */
  | 'held-back'
  /** The caller's signal fired before anything left this machine. */
  | 'aborted-unsent'
  /** The caller's signal fired afterwards. */
  | 'aborted'
  /** Bytes may have left, and no complete answer came. */
  | 'no-answer'
  | 'success'
  /** A success answer that names another reference, amount or currency. */
  | 'echo-mismatch'
  /** `refused`: by a listed code or by field messages, under a status that fits. */
  | GatewayCodeEffect
  /** An error answer without a code, under a status that refuses. */
  | 'refused-without-code'
  /** An answer that looks like a refusal of a payment and proves nothing. */
  | 'unproven-refusal'
  | 'unlisted-code'
  | 'rate-limited'
  | 'redirect'
  | 'server-error'
  | 'bad-answer';

/**
 * With these statuses servers refuse a request before they act on it. That is enough to refuse a collection,
 * because it keeps its key.
 */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 411, 413, 415, 422]);
/** Under these statuses a code that refuses proves nothing: each has a meaning of its own, for example 429. */
const OVERRULING_STATUSES: ReadonlySet<number> = new Set([401, 403, 408, 425, 429, 499]);
/** These words may be about an earlier payment instead of refusing this one. */
const EARLIER_PAYMENT =
  /idempoten|duplicat|already|unique|previous|progress|pending|process(?:ed|ing)|repeat|in[ -]use|\b(?:taken|(?:re)?used|exist(?:s|ed|ing)?)\b/i;
/**
 * The fields of the specification's requests. A message about another field may report what happened after
 * the payment.
 */
const REQUEST_FIELDS: ReadonlySet<string> = new Set([
  'account_name',
  'account_number',
  'amount',
  'bank_code',
  'channel',
  'currency',
  'customer_email',
  'customer_name',
  'metadata',
  'network',
  'phone',
  'recipient_name',
  'recipient_phone',
  'remarks',
]);
/** An answer whose code names no cause refuses only if it does not mention the reference. */
const REFERENCE = /reference/i;

/** What a complete answer can mean: never that nothing was sent. */
type AnswerEvent = Exclude<
  AttemptEvent,
  'not-sent' | 'request-changed' | 'held-back' | 'aborted-unsent' | 'aborted' | 'no-answer' | 'echo-mismatch'
>;

/** Classifies an answer: by body code first, by HTTP status second. */
export function classifyAnswer(
  kind: CallKind,
  httpStatus: number,
  answer: ParsedAnswer,
  refusalCodes: ReadonlySet<string | undefined>,
): AnswerEvent {
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

/** A success envelope under an error status, or with the code of an error, contradicts itself. */
function classifySuccess(httpStatus: number, { code, data }: SuccessEnvelope): AnswerEvent {
  if (httpStatus >= 500) return 'server-error';
  if (Object.hasOwn(GATEWAY_CODES, code)) return 'bad-answer';
  return httpStatus < 300 && data != null ? 'success' : 'bad-answer';
}

/** A read moves no money, so its code counts under any status and it cannot be a duplicate. */
function classifyReadError(
  httpStatus: number,
  { code, errors }: GatewayErrorBody,
  refusalCodes: ReadonlySet<string | undefined>,
): AnswerEvent {
  const effect = gatewayCodeInfo(code)?.effect;
  if (effect === 'duplicate-request' || effect === 'duplicate-reference') return 'unlisted-code';
  if (effect !== undefined) return effect;
  if (refusalCodes.has(code) || hasFields(errors)) return 'refused';
  if (httpStatus === 401 || httpStatus === 403) return 'unauthorized';
  if (httpStatus === 429) return 'rate-limited';
  if (code !== undefined) return 'unlisted-code';
  return statusAlone(httpStatus) ?? 'refused-without-code';
}

function classifyPaymentError(
  kind: PaymentFamily,
  httpStatus: number,
  error: GatewayErrorBody,
  refusalCodes: ReadonlySet<string | undefined>,
): AnswerEvent {
  const effect = duplicateField(error) ?? gatewayCodeInfo(error.code)?.effect;
  const isVouchedFor = refusalCodes.has(error.code);
  const isUnambiguous = !error.mayHoldRecord && !speaksOfEarlierPayment(error) && isAboutRequest(error);
  switch (effect) {
    case 'duplicate-request':
    case 'duplicate-reference':
    case 'provider-error':
      return effect;
    case 'unauthorized':
      return provesRefusal(httpStatus) ? 'unauthorized' : unproven(httpStatus);
    case 'refused':
    case undefined:
      if (isVouchedFor) return refusedByMerchant(httpStatus) ? 'refused' : unproven(httpStatus);
      if (effect === 'refused')
        return isUnambiguous && refusesUnder(httpStatus, error.code) ? 'refused' : unproven(httpStatus);
      return error.code === undefined && hasFields(error.errors) && isUnambiguous && refusesUnder(httpStatus)
        ? 'refused'
        : classifyUnlisted(kind, httpStatus, error);
  }
}

/** `refusalCodes` counts more than the status, because some gateways refuse with HTTP 200. */
function refusedByMerchant(httpStatus: number): boolean {
  return isSuccessStatus(httpStatus) || provesRefusal(httpStatus);
}

/** Whether a refusal counts. A 409 may be a conflict with this payment if the code names no cause. */
function refusesUnder(httpStatus: number, code = 'INVALID_REQUEST'): boolean {
  return provesRefusal(httpStatus) && (httpStatus !== 409 || code !== 'INVALID_REQUEST');
}

/** A server that answers 5xx or 2xx may have acted. The specification does not give a status for refusals. */
function provesRefusal(httpStatus: number): boolean {
  return isClientError(httpStatus) && !OVERRULING_STATUSES.has(httpStatus);
}

function isAboutRequest({ errors }: GatewayErrorBody): boolean {
  return Object.keys(errors).every((path) => REQUEST_FIELDS.has(path.split('.', 1).join()));
}

/** Classifies an error without a code that refuses; it may have field messages. */
function classifyUnlisted(kind: PaymentFamily, httpStatus: number, error: GatewayErrorBody): AnswerEvent {
  const { code, errors } = error;
  if (
    code === undefined &&
    hasFields(errors) &&
    (speaksOfEarlierPayment(error) || !isClientError(httpStatus))
  )
    return unproven(httpStatus);
  if (httpStatus === 401 || httpStatus === 403) return 'unauthorized';
  if (httpStatus === 429) return 'rate-limited';
  const mayBeEarlier =
    kind === 'collection' && (error.mayHoldRecord || says(error, REFERENCE) || speaksOfEarlierPayment(error));
  if (code !== undefined) return mayBeEarlier ? unproven(httpStatus) : 'unlisted-code';
  const byStatus = statusAlone(httpStatus);
  if (byStatus !== undefined) return byStatus;
  return REFUSING_STATUSES.has(httpStatus) && !mayBeEarlier ? 'refused-without-code' : 'unproven-refusal';
}

/** A message about one of these fields says that the gateway knows its value from an earlier request. */
function duplicateField({ errors }: GatewayErrorBody): GatewayCodeEffect | undefined {
  const fields = Object.keys(errors).map((field) => field.toLowerCase());
  if (fields.some((field) => field.includes('idempoten'))) return 'duplicate-request';
  return fields.some((field) => field.includes('reference')) ? 'duplicate-reference' : undefined;
}

/** The specification lists no code for a collection whose reference is in use. */
function speaksOfEarlierPayment(error: GatewayErrorBody): boolean {
  const namesNoCause = error.code === undefined || error.code === 'INVALID_REQUEST';
  return says(error, EARLIER_PAYMENT) || (namesNoCause && says(error, REFERENCE));
}

/** Whether the texts of the answer match, as one text: a gateway may spread a sentence over several. */
function says({ code = '', message = '', errors }: GatewayErrorBody, pattern: RegExp): boolean {
  return pattern.test([code, message, ...Object.values(errors).flat()].join(' '));
}

/** Classifies a refusal that its status does not prove. */
function unproven(httpStatus: number): AnswerEvent {
  return (isClientError(httpStatus) ? statusAlone(httpStatus) : undefined) ?? 'unproven-refusal';
}

/** Classifies by the status alone. Undefined for a 4xx that needs a readable body. */
function statusAlone(httpStatus: number): AnswerEvent | undefined {
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
