import { type MoneyOperation, type PaymentFamily, type ReadOperation } from '../common/vocabulary.js';

/** A read may always be repeated; a call that moves money may not. */
export type CallKind = 'read' | PaymentFamily;

/** The `data` of a success answer, as its operation read it. */
export interface ReadPayload<T> {
  readonly value: T;
  readonly warnings: readonly string[];
}

interface Call<T extends object> {
  readonly method: 'GET' | 'POST';
  /** Below the base address, with a leading slash, encoded as it goes on the wire. */
  readonly path: string;
  /** The JSON body. It is written once, and every try sends the same bytes. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Reads `data`. Returns undefined if the operation cannot return it. */
  readonly read: (data: unknown) => ReadPayload<T> | undefined;
}

/** A call that only reads. */
export interface ReadCall<T extends object> extends Call<T> {
  readonly kind: 'read';
  readonly operation: ReadOperation;
}

/** A call that moves money. It has a key, and its answer must echo the payment. */
export interface MoneyCall<T extends object> extends Call<T> {
  readonly kind: PaymentFamily;
  readonly operation: MoneyOperation;
  readonly payment: Payment;
}

export interface Payment {
  readonly reference: string;
  /** Canonical money string. */
  readonly amount: string;
  readonly currency: 'TZS';
}

export type GatewayCall<T extends object> = ReadCall<T> | MoneyCall<T>;

/** Path of each operation that moves money, below the base address (specification, "Endpoints"). */
export const MONEY_PATHS: Readonly<Record<MoneyOperation, string>> = {
  'collection.mobile-money': '/payments/mobile-money',
  'collection.partner-wallet': '/payments/partnerpesa',
  'disbursement.bank': '/disbursements/bank',
  'disbursement.mobile-money': '/disbursements/mobile-money',
};

/** Whether this version of the package knows the operation: a newer one may have written it. */
export function isMoneyOperation(operation: string): boolean {
  return Object.hasOwn(MONEY_PATHS, operation);
}
