import {
  type MoneyOperation,
  type PaymentFamily,
  type ReadOperation,
  type AttemptInfo,
} from '../common/vocabulary.js';

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

/**
 * How a call went: the envelope beside `data`, and every try.
 *
 * @publicApi
 */
export interface LastResponse {
  /** The gateway's `request_id`, for its support. */
  readonly requestId?: string;
  /** The envelope's code, for example `PAYMENT_INITIATED`. */
  readonly code: string;
  /** The envelope's message, for people. */
  readonly message: string;
  /** HTTP status of the answer. */
  readonly httpStatus: number;
  /** The `Idempotency-Key` that was sent, on the four operations that move money. */
  readonly idempotencyKey?: string;
  /** Every try of the call, in order. */
  readonly attempts: readonly AttemptInfo[];
  /** What was odd about the answer and was kept: an absent echo, a status that the specification does not list. */
  readonly warnings: readonly string[];
}

/**
 * A result of the gateway, with `lastResponse` beside its fields. It is not enumerable: it stays out of JSON, of
 * copies and of comparisons.
 *
 * @publicApi
 */
export type PaymentsResponse<T> = T & {
  /** How the call went. */
  readonly lastResponse: LastResponse;
};

/** Puts `lastResponse` on a result. */
export function withLastResponse<T extends object>(
  value: T,
  lastResponse: LastResponse,
): PaymentsResponse<T> {
  return Object.defineProperty(value, 'lastResponse', {
    value: lastResponse,
    configurable: true,
  }) as PaymentsResponse<T>;
}
