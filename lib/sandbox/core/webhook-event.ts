import { hash } from 'node:crypto';
import { type PaymentEventName } from '../../common/events.js';
import { formatCents } from '../../common/money.js';
import { timestamp } from '../clock/timestamp.js';
import { type Collection } from './collection.js';
import { type IdSource } from './id-source.js';
import { type DeliveryPlan } from './outcome-plan.js';
import { type FinalState } from './status-machine.js';

/** A webhook to deliver: its merchant and its exact body. */
export interface OutgoingEvent {
  readonly id: string;
  readonly merchant: string;
  readonly event: PaymentEventName;
  readonly reference: string;
  readonly body: string;
  readonly contentType: string;
  readonly plan: DeliveryPlan;
}

/** A webhook's body before serialization. */
export interface WebhookPayload {
  readonly event: string;
  readonly created_at: string;
  readonly data: { readonly reference: string } & Readonly<Record<string, unknown>>;
}

/** The payload of a settled collection (specification, "Events"). */
export function webhookPayload(
  payment: Collection,
  outcome: FinalState<'collection'>,
  now: number,
): WebhookPayload {
  const { request } = payment;
  return {
    event: `payment.${outcome}`,
    created_at: timestamp(now),
    data: {
      reference: request.reference,
      amount: formatCents(payment.amountCents),
      currency: 'TZS',
      status: outcome,
      customer_name: request.customer_name,
      customer_email: request.customer_email,
      customer_phone: request.phone,
      channel: payment.channel,
      provider_reference: payment.providerReference,
      metadata: request.metadata ?? null,
    },
  };
}

/** The payload of a triggered event (specification, "Events"). */
export function triggeredPayload(
  event: PaymentEventName,
  now: number,
  ids: IdSource,
  overrides: { readonly reference?: string } = {},
): WebhookPayload {
  const { reference = `triggered-${ids.token(8)}` } = overrides;
  const data = {
    reference,
    amount: '1000.00',
    currency: 'TZS',
    status: event.slice('payment.'.length),
    customer_name: 'Asha Juma',
    customer_email: 'asha@example.com',
    customer_phone: '255700000000',
    channel: 'NET_ONE',
    // The same reference gets the same value: another provider_reference would mean another charge.
    provider_reference: `SBX${hash('sha256', JSON.stringify(reference)).slice(0, 12)}`,
    metadata: null,
  };
  return { event, created_at: timestamp(now), data: { ...data, ...overrides } };
}
