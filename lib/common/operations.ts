import { type PaymentFamily } from './vocabulary.js';

/** How an operation is called, below the base address (specification, "Endpoints"). */
interface ReadRow {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

/** A call that moves money is a POST. */
interface MoneyRow {
  readonly family: PaymentFamily;
  readonly path: string;
  /**
   * The fields of the request that the answer repeats, beside reference, amount and currency.
   *
   * - `account`, `phone`: another value sends the money elsewhere.
   * - `name`: the gateway may spell the value in its own way.
   */
  readonly echoes: Readonly<Record<string, 'account' | 'phone' | 'name'>>;
}

/** The operations that only read. */
export const READ_OPERATIONS = {
  'name-lookup': { method: 'POST', path: '/disbursements/name-lookup' },
  'wallet.balance': { method: 'GET', path: '/merchant-balance' },
  'banks.list': { method: 'GET', path: '/bank-shortnames' },
} as const satisfies Readonly<Record<string, ReadRow>>;

/**
 * The operations that move money. A name is a part of every idempotency key and of every record in a journal:
 * never change one.
 */
export const MONEY_OPERATIONS = {
  'collection.mobile-money': {
    family: 'collection',
    path: '/payments/mobile-money',
    echoes: {},
  },
  'collection.partner-wallet': {
    family: 'collection',
    path: '/payments/partnerpesa',
    echoes: {},
  },
  'disbursement.bank': {
    family: 'disbursement',
    path: '/disbursements/bank',
    echoes: { account_number: 'account', bank_code: 'name', account_name: 'name' },
  },
  'disbursement.mobile-money': {
    family: 'disbursement',
    path: '/disbursements/mobile-money',
    echoes: { recipient_phone: 'phone', recipient_name: 'name', network: 'name' },
  },
} as const satisfies Readonly<Record<string, MoneyRow>>;

/**
 * The operations that move money, as the journal, errors and logs name them.
 *
 * @useDeclaredType
 * @publicApi
 */
export type MoneyOperation = keyof typeof MONEY_OPERATIONS;

/**
 * The operations that only read; the two status queries exist if the `statusPaths` option names their paths.
 *
 * @useDeclaredType
 * @publicApi
 */
export type ReadOperation = keyof typeof READ_OPERATIONS | `${PaymentFamily}.status`;

/**
 * Every operation of the gateway.
 *
 * @publicApi
 */
export type PaymentsOperation = MoneyOperation | ReadOperation;

/** Whether this version of the package knows the operation: a newer one may have written it. */
export function isMoneyOperation(operation: string): operation is MoneyOperation {
  return Object.hasOwn(MONEY_OPERATIONS, operation);
}
