import { formatCents } from '../../common/money.js';
import { type SandboxPayoutKind } from './operation-name.js';
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
  /** The gateway's record of a payout to this recipient. */
  readonly record: (payout: Payout) => Readonly<Record<string, unknown>>;
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
  status: DisbursementState;
  settledAt: number | undefined;
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
