import {
  type MoneyOperation,
  type PaymentFamily,
  type ReadOperation,
  type AttemptInfo,
} from '../common/vocabulary.js';

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
  /** What was odd about the answer: an absent echo, a status that the specification does not list. */
  readonly warnings: readonly string[];
}

/**
 * A result of the gateway with `lastResponse`. That property is not enumerable, so JSON, copies and
 * comparisons leave it out.
 *
 * @publicApi
 */
export type PaymentsResponse<T> = T & {
  /** How the call went. */
  readonly lastResponse: LastResponse;
};

export function withLastResponse<T extends object>(
  value: T,
  lastResponse: LastResponse,
): PaymentsResponse<T> {
  return Object.defineProperty(value, 'lastResponse', {
    value: lastResponse,
    configurable: true,
  }) as PaymentsResponse<T>;
}
