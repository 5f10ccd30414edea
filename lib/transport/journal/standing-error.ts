import { type JournalRecord } from '../../common/journal-port.js';
import { type OutcomeEvidence } from '../../common/outcome-evidence.js';
import { type PaymentOutcomeUnknownError } from '../../errors/payment-outcome-unknown.error.js';
import { PaymentsValidationError } from '../../errors/payments-validation.error.js';
import { type PaymentsErrorDetails } from '../../errors/payments.error.js';
import { ReferenceReusedError } from '../../errors/reference-reused.error.js';
import { outcomeUnknownError } from '../outcome-unknown.js';
import { type ReuseReason } from './repeated-call.js';

type StandingPayment = Pick<JournalRecord, 'operation' | 'reference'> & { readonly idempotencyKey?: string };

/** The error for a payment whose outcome was unknown before this call, which sent nothing. */
export function standingUnknown(
  payment: StandingPayment,
  evidence: OutcomeEvidence,
): PaymentOutcomeUnknownError {
  return outcomeUnknownError(evidence, {}, detailsOf(payment));
}

/** The error for a reference that cannot be used for this call. */
export function referenceReused(
  record: StandingPayment & Pick<JournalRecord, 'state'>,
  because: ReuseReason,
): ReferenceReusedError {
  return new ReferenceReusedError(
    `Nothing was sent by this call: the reference ${WHY[because]}${because === 'another-payment' ? STANDING[record.state] : ''}.`,
    { ...detailsOf(record), hint: because === 'ended' || record.state === 'settled' ? NEW_REFERENCE : WAIT },
    because !== 'ended',
  );
}

/** The error for an `attempt` that was refused before. */
export function attemptRefused(
  { operation, reference }: StandingPayment,
  next: number,
): PaymentsValidationError {
  return new PaymentsValidationError(
    {
      attempt: [
        `options.attempt was refused by the gateway before: leave it out, or write ${next}, the next one`,
      ],
    },
    { operation, reference },
  );
}

const WHY: Readonly<Record<ReuseReason, string>> = {
  'another-payment': 'stands for a payment with another body or through another operation, which ',
  'another-key': 'stands for a payment that was accepted under another idempotency key',
  ended: 'stands for a payment that has ended without success',
};

const STANDING: Readonly<Record<JournalRecord['state'], string>> = {
  'in-flight': 'is being made',
  accepted: 'the gateway has accepted',
  rejected: 'was refused',
  unknown: 'may have been made',
  settled: 'was made',
};

const NEW_REFERENCE = 'Use a new reference for every payment.';
const WAIT =
  'Wait for the outcome of the payment that stands under this reference before making another one; every other payment needs a reference of its own.';

function detailsOf({ operation, reference, idempotencyKey }: StandingPayment): PaymentsErrorDetails {
  return { operation, reference, idempotencyKey };
}
