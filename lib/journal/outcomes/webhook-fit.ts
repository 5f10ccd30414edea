import { hash } from 'node:crypto';
import { type PaymentEventName, type PaymentWebhookEvent } from '../../common/events.js';
import { type JournalRecord, type PaymentTombstone } from '../../storage/journal-store.js';
import { movesMoney, type PaymentOutcome } from '../../common/vocabulary.js';

/** What a webhook says about a payment. */
export interface ReportedOutcome {
  readonly outcome: PaymentOutcome;
  /** Canonical money string. */
  readonly amount: string;
  readonly currency: string;
  /** SHA-256 (hex) of the provider's transaction reference, where a success names one. */
  readonly providerReference?: string | undefined;
}

/** The outcome of a payment by the name of the event. */
const OUTCOMES: ReadonlyMap<string, PaymentOutcome> = new Map<PaymentEventName, PaymentOutcome>([
  ['payment.success', 'success'],
  ['payment.failed', 'failed'],
  ['payment.cancelled', 'cancelled'],
  ['payment.expired', 'expired'],
]);

/** Undefined where the event is none of the four. */
export function reportedOutcome(event: PaymentWebhookEvent): ReportedOutcome | undefined {
  const outcome = OUTCOMES.get(event.event);
  const { amount, currency } = event.data;
  return outcome && { outcome, amount, currency, providerReference: providerReferenceOf(event) };
}

/**
 * SHA-256 (hex) of the provider's transaction reference in the webhook of a success; undefined where it names
 * none. Another reference may be another charge of the customer. Where no money moved there is nothing to
 * compare.
 */
export function providerReferenceOf({ event, data }: PaymentWebhookEvent): string | undefined {
  if (event !== 'payment.success') return undefined;
  const name = transactionName(data.provider_reference);
  return name && hash('sha256', name);
}

/** A provider reference as text; undefined where there is none. */
export function transactionName(given: unknown): string | undefined {
  const text = typeof given === 'string' || typeof given === 'number' ? String(given).trim() : '';
  return text === '' ? undefined : text;
}

/** A payment as the journal knows it; one that was forgotten has left no amount to compare. */
export type KnownPayment = Pick<
  JournalRecord,
  'state' | 'attempt' | 'keepsKey' | 'outcome' | 'settledBy' | 'providerReference'
> &
  Partial<Pick<JournalRecord, 'amount' | 'currency'>>;

/** What is known of a payment that the journal has forgotten. */
export function forgottenPayment({ attempt, end, settledBy }: PaymentTombstone): KnownPayment {
  if (end === 'accepted' || end === 'rejected') return { state: end, attempt };
  if (end === 'unlisted-refusal') return { state: 'rejected', attempt, keepsKey: true };
  return { state: 'settled', attempt, outcome: end, ...(settledBy && { settledBy }) };
}

/**
 * How a webhook fits what the journal knows.
 *
 * - `mismatch`: it names another amount or currency than the payment was made with.
 * - `contested`: the payment was called refused, or ended otherwise by somebody else's word; the webhook wins.
 * - `settled`: an earlier webhook said the same.
 * - `settled-otherwise`: an earlier webhook said something else, or named another transaction of the provider.
 * - `earlier-attempt`: it says that no money moved, and may speak of an attempt before the current one.
 */
export type WebhookFit =
  'fits' | 'mismatch' | 'contested' | 'settled' | 'settled-otherwise' | 'earlier-attempt';

/**
 * Compares a webhook with the payment in the journal. Money that moved counts for the payment, whichever
 * attempt of it came through.
 *
 * @param isOfThisAttempt Whether the webhook can be about no other attempt than the current one.
 */
export function webhookFit(
  record: KnownPayment,
  reported: ReportedOutcome,
  isOfThisAttempt: () => boolean,
): WebhookFit {
  // Of a payment that the journal has forgotten no amount is left: it is not compared.
  const { amount = reported.amount, currency = reported.currency } = record;
  if (amount !== reported.amount || currency !== reported.currency) return 'mismatch';
  if (record.state === 'rejected') return mayBeOfARefusal(record, reported) ? 'earlier-attempt' : 'contested';
  const isSettled = record.state === 'settled';
  const isSame = isSettled && record.outcome === reported.outcome;
  if (isSettled && record.settledBy === 'webhook') {
    return isSame && !namesAnotherCharge(record, reported) ? 'settled' : 'settled-otherwise';
  }
  if (!isSame && !movesMoney(reported.outcome) && !isOfThisAttempt()) return 'earlier-attempt';
  return isSettled && !isSame ? 'contested' : 'fits';
}

/** The last attempt may have been made in spite of its refusal, and the failure may be that of an attempt before it. */
function mayBeOfARefusal({ attempt, keepsKey }: KnownPayment, reported: ReportedOutcome): boolean {
  return keepsKey === true && attempt > 1 && !movesMoney(reported.outcome);
}

/** An absent reference differs from none. */
function namesAnotherCharge(record: KnownPayment, { providerReference }: ReportedOutcome): boolean {
  const { providerReference: existing = providerReference } = record;
  return providerReference !== undefined && providerReference !== existing;
}
