import { type PaymentEventName } from '../../common/events.js';
import { formatCents } from '../../common/money.js';
import { type Collection, timestamp } from './collection.js';
import { type DeliveryPlan } from './outcome-plan.js';
import { type WebhookPayload } from '../profile/profile.js';
import { type FinalCollectionState } from './status-machine.js';

/** A webhook on its way: who it belongs to and its exact body. */
export interface OutgoingEvent {
  readonly id: string;
  readonly merchant: string;
  readonly event: PaymentEventName;
  readonly reference: string;
  readonly body: string;
  readonly contentType: string;
  readonly plan: DeliveryPlan;
}

/** The payload of a settled collection (specification, "Events"). */
export function webhookPayload(
  payment: Collection,
  outcome: FinalCollectionState,
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
