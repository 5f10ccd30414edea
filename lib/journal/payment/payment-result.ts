import { type JournalRecord } from '../../storage/journal-store.js';
import { isSealed } from '../../storage/sealed/sealed-value.js';
import { jsonObject } from '../../common/json-object.js';
import { normalizeTzPhone } from '../../common/phone.js';
import { type AttemptInfo, movesMoney, type PaymentOutcome } from '../../common/vocabulary.js';
import { isPaymentsError, type PaymentOutcomeUnknownError } from '../../errors/payments-errors.js';
import { type CallAborted, type CallFailure, type CallResult } from '../../gateway/call-result.js';
import { type MoneyCall, type Payment } from '../../gateway/gateway-call.js';
import { type AnswerEnvelope, type ReadSuccess } from '../../gateway/answer/interpret-try.js';
import {
  asRecord,
  withLastResponse,
  withProvenEnd,
  type PaymentsResponse,
  type WireRecord,
} from '../../gateway/answer/wire-record.js';
import { type Refusal } from './repeated-call.js';
import {
  attemptRefused,
  endNotWritten,
  enlistedRefused,
  stillPlanned,
  referenceReused,
  existingPaymentUnknown,
  keyRefused,
  withoutProof,
} from './repeated-call-errors.js';

/**
 * What the caller of a payment gets, and each caller that joined the call. It differs from `CallResult`: a webhook or
 * an earlier call may decide it, and a call that the journal refuses has no result of the gateway.
 */
export type PaymentResult<T> =
  | { readonly ok: true; readonly value: PaymentsResponse<T> }
  | {
      readonly ok: false;
      readonly error: unknown;
      /**
       * Nothing was sent, for a reason that only this caller has: its signal fired, or its transaction is not
       * committed. A caller that joined makes the call again.
       */
      readonly unsent?: true;
    };

/** The record in the journal after a call, if it could be written. */
export type Recorded =
  | { readonly written: true; readonly existing: JournalRecord | undefined }
  | {
      readonly written: false;
      /** The journal may say that the request left, so `recover()` may probe the payment. */
      readonly mayBeSentAgain: boolean;
    };

const ANSWER_NOT_WRITTEN =
  'the answer could not be written to the journal: a repeated call will not find it there';

/** The result by the answer and the journal: a webhook may have come first. */
export function paymentResult<T extends object>(
  call: MoneyCall<T>,
  result: CallResult<T>,
  recorded: Recorded,
  record: Pick<
    JournalRecord,
    'operation' | 'reference' | 'idempotencyKey' | 'intent' | 'bodyHash' | 'keepsKey' | 'turnedAway'
  >,
): PaymentResult<T> {
  const { idempotencyKey } = record;
  const existing = ofSameBody(recorded, record);
  if (result.end === 'success') {
    const { value, envelope, warnings } = result.success;
    const all = recorded.written ? warnings : [...warnings, ANSWER_NOT_WRITTEN];
    const lastResponse = { idempotencyKey, attempts: result.attempts, warnings: all, ...envelope };
    const outcome = ofSameKey(existing, idempotencyKey)?.outcome;
    return { ok: true, value: withLastResponse(completed(value, call.payment, outcome), lastResponse) };
  }
  if (!recorded.written && recorded.mayBeSentAgain && result.end !== 'unknown') {
    return { ok: false, error: endNotWritten(record, result) };
  }
  if (existing && wasMade(existing)) {
    const attempts = result.end === 'aborted' ? [] : result.error.attempts;
    return { ok: true, value: repeatedAnswer(call, existing, attempts) };
  }
  const unknown = existing && unknownBesideAnotherTry(existing, result.end);
  if (unknown) return { ok: false, error: unknown };
  return result.end === 'aborted'
    ? { ok: false, error: result.reason, unsent: true }
    : { ok: false, error: withoutProof(result.error, record) };
}

/** The result for a caller that joined. A caller that writes into its result changes no other one. */
export function joinedResult(result: PaymentResult<object>): PaymentResult<object> {
  if (!result.ok) return result;
  const { value } = result;
  return { ok: true, value: withLastResponse({ ...value }, value.lastResponse) };
}

