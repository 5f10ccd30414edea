import { type JournalEntry } from '../../common/journal-entry.js';
import {
  type StoredJournalRecord,
  type JournalRecord,
  type PaymentTombstone,
} from '../../storage/journal-store.js';
import { type PaymentFamily } from '../../common/vocabulary.js';
import {
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  PaymentsError,
  type PaymentsErrorDetails,
} from '../../errors/payments-errors.js';
import { evidenceOf } from '../payment/repeated-call.js';

/** A record without request and answer, which hold personal data. */
export function journalEntry({ record, createdAt, updatedAt, damaged }: StoredJournalRecord): JournalEntry {
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
    ...(state === 'rejected' && { final: damaged === undefined && !record.keepsKey }),
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

const MAY_BE_MADE: ReadonlySet<PaymentTombstone['end']> = new Set([
  'accepted',
  'unlisted-refusal',
  'success',
  'paid',
]);

export function noOutcome(existing: StoredJournalRecord, timeoutMs: number): PaymentOutcomeUnknownError {
  const { state, operation, reference, idempotencyKey } = existing.record;
  return new PaymentOutcomeUnknownError(
    state === 'accepted' || state === 'planned' ? 'in-flight' : evidenceOf(existing),
    `No outcome came within ${timeoutMs} ms: the payment is ${state} and stays open.`,
    {
      operation,
      reference,
      idempotencyKey,
      hint: 'Keep it open and wait on: it has not failed, so do not make it again under another reference.',
    },
  );
}

export function notFound(family: PaymentFamily, reference: string): PaymentsError {
  const message = `The journal holds no ${family} under this reference: none was sent, or the storage has lost it.`;
  return new JournalEntryError('ENTRY_NOT_FOUND', message, { reference }, 'not-by-this-call');
}

export function forgotten(
  family: PaymentFamily,
  reference: string,
  { end, attempt }: PaymentTombstone,
): PaymentsError {
  const message = `The journal has forgotten this ${family}: all that is left is that attempt ${attempt} was the last one, and its end "${end}".`;
  return new JournalEntryError('ENTRY_FORGOTTEN', message, { reference }, MAY_BE_MADE.has(end));
}

export function alreadySettled({ reference, outcome }: JournalRecord): PaymentsError {
  const message = `The payment has ended already, as ${outcome ?? 'something else'}: an outcome is final.`;
  return new JournalEntryError(
    'ALREADY_SETTLED',
    message,
    { reference },
    !outcome || MAY_BE_MADE.has(outcome),
  );
}

export function refused({ operation, reference, idempotencyKey }: JournalRecord): PaymentRejectedError {
  const message = 'The gateway refused this payment: there is no outcome to wait for.';
  return new PaymentRejectedError('REJECTED', message, { operation, reference, idempotencyKey });
}
