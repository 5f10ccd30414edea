import { type JournalRecord, type StoredJournalRecord } from '../common/journal-port.js';
import { type PaymentFamily } from '../common/operations.js';
import { PaymentOutcomeUnknownError } from '../errors/payment-outcome-unknown.error.js';
import { PaymentRejectedError } from '../errors/payment-rejected.error.js';
import { PaymentsError } from '../errors/payments.error.js';
import { evidenceOf } from '../transport/journal/repeated-call.js';

/** The time is up, and the payment is still open. */
export function noOutcome(standing: StoredJournalRecord, timeoutMs: number): PaymentOutcomeUnknownError {
  const { state, operation, reference, idempotencyKey } = standing.record;
  return new PaymentOutcomeUnknownError(
    state === 'accepted' ? 'in-flight' : evidenceOf(standing),
    `No outcome came within ${timeoutMs} ms: the payment is ${state} and stays open.`,
    {
      operation,
      reference,
      idempotencyKey,
      hint: 'Keep it open and wait on: it has not failed, so do not make it again under another reference.',
    },
  );
}

/** Nothing was made under this reference, as far as the journal knows. */
export function notFound(family: PaymentFamily, reference: string): PaymentsError {
  const message = `The journal holds no ${family} under this reference: none was sent, or the storage has forgotten it.`;
  return new PaymentsError('ENTRY_NOT_FOUND', message, { reference });
}

/** The gateway refused before anybody waited. */
export function refused({ operation, reference, idempotencyKey }: JournalRecord): PaymentRejectedError {
  const message = 'The gateway refused this payment: there is no outcome to wait for.';
  return new PaymentRejectedError('REJECTED', message, { operation, reference, idempotencyKey });
}
