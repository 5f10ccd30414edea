import { hash } from 'node:crypto';
import { PAYMENT_EVENT_NAMES, type PaymentWebhookEvent } from '../../common/events.js';
import { COLLECTION_STATUSES, type SetAsideKind } from '../../common/vocabulary.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';
import { providerReferenceOf } from '../../journal/outcomes/compare-webhook.js';
import { type WebhookPayment } from '../../journal/outcomes/webhook-outcomes.js';
import { type ClaimResult } from '../../storage/inbox-store.js';

/** Whether an event may reach the handlers of its name. */
type EventClassification =
  | { readonly kind: 'outcome' }
  | { readonly kind: 'mismatch'; readonly problem: string }
  | { readonly kind: 'unrecognized' };

const NAMES: readonly string[] = PAYMENT_EVENT_NAMES;
const STATUSES: readonly string[] = COLLECTION_STATUSES;

/** Checks an event by itself. A status that the specification does not list contradicts nothing. */
export function classifyEvent({ event, data }: PaymentWebhookEvent): EventClassification {
  if (!NAMES.includes(event)) return { kind: 'unrecognized' };
  if (data.currency !== 'TZS') return { kind: 'mismatch', problem: 'its currency is not TZS' };
  if (STATUSES.includes(data.status) && data.status !== statusOf(event)) {
    return { kind: 'mismatch', problem: 'its status is another than its name says' };
  }
  return { kind: 'outcome' };
}

/** The options that decide about a delivery. */
export interface DeliveryRules extends Pick<ResolvedWebhookOptions, 'supersede' | 'unknownReferences'> {
  /** Whether a handler listens to events that the specification does not list. */
  readonly handlesUnrecognized: () => boolean;
}

/**
 * What to do with a delivery.
 *
 * - `acknowledge`: nothing, because it belongs to another system.
 * - `set-aside`: store it until somebody looks at it. `mayBeReleased`: unless the inbox says that somebody has released it.
 * - `notify`: run the handlers of unrecognized events.
 * - `handle`: ask the inbox whether to run the handlers of the outcome. `mustExist`: only for an existing
 *   entry, because the journal says that a webhook has settled the payment.
 */
export type DeliveryDecision =
  | { readonly act: 'acknowledge' }
  | {
      readonly act: 'set-aside';
      readonly kind: SetAsideKind;
      readonly problem: string;
      readonly mayBeReleased: boolean;
    }
  | { readonly act: 'notify' }
  | { readonly act: 'handle'; readonly mustExist: boolean };

/** Decides about a delivery before the inbox is asked. */
export function decideDelivery(
  event: PaymentWebhookEvent,
  existing: WebhookPayment,
  rules: DeliveryRules,
): DeliveryDecision {
  const { known, fit, isSettledSo = false } = existing;
  if (fit === 'other-spelling') {
    const problem = 'its reference is that of a payment only without the white space around it';
    // Another charge may have this spelling, so that nobody can tell it from a released one.
    return setAside('mismatch', problem);
  }
  if (!known && rules.unknownReferences === 'acknowledge') return { act: 'acknowledge' };
  const classification = classifyEvent(event);
  if (!known && rules.unknownReferences === 'set-aside') {
    const mayBeReleased = classification.kind === 'outcome';
    return setAside('unknown-reference', 'the journal does not know its reference', mayBeReleased);
  }
  if (classification.kind === 'unrecognized') {
    if (rules.handlesUnrecognized()) return { act: 'notify' };
    return setAside(
      'unrecognized',
      "its name is not in the specification, and no @OnPayment('unrecognized') listens",
    );
  }
  // An event that contradicts itself has no other way into the inbox.
  if (classification.kind === 'mismatch') return setAside('mismatch', classification.problem, true);
  // An event of another amount may have been handled before the payment was made: nobody has released that one.
  if (fit === 'mismatch') {
    return setAside('mismatch', 'the payment was made with another amount or currency', isSettledSo);
  }
  if (fit === 'earlier-attempt') {
    return setAside(
      'conflict',
      'it may be about an earlier attempt of the payment: ask the gateway, then release it, or settle the payment',
    );
  }
  return { act: 'handle', mustExist: isBelieved(event, existing, rules) };
}

/** Whether an earlier webhook still counts, although the inbox may have forgotten it. */
function isBelieved(
  { event }: PaymentWebhookEvent,
  { fit, outcome }: WebhookPayment,
  { supersede }: DeliveryRules,
): boolean {
  if (fit === 'settled') return true;
  const mayReplace = supersede.some(([from, to]) => from === `payment.${String(outcome)}` && to === event);
  return fit === 'settled-otherwise' && !mayReplace;
}

function setAside(kind: SetAsideKind, problem: string, mayBeReleased = false): DeliveryDecision {
  return { act: 'set-aside', kind, problem, mayBeReleased };
}

/** The contradiction of an event that the inbox refuses, for the log. */
export function contradiction(
  { event }: PaymentWebhookEvent,
  claim: Extract<ClaimResult, { readonly result: 'conflict' | 'missing' }>,
  { outcome }: Pick<WebhookPayment, 'outcome'>,
): string {
  const existing = claim.result === 'conflict' ? claim.existingEvent : `payment.${String(outcome)}`;
  if (existing !== event) return `the reference already has ${existing}`;
  return (
    `the reference already has another ${existing}, with another amount, status or provider reference: ` +
    'the customer may have been charged twice'
  );
}

/** Equal for all deliveries of one outcome, whenever they were generated. */
export function fingerprintOf({ event, data }: PaymentWebhookEvent): string {
  const { reference, amount, currency, status } = data;
  return hash('sha256', JSON.stringify([event, reference, amount, currency, status]));
}

/** Differs also for two charges of one payment, because somebody must look at each. */
export function chargeFingerprintOf(event: PaymentWebhookEvent): string {
  const providerReference = providerReferenceOf(event);
  const fingerprint = fingerprintOf(event);
  return providerReference === undefined
    ? fingerprint
    : hash('sha256', `${fingerprint} ${providerReference}`);
}

/** Fingerprints of the outcomes that this one may replace: another event about the same money. */
export function replacedBy(
  { event, data }: PaymentWebhookEvent,
  supersede: readonly (readonly [from: string, to: string])[],
): readonly string[] {
  return supersede
    .filter(([, to]) => to === event)
    .map(([from]) => fingerprintOf({ event: from, data: { ...data, status: statusOf(from) } }));
}

function statusOf(event: string): string {
  return event.slice('payment.'.length);
}
