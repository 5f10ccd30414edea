import { hash } from 'node:crypto';
import { type PaymentEventName, type PaymentWebhookEvent } from '../../common/events.js';
import { type JournalRecord, type PaymentTombstone } from '../../storage/journal-store.js';
import { movesMoney, type PaymentOutcome } from '../../common/vocabulary.js';

/** What a webhook says about a payment. */
export interface WebhookClaim {
  readonly outcome: PaymentOutcome;
  readonly movesMoney: boolean;
  /** Canonical money string. */
  readonly amount: string;
  readonly currency: string;
  /** SHA-256 (hex) of the provider's transaction reference, where a success names one. */
  readonly providerReference?: string | undefined;
}

const NAMED_OUTCOMES: readonly (readonly [PaymentEventName, PaymentOutcome])[] = [
  ['payment.success', 'success'],
  ['payment.failed', 'failed'],
  ['payment.cancelled', 'cancelled'],
  ['payment.expired', 'expired'],
];
/** What the name of an event says about its payment. */
const OUTCOMES: ReadonlyMap<string, Pick<WebhookClaim, 'outcome' | 'movesMoney'>> = new Map(
  NAMED_OUTCOMES.map(([name, outcome]) => [name, { outcome, movesMoney: movesMoney(outcome) }]),
);

/** Undefined where the event is none of the four. */
export function claimOf(event: PaymentWebhookEvent): WebhookClaim | undefined {
  const named = OUTCOMES.get(event.event);
  const { amount, currency } = event.data;
  return named && { ...named, amount, currency, providerReference: providerReferenceOf(event) };
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
  claim: WebhookClaim,
  isOfThisAttempt: () => boolean,
): WebhookFit {
  // Of a payment that the journal has forgotten no amount is left: it is not compared.
  const { amount = claim.amount, currency = claim.currency } = record;
  if (amount !== claim.amount || currency !== claim.currency) return 'mismatch';
  if (record.state === 'rejected') return mayBeOfARefusal(record, claim) ? 'earlier-attempt' : 'contested';
  const isSettled = record.state === 'settled';
  const isSame = isSettled && record.outcome === claim.outcome;
  if (isSettled && record.settledBy === 'webhook') {
    return isSame && !namesAnotherCharge(record, claim) ? 'settled' : 'settled-otherwise';
  }
  if (!isSame && !claim.movesMoney && !isOfThisAttempt()) return 'earlier-attempt';
  return isSettled && !isSame ? 'contested' : 'fits';
}

/** The last attempt may have been made in spite of its refusal, and the failure may be that of an attempt before it. */
function mayBeOfARefusal({ attempt, keepsKey }: KnownPayment, claim: WebhookClaim): boolean {
  return keepsKey === true && attempt > 1 && !claim.movesMoney;
}

/** An absent reference differs from none. */
function namesAnotherCharge(record: KnownPayment, { providerReference }: WebhookClaim): boolean {
  const { providerReference: existing = providerReference } = record;
  return providerReference !== undefined && providerReference !== existing;
}
