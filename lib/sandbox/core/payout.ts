import { formatCents } from '../../common/money.js';
import { timestamp } from '../clock/timestamp.js';
import { SANDBOX_PROVIDER } from './collection.js';
import { type SandboxPayoutKind } from './operation-name.js';
import { type OutcomePlan } from './outcome-plan.js';
import { type DisbursementState } from './status-machine.js';

/** What every payout request has. */
export interface PayoutRequest {
  readonly reference: string;
  readonly amount: number | string;
  readonly remarks: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The recipient of a payout. */
export interface PayoutRecipient {
  readonly kind: SandboxPayoutKind;
  /** Code of the bank, or the network. */
  readonly channel: string;
  readonly fields: RecipientFields;
}

/** What the records say of recipients; each kind of payout has some of it. */
export interface RecipientFields {
  readonly bank_code?: string;
  readonly bank_name?: string;
  readonly account_number?: string;
  readonly account_name?: string;
  readonly recipient_name?: string;
  readonly recipient_phone?: string;
  readonly network?: string;
}

/** A disbursement as the emulator keeps it. */
export interface Payout {
  readonly merchant: string;
  readonly request: PayoutRequest;
  readonly recipient: PayoutRecipient;
  readonly amountCents: bigint;
  readonly feeCents: bigint;
  readonly createdAt: number;
  readonly plan: OutcomePlan;
  status: DisbursementState;
  settledAt: number | undefined;
  /** Why it failed or was cancelled, as the decision says. */
  reason: string | undefined;
}

/** The gateway's record: "Bank disbursement record" or "Mobile money disbursement record" of the specification. */
export function payoutRecord(payout: Payout): Record<string, unknown> {
  const { recipient, request, status, createdAt } = payout;
  const shared = {
    ...payoutMoney(payout),
    ...recipient.fields,
    provider: SANDBOX_PROVIDER,
    status,
    remarks: request.remarks,
  };
  return recipient.kind === 'bank'
    ? { ...shared, metadata: request.metadata ?? {} }
    : { ...shared, channel: 'MOBILE_MONEY', created_at: timestamp(createdAt) };
}

/** The fields about money that every record of a payout has. */
export function payoutMoney({ request, amountCents, feeCents }: Payout) {
  return {
    reference: request.reference,
    amount: formatCents(amountCents),
    fee: formatCents(feeCents),
    total_amount: formatCents(amountCents + feeCents),
    currency: 'TZS',
  };
}
