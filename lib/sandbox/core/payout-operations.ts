import {
  type BankDisbursementRequest,
  type MobileMoneyDisbursementRequest,
} from '../openapi/requests.generated.js';
import { type BankRegistry } from './banks.js';
import { type Merchant } from './merchant.js';
import { type GatewayOperation } from './operation.js';
import { type PayoutRecipient } from './payout.js';
import { isAccountNumber, isNetwork, isPhone } from './recipients.js';
import { type Refusal, refused } from './refusal.js';

/** The operations that make payouts. */
export const PAYOUT_OPERATIONS = {
  'POST /disbursements/bank': {
    request: 'BankDisbursementRequest',
    number: 'account_number',
    makes: 'payout',
    success: ['DISBURSEMENT_INITIATED', 'Disbursement initiated successfully.'],
    perform: ({ merchant, body, plan }, { payouts, banks }) => {
      const request = body as BankDisbursementRequest;
      return payouts.initiate(merchant, request, plan, () => accountHolder(request, merchant, banks));
    },
  },
  'POST /disbursements/mobile-money': {
    request: 'MobileMoneyDisbursementRequest',
    number: 'recipient_phone',
    makes: 'payout',
    success: ['DISBURSEMENT_INITIATED', 'Disbursement initiated successfully.'],
    perform: ({ merchant, body, plan }, { payouts }) => {
      const request = body as MobileMoneyDisbursementRequest;
      return payouts.initiate(merchant, request, plan, () => phoneOwner(request));
    },
  },
} as const satisfies Readonly<Record<string, GatewayOperation>>;

function accountHolder(
  { bank_code, account_number, account_name }: BankDisbursementRequest,
  { directory }: Merchant,
  banks: BankRegistry,
): PayoutRecipient | Refusal {
  const bank = banks.findOrRefuse(bank_code, 'INVALID_BANK');
  if ('status' in bank) return bank;
  const isKnown = isAccountNumber(account_number) && directory.holderOf(account_number) !== undefined;
  if (!isKnown) return refused('INVALID_ACCOUNT');
  if (!directory.accepts(account_number, account_name)) return refused('ACCOUNT_NAME_MISMATCH');
  const fields = { bank_code, bank_name: bank.name, account_number, account_name };
  return {
    kind: 'bank',
    channel: bank.code,
    fields,
  };
}

function phoneOwner({
  recipient_name,
  recipient_phone,
  network,
}: MobileMoneyDisbursementRequest): PayoutRecipient | Refusal {
  if (!isNetwork(network)) return refused('INVALID_NETWORK');
  if (!isPhone(recipient_phone)) return refused('INVALID_PHONE');
  return {
    kind: 'mobile-money',
    channel: network,
    fields: { recipient_name, recipient_phone, network },
  };
}
