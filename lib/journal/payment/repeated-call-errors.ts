import { type JournalKey, type JournalRecord, type PaymentTombstone } from '../../storage/journal-store.js';
import { type OutcomeEvidence } from '../../common/vocabulary.js';
import {
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  PaymentsError,
  PaymentsStorageError,
  type PaymentsValidationError,
  type PaymentsErrorDetails,
  ReferenceReusedError,
} from '../../errors/payments-errors.js';
import { PaymentsOverloadError } from '../../errors/payments-overload.error.js';
import { type CallAborted, type CallFailure } from '../../gateway/call-result.js';
import { type MoneyCall } from '../../gateway/gateway-call.js';
import { outcomeUnknownError } from '../../gateway/call-error.js';
import { type ReuseReason } from './repeated-call.js';
import { wrongRequest } from '../../gateway/validation/wrong-request.js';

type ExistingPayment = Pick<JournalRecord, 'operation' | 'reference'> & { readonly idempotencyKey?: string };

/** The error for a payment whose outcome was unknown before this call, which sent nothing. */
export function existingPaymentUnknown(
  payment: ExistingPayment,
  evidence: OutcomeEvidence,
  damaged?: string,
): PaymentOutcomeUnknownError {
  if (damaged !== undefined) return unreadable(payment, evidence, damaged);
  return outcomeUnknownError(evidence, {}, detailsOf(payment));
}

/** Nothing is sent for a payment that the journal holds and cannot read, because it may have been made. */
function unreadable(
  payment: ExistingPayment,
  evidence: OutcomeEvidence,
  damaged: string,
): PaymentOutcomeUnknownError {
  return new PaymentOutcomeUnknownError(
    evidence,
    `Nothing was sent by this call: the journal holds this payment and cannot read it, because ${damaged}.`,
    {
      ...detailsOf(payment),
      hint: 'Fix that, then make the same call again; or ask the gateway what happened, and write it down with PaymentsJournal.settle().',
    },
  );
}

/**
 * The error for a call that failed and whose end could not be written: recovery takes it for interrupted, and
 * another process may probe the payment.
 */
export function endNotWritten(
  payment: ExistingPayment,
  result: CallAborted | CallFailure,
): PaymentOutcomeUnknownError {
  const attempts = result.end === 'aborted' ? undefined : result.error.attempts;
  return new PaymentOutcomeUnknownError(
    'interrupted',
    'The gateway did not take this payment now, but that could not be written to the journal: PaymentsJournal.recover() may send it once more, with the same key.',
    {
      ...detailsOf(payment),
      attempts,
      hint: 'Make the same call again once the storage answers; do not pay under another reference before the journal says what happened to this one.',
    },
  );
}

/** The error of a call that sent nothing for a planned payment. */
export function stillPlanned(error: PaymentsError, hint = STILL_PLANNED): PaymentsError {
  return notByThisCall(error, hint);
}

/** The error of a call that sent nothing for a payment that an earlier call may have made. */
export function notByThisCall(error: PaymentsError, hint: string): PaymentsError {
  // A call may say it twice of one error, which may have had no hint of its own.
  return Object.defineProperties(error, {
    hint: { value: hint, enumerable: true, configurable: true },
    mayHaveBeenProcessed: { value: 'not-by-this-call', enumerable: true, configurable: true },
  });
}

/** The error for an enlisted payment that the journal does not hold. */
export function notEnlisted({ operation, reference }: ExistingPayment): PaymentsError {
  return new NotEnlistedError(
    'ENTRY_NOT_FOUND',
    'The journal does not hold this payment, so nothing was sent: its transaction was rolled back, or is not committed yet.',
    { operation, reference, hint: 'Commit the transaction, then call send().' },
  );
}

/**
 * The error for a payment that was refused at the door; without its call if its account is not known yet. The journal
 * may hold an earlier call of it, which nobody has looked up.
 */
