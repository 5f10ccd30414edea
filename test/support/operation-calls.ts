import {
  type MoneyOperation,
  type PaymentFamily,
  type PaymentsResponse,
  type ReadOperation,
} from 'nestjs-payments';
import { BANK_PAYOUT, COLLECTION, MOBILE_PAYOUT } from './gateway-caller.js';
import { type MerchantServices } from './merchant.js';

/** A call that the emulator answers with a success. */
export type OperationCall = (
  services: MerchantServices,
  reference: string,
) => Promise<PaymentsResponse<object>>;

/** A call of every operation that moves money. */
export const MONEY_CALLS: Readonly<Record<MoneyOperation, OperationCall>> = {
  'collection.mobile-money': ({ collections }, reference) =>
    collections.mobileMoney({ ...COLLECTION, reference }),
  'collection.partner-wallet': ({ collections }, reference) =>
    collections.partnerWallet({ ...COLLECTION, reference }),
  'disbursement.bank': ({ disbursements }, reference) => disbursements.bank({ ...BANK_PAYOUT, reference }),
  'disbursement.mobile-money': ({ disbursements }, reference) =>
    disbursements.mobileMoney({ ...MOBILE_PAYOUT, reference }),
};

/** A call of every operation that only reads. `recover()` makes the status queries. */
export const READ_CALLS: Readonly<Record<Exclude<ReadOperation, `${PaymentFamily}.status`>, OperationCall>> =
  {
    'name-lookup': ({ names }) => names.lookup({ channel: 'PARTNERPESA', account_number: '255712345678' }),
    'wallet.balance': ({ wallet }) => wallet.balance(),
    'banks.list': ({ banks }) => banks.list(),
  };
