import { formatCents } from '../../common/money.js';
import { type SandboxPayout } from '../control/control-types.js';
import { type SandboxBank } from './banks.js';
import { SANDBOX_PROVIDER, optionalTimestamp, timestamp } from './collection.js';
import { type BankPayoutRequest, type MobileMoneyPayoutRequest } from './requests.js';
import { type DisbursementState } from './status-machine.js';

/** Where a payout goes. */
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
  const money = {
    reference: request.reference,
    amount: formatCents(payout.amountCents),
    fee: formatCents(payout.feeCents),
    total_amount: formatCents(payout.amountCents + payout.feeCents),
    currency: 'TZS',
  };
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

/** What the handle and the control API show of it. */
export function sandboxPayout(payout: Payout): SandboxPayout {
  const { destination } = payout;
  const bank = destination.kind === 'bank' ? destination : undefined;
  const wallet = destination.kind === 'mobile-money' ? destination.request : undefined;
  return Object.freeze({
    merchant: payout.merchant,
    kind: destination.kind,
    reference: destination.request.reference,
    amount: formatCents(payout.amountCents),
    fee: formatCents(payout.feeCents),
    total_amount: formatCents(payout.amountCents + payout.feeCents),
    currency: 'TZS',
    provider: SANDBOX_PROVIDER,
    status: payout.status,
    remarks: destination.request.remarks,
    metadata: structuredClone(destination.request.metadata ?? {}),
    created_at: timestamp(payout.createdAt),
    settled_at: optionalTimestamp(payout.settledAt),
    bank_code: bank?.bank.code ?? null,
    bank_name: bank?.bank.name ?? null,
    account_number: bank?.request.account_number ?? null,
    account_name: bank?.request.account_name ?? null,
    recipient_name: wallet?.recipient_name ?? null,
    recipient_phone: wallet?.recipient_phone ?? null,
    network: wallet?.network ?? null,
  });
}
