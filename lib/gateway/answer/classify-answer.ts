import { type PaymentFamily } from '../../common/vocabulary.js';
import { GATEWAY_CODES, gatewayCodeInfo, type GatewayCodeEffect } from '../../errors/gateway-codes.js';
import { type CallKind } from '../gateway-call.js';
import { type GatewayErrorBody, type ParsedAnswer, type SuccessEnvelope } from './parse-answer.js';

/**
 * What happened to one try of a call. `classifyAnswer` finds it by the answer; `interpret-try.ts` finds it
 * if no answer came, and corrects it if a success answer does not fit the call. `decide-after-try.ts`
 * decides what follows from it.
 */
export type TryEvent =
  /** Nothing left this machine. */
  | 'not-sent'
  /** Nothing left this machine: the application has stopped, and no further try finds a connection. */
  | 'stopped'
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
/** Nobody was paid who does not exist. Of a payment, a transaction or an order these words say less. */
const NOBODY =
  /\b(?:account|bank|beneficiary|branch|customer|recipient|subscriber|wallet|(?:account|phone) number|bank code)s? do(?:es)?(?: not|n['’]t) exist\b/gi;
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
  TryEvent,
  | 'not-sent'
  | 'stopped'
  | 'request-changed'
  | 'held-back'
  | 'aborted-unsent'
  | 'aborted'
  | 'no-answer'
  | 'echo-mismatch'
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
  if (code !== undefined) return turnedAway(httpStatus) ?? 'unlisted-code';
  return statusAlone(httpStatus) ?? 'refused-without-code';
}

function classifyPaymentError(
  kind: PaymentFamily,
  httpStatus: number,
  error: GatewayErrorBody,
  refusalCodes: ReadonlySet<string | undefined>,
): AnswerEvent {
  const effect = effectOf(error);
  const isVouched = refusalCodes.has(error.code);
  switch (effect) {
    case 'duplicate-request':
    case 'duplicate-reference':
    case 'provider-error':
      return effect;
    case 'unauthorized':
      return provesRefusal(httpStatus) ? effect : unproven(httpStatus);
    case 'refused':
      return refusesPayment(httpStatus, error, isVouched) ? effect : unproven(httpStatus);
    case undefined:
      if (isVouched) return mayRefuse(httpStatus, isVouched) ? 'refused' : unproven(httpStatus);
      return error.code === undefined
        ? classifyUncoded(kind, httpStatus, error)
        : classifyUnlistedCode(kind, httpStatus, error);
  }
}

/**
 * The effect by the specification. A message for the field of the key or of the reference counts more than the
 * code: the gateway knows the value from an earlier request.
 */
function effectOf({ code, errors }: GatewayErrorBody): GatewayCodeEffect | undefined {
  const fields = Object.keys(errors).map((field) => field.toLowerCase());
  if (fields.some((field) => field.includes('idempoten'))) return 'duplicate-request';
  if (fields.some((field) => field.includes('reference'))) return 'duplicate-reference';
  return gatewayCodeInfo(code)?.effect;
}

function classifyUnlistedCode(kind: PaymentFamily, httpStatus: number, error: GatewayErrorBody): AnswerEvent {
  if (leavesCollectionOpen(kind, error)) return unproven(httpStatus);
  return turnedAway(httpStatus) ?? 'unlisted-code';
}

/** Classifies an error without a code. It may have messages by field. */
function classifyUncoded(kind: PaymentFamily, httpStatus: number, error: GatewayErrorBody): AnswerEvent {
  if (hasFields(error.errors)) {
    if (refusesPayment(httpStatus, error)) return 'refused';
    if (speaksOfEarlierPayment(error) || !isClientError(httpStatus)) return unproven(httpStatus);
  }
  const refuses = REFUSING_STATUSES.has(httpStatus) && !leavesCollectionOpen(kind, error);
  return statusAlone(httpStatus) ?? (refuses ? 'refused-without-code' : 'unproven-refusal');
}

/** Some gateways refuse with HTTP 200, and the merchant vouches for the code. */
function mayRefuse(httpStatus: number, isVouched: boolean): boolean {
  return provesRefusal(httpStatus) || (isVouched && isSuccessStatus(httpStatus));
}

/**
 * Whether a listed code or messages by field refuse, and nothing in the answer leaves that open.
 *
 * @param isVouched The code is in `refusalCodes`: it refuses inside HTTP 200 and beside a record, too. What the
 * answer says of an earlier payment still counts more, because the specification's codes are used for that, too.
 */
function refusesPayment(httpStatus: number, error: GatewayErrorBody, isVouched = false): boolean {
  const mayBeConflict = httpStatus === 409 && namesNoCause(error);
  const mayHoldRecord = error.mayHoldRecord && !isVouched;
  const isOpen = mayBeConflict || mayHoldRecord || speaksOfEarlierPayment(error);
  return mayRefuse(httpStatus, isVouched) && !isOpen && isAboutRequest(error);
}

/** A server that answers 5xx or 2xx may have acted. The specification does not give a status for refusals. */
function provesRefusal(httpStatus: number): boolean {
  return isClientError(httpStatus) && !OVERRULING_STATUSES.has(httpStatus);
}

function isAboutRequest({ errors }: GatewayErrorBody): boolean {
  return Object.keys(errors).every((path) => REQUEST_FIELDS.has(path.split('.', 1).join()));
}

/** The specification lists no code for a collection whose reference is in use. */
function speaksOfEarlierPayment(error: GatewayErrorBody): boolean {
  return says(error, EARLIER_PAYMENT) || (namesNoCause(error) && says(error, REFERENCE));
}

/**
 * Whether an answer that refuses nothing by its code or by messages for fields may be about an earlier
 * collection. Payouts need no such check: `decide-after-try.ts` leaves them unknown.
 */
function leavesCollectionOpen(kind: PaymentFamily, error: GatewayErrorBody): boolean {
  const mayBeEarlier = error.mayHoldRecord || says(error, EARLIER_PAYMENT) || says(error, REFERENCE);
  return kind === 'collection' && mayBeEarlier;
}

function namesNoCause({ code }: GatewayErrorBody): boolean {
  return code === undefined || code === 'INVALID_REQUEST';
}

/** Whether the texts of the answer match, as one text: a gateway may spread a sentence over several. */
function says({ code = '', message = '', errors }: GatewayErrorBody, pattern: RegExp): boolean {
  const text = [code, message, ...Object.values(errors).flat()].join(' ');
  return pattern.test(text.replace(NOBODY, ''));
}

/** Classifies a refusal that its status does not prove. */
function unproven(httpStatus: number): AnswerEvent {
  return (isClientError(httpStatus) ? statusAlone(httpStatus) : undefined) ?? 'unproven-refusal';
}

/** Classifies by the status alone. Undefined for a 4xx that needs a readable body. */
function statusAlone(httpStatus: number): AnswerEvent | undefined {
  if (httpStatus === 408 || httpStatus === 409 || httpStatus >= 500) return 'server-error';
  return isClientError(httpStatus) ? turnedAway(httpStatus) : 'bad-answer';
}

/** 401 and 403 refuse the credentials, 429 the number of requests. Undefined for every other status. */
function turnedAway(httpStatus: number): AnswerEvent | undefined {
  if (httpStatus === 401 || httpStatus === 403) return 'unauthorized';
  return httpStatus === 429 ? 'rate-limited' : undefined;
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
