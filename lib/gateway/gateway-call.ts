import { type MoneyOperation, type ReadOperation } from '../common/operations.js';
import { type PaymentFamily } from '../common/vocabulary.js';

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
