/**
 * The two kinds of money movement. A merchant reference is unique within one family
 * (specification, "Limits" 3).
 *
 * @publicApi
 */
export type PaymentFamily = 'collection' | 'disbursement';

/**
 * The four operations that move money, as they stand in the journal, in errors and in logs.
 *
 * @publicApi
 */
export type MoneyOperation =
  'collection.mobile-money' | 'collection.partner-wallet' | 'disbursement.bank' | 'disbursement.mobile-money';

/**
 * The operations that only read; the two status queries exist where the `statusPaths` option names their paths.
 *
 * @publicApi
 */
export type ReadOperation =
  'name-lookup' | 'wallet.balance' | 'banks.list' | 'collection.status' | 'disbursement.status';

/**
 * Every operation of the gateway.
 *
 * @publicApi
 */
export type PaymentsOperation = MoneyOperation | ReadOperation;
