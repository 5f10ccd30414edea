import { formatCents } from '../../common/money.js';
import { timestamp } from '../clock/timestamp.js';
import { type SandboxBank } from './banks.js';
import { SANDBOX_PROVIDER } from './collection.js';
import { type BankPayoutRequest, type MobileMoneyPayoutRequest } from './requests.js';
import { type DisbursementState } from './status-machine.js';

/** The recipient of a payout. */
export type Destination =
  | { readonly kind: 'bank'; readonly request: BankPayoutRequest; readonly bank: SandboxBank }
  | { readonly kind: 'mobile-money'; readonly request: MobileMoneyPayoutRequest };

/** A disbursement as the emulator keeps it. */
export interface Payout {
  readonly merchant: string;
  readonly destination: Destination;
  readonly amountCents: bigint;
  readonly feeCents: bigint;
  readonly createdAt: number;
  status: DisbursementState;
  settledAt: number | undefined;
}

/** The gateway's record (specification, "Bank disbursement record" and "Mobile money disbursement record"). */
export function payoutRecord(payout: Payout): Record<string, unknown> {
  const { destination } = payout;
  const { request } = destination;
  const money = payoutMoney(payout);
  if (destination.kind === 'mobile-money') {
    return {
      ...money,
      recipient_name: destination.request.recipient_name,
      recipient_phone: destination.request.recipient_phone,
      channel: 'MOBILE_MONEY',
      network: destination.request.network,
      status: payout.status,
      provider: SANDBOX_PROVIDER,
      remarks: request.remarks,
      created_at: timestamp(payout.createdAt),
    };
  }
  return {
    ...money,
    bank_code: destination.bank.code,
    bank_name: destination.bank.name,
    account_number: destination.request.account_number,
    account_name: destination.request.account_name,
    provider: SANDBOX_PROVIDER,
    status: payout.status,
    remarks: request.remarks,
    metadata: request.metadata ?? {},
  };
}

/** The fields about money that every record of a payout has. */
export function payoutMoney({ destination, amountCents, feeCents }: Payout) {
  return {
    reference: destination.request.reference,
    amount: formatCents(amountCents),
    fee: formatCents(feeCents),
    total_amount: formatCents(amountCents + feeCents),
    currency: 'TZS',
  };
}
