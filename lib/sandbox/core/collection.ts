import { formatCents } from '../../common/money.js';
import { optionalTimestamp, timestamp } from '../clock/timestamp.js';
import { centsAsNumber } from './amounts.js';
import { type OutcomePlan } from './outcome-plan.js';
import { type MobileMoneyCollectionRequest } from '../openapi/requests.generated.js';
import { type CollectionState } from './status-machine.js';

/** A collection as the emulator keeps it. */
export interface Collection {
  readonly merchant: string;
  readonly method: 'mobile_money' | 'partnerpesa';
  readonly request: MobileMoneyCollectionRequest;
  readonly amountCents: bigint;
  readonly feeCents: bigint;
  readonly providerReference: string;
  readonly channel: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly plan: OutcomePlan;
  status: CollectionState;
  processingAt: number | undefined;
  settledAt: number | undefined;
  /** Why it was declined or cancelled, as the decision says. */
  reason: string | undefined;
}

export const SANDBOX_PROVIDER = 'SANDBOX';

/** The gateway's record (specification, "Collection payment record"); mobile money adds two fields. */
export function collectionRecord(payment: Collection): Record<string, unknown> {
  const record = collectionFields(payment);
  if (payment.method === 'partnerpesa') return record;
  return { merchant_id: merchantId(payment.merchant), source: 'api', ...record };
}

/** The fields that every record of a collection has. */
export function collectionFields(payment: Collection) {
  const { request } = payment;
  return {
    customer_name: request.customer_name,
    customer_email: request.customer_email,
    customer_phone: request.phone,
    reference: request.reference,
    amount: formatCents(payment.amountCents),
    fee: centsAsNumber(payment.feeCents),
    net_amount: centsAsNumber(payment.amountCents - payment.feeCents),
    currency: 'TZS',
    payment_method: payment.method,
    provider: SANDBOX_PROVIDER,
    provider_reference: payment.providerReference,
    status: payment.status,
    metadata: request.metadata ?? null,
    created_at: timestamp(payment.createdAt),
    processing_at: optionalTimestamp(payment.processingAt),
  };
}

/** Always the same number for the same merchant. */
function merchantId(merchant: string): number {
  let id = 0;
  for (const character of merchant) id = (id * 31 + (character.codePointAt(0) ?? 0)) % 90_000;
  return 10_000 + id;
}
