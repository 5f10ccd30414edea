import { type JournalEntry } from '../../common/journal-entry.js';
import {
  type StoredJournalRecord,
  type JournalRecord,
  type PaymentTombstone,
} from '../../storage/journal-store.js';
import { unreadable } from '../../storage/sealed/sealed-journal.js';
import {
  movesMoney,
  type OutcomeEvidence,
  type PaymentFamily,
  type PaymentOutcome,
} from '../../common/vocabulary.js';
import {
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  PaymentsError,
  type PaymentsErrorDetails,
} from '../../errors/payments-errors.js';
import { isAnotherAttempt } from '../payment/journal-transitions.js';
import { evidenceOf, isRefusedForGood } from '../payment/repeated-call.js';
import { SAME_AGAIN } from '../payment/repeated-call-errors.js';

/** A record without request and answer, which hold personal data. */
export function journalEntry(existing: StoredJournalRecord): JournalEntry {
  const { record, createdAt, updatedAt } = existing;
  const damaged = unreadable(existing);
  const { account, family, operation, reference, amount, attempt, idempotencyKey, state } = record;
  return {
    account,
    family,
    operation,
    reference,
    amount,
    attempt,
    idempotencyKey,
    state,
    ...(record.outcome !== undefined && { outcome: record.outcome }),
    ...(state === 'rejected' && { final: isRefusedForGood(existing) }),
    ...(record.evidence !== undefined && { evidence: record.evidence }),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    ...(damaged !== undefined && { damaged }),
  };
}

/** There is no entry, or not the expected one. Its payment may have been made. */
class JournalEntryError extends PaymentsError {
  constructor(
    code: string,
    message: string,
    details: PaymentsErrorDetails,
    override readonly mayHaveBeenProcessed: boolean | 'not-by-this-call',
  ) {
    super(code, message, details);
  }
}

export const MAY_BE_MADE: ReadonlySet<PaymentTombstone['end']> = new Set([
  'accepted',
  'unlisted-refusal',
  'success',
  'paid',
]);

/** What a wait ended with that found no outcome. */
interface OpenPayment {
  readonly evidence: OutcomeEvidence;
  readonly why: string;
  readonly hint?: string;
}

const WAIT_ON =
  'Keep it open and keep waiting: it has not failed, so do not make it again under another reference.';

/** The error for a wait without an outcome: the payment was refused for good, or the time is up. */
export function noOutcome(
  existing: StoredJournalRecord,
  timeoutMs: number,
): PaymentRejectedError | PaymentOutcomeUnknownError {
  if (isRefusedForGood(existing)) return refused(existing.record);
  const { operation, reference, idempotencyKey } = existing.record;
  const { evidence, why, hint = WAIT_ON } = openPayment(existing);
  const message = `No outcome came within ${timeoutMs} ms: ${why}.`;
  return new PaymentOutcomeUnknownError(evidence, message, { operation, reference, idempotencyKey, hint });
}

/** @param existing Undefined if the journal had not answered yet. */
export function cutShort(reference: string, existing?: StoredJournalRecord): PaymentOutcomeUnknownError {
  const evidence = existing ? openPayment(existing).evidence : 'in-flight';
  const { operation, idempotencyKey } = existing?.record ?? {};
  const message = 'The application stops, so nobody waits for the outcome any more: the payment stays open.';
  const hint =
    'Keep it open and wait again when the application runs: it has not failed, so do not make it again under another reference.';
  return new PaymentOutcomeUnknownError(evidence, message, { operation, reference, idempotencyKey, hint });
}

function openPayment(existing: StoredJournalRecord): OpenPayment {
  const { record } = existing;
  const { state } = record;
  const damaged = unreadable(existing);
  const why = `the payment is ${state} and stays open`;
  if (state === 'accepted' || state === 'planned') return { evidence: 'in-flight', why };
  if (state !== 'rejected') return { evidence: evidenceOf(existing), why };
  if (damaged !== undefined) {
    return { evidence: 'interrupted', why: `the journal cannot read the payment, because ${damaged}` };
  }
  return { evidence: 'unlisted-code', why: TURNED_AWAY, hint: SAME_AGAIN };
}

const TURNED_AWAY =
  'the gateway refused the payment or turned it away without a listed refusal, so it stays open';

export function notFound(
  family: PaymentFamily,
  reference: string,
  tombstone?: PaymentTombstone,
): PaymentsError {
  if (tombstone) return forgotten(family, reference, tombstone);
  const message = `The journal holds no ${family} under this reference: none was sent, or the storage has lost it.`;
  return new JournalEntryError('ENTRY_NOT_FOUND', message, { reference }, 'not-by-this-call');
}

function forgotten(
  family: PaymentFamily,
  reference: string,
  { end, attempt }: PaymentTombstone,
): PaymentsError {
  const message = `The journal has forgotten this ${family}: all that is left is that attempt ${attempt} was the last one, and its end "${end}".`;
  return new JournalEntryError('ENTRY_FORGOTTEN', message, { reference }, MAY_BE_MADE.has(end));
}

/**
 * The entry of a payment that was settled, or was before.
 *
 * @param attempt The one that was meant; undefined: whichever is the last one.
 * @throws PaymentsError with the code `ANOTHER_ATTEMPT`, `SENT_AGAIN` or `ALREADY_SETTLED`.
 */
export function settledEntry(
  existing: StoredJournalRecord,
  outcome: PaymentOutcome,
  attempt: number | undefined,
): JournalEntry {
  if (isAnotherAttempt(existing.record, attempt)) throw anotherAttempt(existing.record);
  if (existing.record.outcome === outcome) return journalEntry(existing);
  throw existing.record.state === 'settled' ? alreadySettled(existing.record) : sentAgain(existing.record);
}

const IS_FINAL =
  'Do not pay again, under this reference or another. If the gateway says otherwise, its webhook wins over an operator, or reconciliation ' +
  'shows a "status" exception to explain.';

export function alreadySettled({ reference, outcome, settledBy }: JournalRecord): PaymentsError {
  const message = `The payment has ended already, as ${outcome ?? 'something else'}: an outcome is final.`;
  return new JournalEntryError(
    'ALREADY_SETTLED',
    message,
    // After a webhook or a status answer that no money moved, a new reference is right.
    { reference, ...((settledBy === 'operator' || movesMoney(outcome)) && { hint: IS_FINAL }) },
    !outcome || MAY_BE_MADE.has(outcome),
  );
}

function anotherAttempt({ reference, attempt }: JournalRecord): PaymentsError {
  const message = `Nothing was settled: attempt ${attempt} is the last one of this reference, and another attempt was meant.`;
  return new JournalEntryError('ANOTHER_ATTEMPT', message, { reference }, true);
}

function sentAgain({ reference }: JournalRecord): PaymentsError {
  const message = 'Nothing was settled: the payment was sent again after it had failed.';
  return new JournalEntryError('SENT_AGAIN', message, { reference }, true);
}

function refused({ operation, reference, idempotencyKey }: JournalRecord): PaymentRejectedError {
  const message = 'The gateway refused this payment: there is no outcome to wait for.';
  const hint = 'Correct the cause, then call the service again with the reference: that is the next attempt.';
  return new PaymentRejectedError('REJECTED', message, { operation, reference, idempotencyKey, hint });
}