export function tooManyPayments(call?: MoneyCall<object>): PaymentsOverloadError {
  return new PaymentsOverloadError(
    'Nothing was sent or written by this call: this process has as many payments in flight as the option maxInFlight allows.',
    {
      operation: call?.operation,
      reference: call?.payment.reference,
      hint: 'Make the same call again after retryAfterMs; recover() sends an enlisted payment, too. If the reference was used before, that earlier call may have been processed.',
    },
    'not-by-this-call',
  );
}

/** The error for a payment that cannot be enlisted yet, because a direct call may be making it, or may wake up and remove it. */
export function mayYetSendNothing(
  record: JournalRecord,
  evidence: OutcomeEvidence,
): PaymentOutcomeUnknownError {
  const isUnderWay = evidence === 'in-flight';
  return new PaymentOutcomeUnknownError(
    evidence,
    `The payment was not enlisted: a call of the same payment ${isUnderWay ? 'is under way' : 'was interrupted'}, and may yet send nothing.`,
    {
      ...detailsOf(record),
      hint: `Roll the transaction back, and run it again when ${isUnderWay ? 'the call has ended' : 'PaymentsJournal.recover() has looked at the payment'}.`,
    },
  );
}

/** The error for an enlisted payment that the gateway refused when it was sent. */
export function enlistedRefused({
  operation,
  reference,
  idempotencyKey,
  keepsKey,
}: JournalRecord): PaymentsError {
  const hint = keepsKey
    ? SAME_AGAIN
    : 'Correct the cause and enlist it again, or call the service: that is the next attempt.';
  const details = { operation, reference, idempotencyKey, hint };
  return new PaymentRejectedError(
    'REJECTED',
    'The gateway has refused this payment.',
    details,
    {},
    !keepsKey,
  );
}

/**
 * The error of a call of an attempt. If an earlier refusal of it proved nothing, no later one proves that it made
 * nothing, and a later call that sent nothing says nothing of the earlier one.
 */
export function withoutProof(
  error: PaymentsError,
  { keepsKey, turnedAway }: Pick<JournalRecord, 'keepsKey' | 'turnedAway'>,
): PaymentsError {
  if (!keepsKey) return error;
  if (!(error instanceof PaymentRejectedError)) {
    const isOpen = !turnedAway && error.mayHaveBeenProcessed === false;
    return isOpen ? notByThisCall(error, [error.hint, SAME_AGAIN].filter(Boolean).join(' ')) : error;
  }
  const { name, code, errors, final, retryable, mayHaveBeenProcessed, ...details } = error;
  return new PaymentRejectedError(code, error.message, { ...details, hint: SAME_AGAIN }, errors, false);
}

/** An open transaction may yet be committed, and its payment sent. */
class NotEnlistedError extends PaymentsError {
  override readonly mayHaveBeenProcessed = 'not-by-this-call';
}

/** The reference certainly belongs to a payment to another recipient: whatever became of that one says nothing of this one. */
export class AnotherRecipientError extends ReferenceReusedError {}

/** The error for a reference that cannot be used for this call. */
export function referenceReused(
  record: ExistingPayment & Pick<JournalRecord, 'state' | 'settledBy'>,
  because: ReuseReason,
  isToAnother = false,
): ReferenceReusedError {
  const type = isToAnother ? AnotherRecipientError : ReferenceReusedError;
  return new type(
    `Nothing was sent by this call: the reference ${WHY[because]}${because === 'another-payment' || because === 'another-key' ? STATES[record.state] : ''}.`,
    { ...detailsOf(record), hint: hintFor(record, because) },
    because !== 'ended',
  );
}

/** The error for a reference whose payment the journal has forgotten. */
export function referenceForgotten(
  payment: ExistingPayment,
  { end, settledBy }: PaymentTombstone,
): ReferenceReusedError {
  return new ReferenceReusedError(
    `Nothing was sent by this call: the reference belongs to an earlier payment that ${FORGOTTEN[end]}. The journal has forgotten everything else about it.`,
    {
      ...detailsOf(payment),
      hint: end === 'unlisted-refusal' || settledBy === 'operator' ? ASK_FIRST : NEW_REFERENCE,
    },
    end === 'accepted' || end === 'unlisted-refusal' || end === 'success' || end === 'paid',
  );
}

