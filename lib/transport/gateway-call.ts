import { type MoneyOperation, type PaymentFamily, type ReadOperation } from '../common/operations.js';

/** What the retry rules tell apart: a call that only reads may always be made again, one that moves money may not. */
export type CallKind = 'read' | PaymentFamily;

/** What an operation made of the `data` of a success answer. */
export interface ReadPayload<T> {
  readonly value: T;
  readonly warnings: readonly string[];
}

interface Call<T extends object> {
  readonly method: 'GET' | 'POST';
  /** Below the base address, with a leading slash, encoded as it goes on the wire. */
  readonly path: string;
  /** The JSON body; its text is made once and every try sends the same bytes. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Reads `data`; undefined where it is not what the operation returns. */
  readonly read: (data: unknown) => ReadPayload<T> | undefined;
}

/** A call that only reads. */
export interface ReadCall<T extends object> extends Call<T> {
  readonly kind: 'read';
  readonly operation: ReadOperation;
}

/** A call that moves money: it carries a key, and its answer must echo the payment. */
export interface MoneyCall<T extends object> extends Call<T> {
  readonly kind: PaymentFamily;
  readonly operation: MoneyOperation;
  readonly payment: Payment;
}

/** What an answer must echo. */
export interface Payment {
  readonly reference: string;
  /** Canonical money string. */
  readonly amount: string;
  readonly currency: 'TZS';
}

export type GatewayCall<T extends object> = ReadCall<T> | MoneyCall<T>;