/**
 * The result of a call for a planned payment: if the call sent nothing, the payment stays planned, and the error must
 * not say that nothing will be sent.
 */
export function plannedResult<T>(
  result: PaymentResult<T>,
  { end }: Pick<CallResult<T>, 'end'>,
): PaymentResult<T> {
  const hasEnded = end === 'success' || end === 'rejected' || end === 'unknown';
  if (result.ok || hasEnded || !isPaymentsError(result.error)) return result;
  return result.error.mayHaveBeenProcessed === true
    ? result
    : { ...result, error: stillPlanned(result.error) };
}

/**
 * The error if another try of the payment runs or ran meanwhile: the end of this call says nothing about that
 * try.
 */
function unknownBesideAnotherTry(
  existing: JournalRecord,
  end: (CallAborted | CallFailure)['end'],
): PaymentOutcomeUnknownError | undefined {
  const { state, evidence } = existing;
  const isOpen = state === 'unknown' || state === 'in-flight';
  if (!isOpen) return undefined;
  switch (end) {
    case 'unknown':
      // The call has its own evidence.
      return undefined;
    case 'aborted':
      return existingPaymentUnknown(existing, 'aborted');
    case 'rejected':
      return existingPaymentUnknown(existing, 'refused-after-ambiguity');
    default:
      return existingPaymentUnknown(existing, evidence ?? 'in-flight');
  }
}

/** The result of a call that sends nothing because of the existing record. */
export function existingPaymentResult<T extends object>(
  call: MoneyCall<T>,
  existing: JournalRecord,
  refusal: Refusal,
): PaymentResult<T> {
  switch (refusal.act) {
    case 'repeat-answer':
      return { ok: true, value: repeatedAnswer(call, existing) };
    case 'unknown':
      return { ok: false, error: existingPaymentUnknown(existing, refusal.evidence, refusal.damaged) };
    case 'refuse':
      return { ok: false, error: referenceReused(existing, refusal.because, isToAnother(call, existing)) };
    case 'refused':
      return { ok: false, error: enlistedRefused(existing) };
    case 'refuse-attempt':
      return { ok: false, error: attemptRefused(existing, refusal.next) };
    case 'refuse-key':
      return { ok: false, error: keyRefused(existing) };
  }
}

/** What tells recipients of payouts apart. Not their names and networks: a lookup may spell them otherwise the next day. */
const RECIPIENT = ['account_number', 'recipient_phone'] as const;

/** Whether a payment certainly goes to another recipient, as far as the journal keeps its request or the gateway's answer. */
function isToAnother({ body = {} }: Pick<MoneyCall<object>, 'body'>, existing: JournalRecord): boolean {
  const isRequest = existing.body !== undefined;
  const kept = isRequest ? jsonObject(existing.body) : gatewayRecord(existing);
  // The gateway may spell the code of a bank in two ways.
  return [...RECIPIENT, ...(isRequest ? ['bank_code'] : [])].some((field) => {
    const [asked, sent] = [comparable(body[field]), comparable(kept?.[field])];
    return asked !== undefined && sent !== undefined && asked !== sent;
  });
}

/** The gateway may answer with another spelling; undefined for what it masks. */
function comparable(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const known = normalizeTzPhone(value) ?? value.trim().toUpperCase();
  return /^[0-9A-Z]+$/.test(known) ? known : undefined;
}

function wasMade({ state, outcome }: JournalRecord): boolean {
  return state === 'accepted' || (state === 'settled' && movesMoney(outcome));
}

/**
 * After a call has released the reference, another payment may use it. What another process sealed with a key that is missing
 * here is told by its intent.
 */
function ofSameBody(
  recorded: Recorded,
  { bodyHash, intent }: Pick<JournalRecord, 'bodyHash' | 'intent'>,
): JournalRecord | undefined {
  const existing = recorded.written ? recorded.existing : undefined;
  if (!existing) return undefined;
  const isSame =
    existing.bodyHash === bodyHash || (isSealed(existing.bodyHash) && existing.intent === intent);
  return isSame ? existing : undefined;
}