/**
 * The error for a payment that the storage did not write down.
 *
 * @param once When the same call may work.
 */
export function paymentNotWritten(
  { family, reference }: JournalKey,
  once = 'the storage answers',
): PaymentsStorageError {
  return new PaymentsStorageError(
    `The journal could not be written, so this call sent nothing for this ${family}.`,
    {
      reference,
      hint: `Make the same call again once ${once}. If the reference was used before, that earlier call may have been processed.`,
    },
    'not-by-this-call',
  );
}

/** The error for an `attempt` that has ended: the gateway refused it, or an operator says `failed`. */
export function attemptRefused(
  { operation, reference }: ExistingPayment,
  next: number,
): PaymentsValidationError {
  return wrongRequest(
    {
      attempt: [`options.attempt has ended already: leave it out, or write ${next}, the next one`],
    },
    { operation, reference },
  );
}

/** The error for a key of the caller's that belongs to an attempt that has ended. */
export function keyRefused({ operation, reference }: ExistingPayment): PaymentsValidationError {
  return wrongRequest(
    {
      idempotencyKey: [
        'options.idempotencyKey belongs to an attempt that has ended: leave it out, or write one that was never sent',
      ],
    },
    { operation, reference },
  );
}

const WHY: Readonly<Record<ReuseReason, string>> = {
  'another-payment': 'belongs to a payment with another body or through another operation, which ',
  'another-key': 'belongs to a payment under another idempotency key, which ',
  ended: 'belongs to a payment that has ended without success',
  erased: 'belongs to a payment that was made, and whose personal data was erased',
  'unlisted-refusal':
    'belongs to a payment with another body or idempotency key, which the gateway refused or turned away without a listed refusal',
};

const STATES: Readonly<Record<JournalRecord['state'], string>> = {
  planned: 'is planned and will be sent',
  'in-flight': 'is being made',
  accepted: 'the gateway has accepted',
  rejected: 'was refused',
  unknown: 'may have been made',
  settled: 'was made',
};

const FORGOTTEN: Readonly<Record<PaymentTombstone['end'], string>> = {
  accepted: 'the gateway has accepted',
  rejected: 'the gateway refused',
  'unlisted-refusal': 'the gateway refused or turned away without a listed refusal',
  success: 'was made',
  paid: 'was made',
  failed: 'has failed',
  cancelled: 'was cancelled',
  expired: 'has expired',
};

const STILL_PLANNED =
  'The payment stays planned: PaymentsJournal.recover() sends it, or the same call made again. Only PaymentsJournal.settle() with the outcome failed gives it up.';
const NEW_REFERENCE = 'Use a new reference for every payment.';
const ASK_FIRST =
  'Ask the gateway what happened to it, and use a new reference only after the gateway confirmed that it made nothing.';
const WAIT =
  'Wait for the outcome of the payment with this reference before making another one; every other payment needs a reference of its own.';

/** The hint for a refusal that proves nothing. */
export const SAME_AGAIN =
  'Make the same call again with the same reference and content, or ask the gateway. Use a new reference, or list the code in the refusalCodes option, only after the gateway confirmed that it made nothing.';

function hintFor(
  { state, settledBy }: Pick<JournalRecord, 'state' | 'settledBy'>,
  because: ReuseReason,
): string {
  if (because === 'unlisted-refusal') return SAME_AGAIN;
  // Only a person said that no money moved.
  if (because === 'ended' && settledBy === 'operator') return ASK_FIRST;
  return state === 'settled' || because === 'ended' ? NEW_REFERENCE : WAIT;
}

function detailsOf({ operation, reference, idempotencyKey }: ExistingPayment): PaymentsErrorDetails {
  return { operation, reference, idempotencyKey };
}
