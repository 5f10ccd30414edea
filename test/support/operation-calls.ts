import {
  type CallOptions,
  type EnlistedPayment,
  type EnlistOptions,
  type MoneyOperation,
  type PaymentFamily,
  type PaymentsResponse,
  type ReadOperation,
} from 'nestjs-payments';
import { BANK_PAYOUT, COLLECTION, MOBILE_PAYOUT } from './gateway-caller.js';
import { type MerchantServices } from './merchant.js';

/** What differs between the calls of one operation. */
export interface PaymentFields {
  readonly reference: string;
  readonly amount?: string;
}

/** A call that the emulator answers with a success. */
export type MoneyCall = (
  services: Pick<MerchantServices, 'collections' | 'disbursements'>,
  fields: PaymentFields,
  options?: CallOptions,
) => Promise<PaymentsResponse<{ readonly reference: string; readonly amount: string }>>;

/** The same payment, enlisted in a transaction of the application. */
export type MoneyEnlistment = (
  services: Pick<MerchantServices, 'collections' | 'disbursements'>,
  transaction: unknown,
  fields: PaymentFields,
  options?: EnlistOptions,
) => Promise<EnlistedPayment<{ readonly reference: string; readonly amount: string }>>;

/** As above; the fields of payments do not matter. */
export type OperationCall = (
  services: MerchantServices,
  fields: PaymentFields,
) => Promise<PaymentsResponse<object>>;

/** A call of every operation that moves money. The model of `test/model` makes each of them. */
export const MONEY_CALLS: Readonly<Record<MoneyOperation, MoneyCall>> = {
  'collection.mobile-money': ({ collections }, fields, options) =>
    collections.mobileMoney({ ...COLLECTION, ...fields }, options),
  'collection.partner-wallet': ({ collections }, fields, options) =>
    collections.partnerWallet({ ...COLLECTION, ...fields }, options),
  'disbursement.bank': ({ disbursements }, fields, options) =>
    disbursements.bank({ ...BANK_PAYOUT, ...fields }, options),
  'disbursement.mobile-money': ({ disbursements }, fields, options) =>
    disbursements.mobileMoney({ ...MOBILE_PAYOUT, ...fields }, options),
};

/** A payment of every operation that moves money, enlisted in a transaction. */
export const MONEY_ENLISTMENTS: Readonly<Record<MoneyOperation, MoneyEnlistment>> = {
  'collection.mobile-money': ({ collections }, transaction, fields, options) =>
    collections.enlistMobileMoney(transaction, { ...COLLECTION, ...fields }, options),
  'collection.partner-wallet': ({ collections }, transaction, fields, options) =>
    collections.enlistPartnerWallet(transaction, { ...COLLECTION, ...fields }, options),
  'disbursement.bank': ({ disbursements }, transaction, fields, options) =>
    disbursements.enlistBank(transaction, { ...BANK_PAYOUT, ...fields }, options),
  'disbursement.mobile-money': ({ disbursements }, transaction, fields, options) =>
    disbursements.enlistMobileMoney(transaction, { ...MOBILE_PAYOUT, ...fields }, options),
};

/** The paths that these calls have in the specification. */
export const MONEY_PATHS: Readonly<Record<MoneyOperation, string>> = {
  'collection.mobile-money': '/payments/mobile-money',
  'collection.partner-wallet': '/payments/partnerpesa',
  'disbursement.bank': '/disbursements/bank',
  'disbursement.mobile-money': '/disbursements/mobile-money',
};

/** A call of every operation that only reads. `recover()` makes the status queries. */
export const READ_CALLS: Readonly<Record<Exclude<ReadOperation, `${PaymentFamily}.status`>, OperationCall>> =
  {
    'name-lookup': ({ names }) => names.lookup({ channel: 'PARTNERPESA', account_number: '255712345678' }),
    'wallet.balance': ({ wallet }) => wallet.balance(),
    'banks.list': ({ banks }) => banks.list(),
  };
