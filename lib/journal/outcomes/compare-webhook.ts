import { hash } from 'node:crypto';
import { type PaymentEventName, type PaymentWebhookEvent } from '../../common/events.js';
import { type JournalRecord, type PaymentTombstone } from '../../storage/journal-store.js';
import { type PaymentOutcome } from '../../common/vocabulary.js';

/** The outcome of a payment as a webhook reports it. */
export interface ReportedOutcome {
  readonly outcome: Exclude<PaymentOutcome, 'paid'>;
  /** Canonical money string. */
  readonly amount: string;
  readonly currency: string;
  /** See `providerReferenceOf`. */
  readonly providerReference?: string | undefined;
}

/** The outcome of a payment by the name of the event. */
const OUTCOMES: ReadonlyMap<string, ReportedOutcome['outcome']> = new Map<
  PaymentEventName,
  ReportedOutcome['outcome']
>([
  ['payment.success', 'success'],
  ['payment.failed', 'failed'],
  ['payment.cancelled', 'cancelled'],
  ['payment.expired', 'expired'],
]);

/** Undefined if the specification does not list the event. */
export function reportedOutcome(event: PaymentWebhookEvent): ReportedOutcome | undefined {
  const outcome = OUTCOMES.get(event.event);
  const { amount, currency } = event.data;
  return outcome && { outcome, amount, currency, providerReference: providerReferenceOf(event) };
}

/**
 * SHA-256 (hex) of the provider's transaction reference in the webhook of a success, if it names one: another
 * reference may be another charge of the customer.
 */
export function providerReferenceOf({ event, data }: PaymentWebhookEvent): string | undefined {
  if (event !== 'payment.success') return undefined;
  const name = transactionName(data.provider_reference);
  return name && hash('sha256', name);
}

/** A provider reference as text; undefined if there is none. */
export function transactionName(given: unknown): string | undefined {
  const text = typeof given === 'string' || typeof given === 'number' ? String(given).trim() : '';
  return text === '' ? undefined : text;
}

/** The part of a payment to which webhooks are compared. A forgotten payment has no amount. */
export type KnownPayment = Pick<
  JournalRecord,
  'state' | 'attempt' | 'keepsKey' | 'outcome' | 'settledBy' | 'providerReference'
> &
  Partial<Pick<JournalRecord, 'amount' | 'currency'>>;

export function forgottenPayment({ attempt, end, settledBy }: PaymentTombstone): KnownPayment {
  if (end === 'accepted' || end === 'rejected') return { state: end, attempt };
  if (end === 'unlisted-refusal') return { state: 'rejected', attempt, keepsKey: true };
  return { state: 'settled', attempt, outcome: end, ...(settledBy && { settledBy }) };
}

/**
 * How a webhook fits the payment in the journal.
 *
 * - `mismatch`: it has another amount or currency than the payment.
 * - `contested`: it contradicts a refusal, a status answer or an operator. The webhook wins.
 * - `settled`: an earlier webhook reported the same.
 * - `settled-otherwise`: an earlier webhook reported another outcome, or another transaction of the provider.
 * - `earlier-attempt`: it reports that no money moved, and may be about an earlier attempt.
 */
export type WebhookFit =
  'fits' | 'mismatch' | 'contested' | 'settled' | 'settled-otherwise' | 'earlier-attempt';

/**
 * Compares a webhook with the payment in the journal.
 *
 * @param isOfThisAttempt Whether the webhook can only be about the current attempt.
 */
export function webhookFit(
  record: KnownPayment,
  reported: ReportedOutcome,
  isOfThisAttempt: () => boolean,
): WebhookFit {
  if (hasOtherMoney(record, reported)) return 'mismatch';
  if (record.state === 'rejected') return mayBeOfARefusal(record, reported) ? 'earlier-attempt' : 'contested';
  const isSettled = record.state === 'settled';
  if (isSettled && record.settledBy === 'webhook') {
    return isSettledSo(record, reported) ? 'settled' : 'settled-otherwise';
  }
  if (isSettled && record.outcome === reported.outcome) return 'fits';
  // A success settles the payment, whichever attempt came through.
  if (reported.outcome !== 'success' && !isOfThisAttempt()) return 'earlier-attempt';
  return isSettled ? 'contested' : 'fits';
}

function hasOtherMoney(record: KnownPayment, reported: ReportedOutcome): boolean {
  const { amount = reported.amount, currency = reported.currency } = record;
  return amount !== reported.amount || currency !== reported.currency;
}

/**
 * The gateway may have made the last attempt although it refused it, and may report an earlier attempt as
 * failed.
 */
function mayBeOfARefusal({ attempt, keepsKey }: KnownPayment, reported: ReportedOutcome): boolean {
  return keepsKey === true && attempt > 1 && reported.outcome !== 'success';
}

/**
 * Whether a webhook has settled a payment with the outcome that this one reports, whatever its amount. An absent provider
 * reference equals every other.
 */
export function isSettledSo(
  record: KnownPayment,
  { outcome, providerReference }: Pick<ReportedOutcome, 'outcome' | 'providerReference'>,
): boolean {
  const { state, settledBy, providerReference: existing = providerReference } = record;
  const isSameCharge = providerReference === undefined || providerReference === existing;
  return state === 'settled' && settledBy === 'webhook' && record.outcome === outcome && isSameCharge;
}
