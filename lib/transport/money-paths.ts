import { type MoneyOperation } from '../common/operations.js';

/** Where each operation that moves money is, below the base address (specification, "Endpoints"). */
export const MONEY_PATHS: Readonly<Record<MoneyOperation, string>> = {
  'collection.mobile-money': '/payments/mobile-money',
  'collection.partner-wallet': '/payments/partnerpesa',
  'disbursement.bank': '/disbursements/bank',
  'disbursement.mobile-money': '/disbursements/mobile-money',
};

/** Whether this version of the package can make a payment of this kind: a newer one may know more. */
export function isMoneyOperation(operation: string): boolean {
  return Object.hasOwn(MONEY_PATHS, operation);
}
