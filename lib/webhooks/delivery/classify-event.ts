import { hash } from 'node:crypto';
import { PAYMENT_EVENT_NAMES, type PaymentWebhookEvent } from '../../common/events.js';
import { providerReferenceOf } from '../../common/provider-reference.js';
import { COLLECTION_STATUSES } from '../../common/vocabulary.js';

/** Whether an event may reach the handlers of its name. */
export type EventJudgement =
  | { readonly kind: 'outcome' }
  | { readonly kind: 'mismatch'; readonly problem: string }
  | { readonly kind: 'unrecognized' };

const NAMES: readonly string[] = PAYMENT_EVENT_NAMES;
const STATUSES: readonly string[] = COLLECTION_STATUSES;

/** Judges an event by itself. A status that the specification does not know contradicts nothing. */
export function classifyEvent({ event, data }: PaymentWebhookEvent): EventJudgement {
  if (!NAMES.includes(event)) return { kind: 'unrecognized' };
  if (data.currency !== 'TZS') return { kind: 'mismatch', problem: 'its currency is not TZS' };
  if (STATUSES.includes(data.status) && data.status !== statusOf(event)) {
    return { kind: 'mismatch', problem: 'its status is another than its name says' };
  }
  return { kind: 'outcome' };
}

/** Equal for two deliveries of one outcome, whenever each was generated. */
export function fingerprintOf({ event, data }: PaymentWebhookEvent): string {
  const { reference, amount, currency, status } = data;
  return sha256(JSON.stringify([event, reference, amount, currency, status]));
}

/** Differs also for two charges of one payment: each is to be looked at. */
export function chargeFingerprintOf(event: PaymentWebhookEvent): string {
  const providerReference = providerReferenceOf(event);
  const fingerprint = fingerprintOf(event);
  return providerReference === undefined ? fingerprint : sha256(`${fingerprint} ${providerReference}`);
}

/** Fingerprints of the outcomes that this one may replace: the same money, another event. */
export function replacedBy(
  { event, data }: PaymentWebhookEvent,
  supersede: readonly (readonly [from: string, to: string])[],
): readonly string[] {
  return supersede
    .filter(([, to]) => to === event)
    .map(([from]) => fingerprintOf({ event: from, data: { ...data, status: statusOf(from) } }));
}

export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

function statusOf(event: string): string {
  return event.slice('payment.'.length);
}
