import { type MoneyOperation } from '../common/operations.js';

/** Where each operation that moves money is, below the base address (specification, "Endpoints"). */
export const MONEY_PATHS: Readonly<Record<MoneyOperation, string>> = {
  'collection.mobile-money': '/payments/mobile-money',
  'collection.partner-wallet': '/payments/partnerpesa',
  'disbursement.bank': '/disbursements/bank',
  'disbursement.mobile-money': '/disbursements/mobile-money',
};