function ofSameKey(existing: JournalRecord | undefined, idempotencyKey: string): JournalRecord | undefined {
  return existing?.idempotencyKey === idempotencyKey ? existing : undefined;
}

/**
 * The result for a payment that the journal holds as accepted or paid.
 *
 * @param attempts The tries of this call; none if it sent nothing.
 */
export function repeatedAnswer<T extends object>(
  call: MoneyCall<T>,
  record: JournalRecord,
  attempts: readonly AttemptInfo[] = [],
): PaymentsResponse<T> {
  const { idempotencyKey, outcome } = record;
  const stored = storedAnswer(record);
  const data = stored && (stored.answer ?? stored).data;
  const read = stored && call.read(data);
  if (!read) return answerless(record, attempts);
  const answer = asRecord(data) ?? {};
  const payload = outcome === undefined ? withProvenEnd(record.family, read, answer) : read;
  const lacking = ASKED.filter((field) => answer[field] == null).map((field) => `the answer has no ${field}`);
  return withLastResponse(completed(payload.value, record, outcome), {
    ...stored.envelope,
    idempotencyKey,
    attempts,
    warnings: [...lacking, ...payload.warnings],
  });
}

const ASKED = ['reference', 'amount', 'currency'] as const satisfies readonly (keyof Payment)[];

/** Fills in what the gateway's record leaves out and the request says. The outcome of a settled payment is its status. */
function completed<T extends object>(
  value: T,
  payment: Pick<JournalRecord, (typeof ASKED)[number]>,
  outcome: PaymentOutcome | undefined,
): T {
  const { reference, amount, currency, status } = value as WireRecord;
  // A number may have been rounded to the reference of another payment.
  const isText = typeof reference === 'string';
  if (isText && amount != null && currency != null && status != null && outcome === undefined) return value;
  return {
    ...value,
    reference: isText ? reference : payment.reference,
    amount: amount ?? payment.amount,
    currency: currency ?? payment.currency,
    status: outcome ?? status ?? 'pending',
  };
}

/** The result if the gateway's record never came or cannot be read. The payment was certainly made. */
function answerless<T extends object>(
  record: JournalRecord,
  attempts: readonly AttemptInfo[],
): PaymentsResponse<T> {
  const { idempotencyKey, outcome } = record;
  return withLastResponse(completed({} as T, record, outcome), {
    code: '',
    message: '',
    httpStatus: 0,
    idempotencyKey,
    attempts,
    warnings: [
      record.answer === undefined
        ? `the gateway's record of this payment was never received: that it was made is known from ${SOURCES[record.settledBy ?? 'status']}`
        : "the gateway's record of this payment cannot be read from the journal: only that it was made is known",
    ],
  });
}

const SOURCES = {
  webhook: 'a webhook',
  status: 'a status query',
  operator: 'PaymentsJournal.settle()',
} as const;

/** The success answer of the gateway, as the journal keeps it. */
interface StoredAnswer {
  readonly envelope: AnswerEnvelope;
  readonly answer?: { readonly data: unknown };
  /** Instead of `answer` in records of older builds. */
  readonly data?: unknown;
}

/** A success answer for the journal. The received text is kept as it is. */
export function answerText({ text, envelope }: Pick<ReadSuccess<unknown>, 'text' | 'envelope'>): string {
  // `join` makes a flat string; a template would make a rope of five, which a memory journal keeps.
  return ['{"envelope":', JSON.stringify(envelope), ',"answer":', text, '}'].join('');
}

/** The gateway's record of a payment in the stored success answer; undefined if there is none. */
export function gatewayRecord(record: JournalRecord): WireRecord | undefined {
  const stored = storedAnswer(record);
  return stored && asRecord((stored.answer ?? stored).data);
}

/** The stored success answer; undefined if there is none, or if it is damaged. */
function storedAnswer({ answer }: JournalRecord): StoredAnswer | undefined {
  const stored = answer === undefined ? undefined : jsonObject(answer);
  return stored?.['envelope'] === undefined ? undefined : (stored as unknown as StoredAnswer);
}
