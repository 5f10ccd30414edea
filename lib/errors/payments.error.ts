import { type AttemptInfo } from '../common/attempt.js';
import { type PaymentsOperation } from '../common/operations.js';

/** Fixed across copies of the package, so that `isPaymentsError` never depends on which copy made the error. */
const BRAND = Symbol.for('nestjs-payments.error');

/**
 * What is known about a failed call, beside its message.
 *
 * @publicApi
 */
export interface PaymentsErrorDetails {
  /** What to do about it, in one sentence. */
  readonly hint?: string | undefined;
  /** HTTP status of the gateway's answer, where one came. */
  readonly httpStatus?: number | undefined;
  /** The gateway's `request_id`, for its support. */
  readonly requestId?: string | undefined;
  /** Which of the gateway's operations was called. */
  readonly operation?: PaymentsOperation | undefined;
  /** The merchant's reference of the payment. */
  readonly reference?: string | undefined;
  /** The `Idempotency-Key` that was, or would have been, sent. */
  readonly idempotencyKey?: string | undefined;
  /** Every try of the call, in order. */
  readonly attempts?: readonly AttemptInfo[] | undefined;
}

/**
 * Base of every error that this package throws.
 *
 * No error carries a request, a header, a key, a phone number, a name or another library's error: it is safe to
 * log one whole.
 *
 * @publicApi
 */
export class PaymentsError extends Error {
  /** Name of the class, the same in every copy of the package. */
  override readonly name: string = 'PaymentsError';
  /** What to do about it, in one sentence. */
  readonly hint?: string;
  /** HTTP status of the gateway's answer, where one came. */
  readonly httpStatus?: number;
  /** The gateway's `request_id`, for its support. */
  readonly requestId?: string;
  /** Which of the gateway's operations was called. */
  readonly operation?: PaymentsOperation;
  /** The merchant's reference of the payment. */
  readonly reference?: string;
  /** The `Idempotency-Key` that was, or would have been, sent. */
  readonly idempotencyKey?: string;
  /** Every try of the call, in order. */
  readonly attempts?: readonly AttemptInfo[];
  /** Whether the same call may simply be made again. */
  readonly retryable: boolean = false;
  /**
   * Whether the gateway may have acted on the payment. Only after `false` has it failed. `not-by-this-call`: this call sent nothing, but
   * the journal could not be read, and may hold an earlier call with the same reference that did.
   */
  readonly mayHaveBeenProcessed: boolean | 'not-by-this-call' = false;

  constructor(
    /** Machine-readable: the gateway's own code where it gave one, else a code of this package. */
    readonly code: string,
    message: string,
    details: PaymentsErrorDetails = {},
  ) {
    super(message);
    Object.defineProperty(this, BRAND, { value: true });
    for (const [field, value] of Object.entries(details)) {
      if (value !== undefined) Object.defineProperty(this, field, { value, enumerable: true });
    }
  }
}

/**
 * Whether a value is an error of this package, also when another copy of the package made it.
 *
 * @example
 * ```ts
 * if (isPaymentsError(error) && error.mayHaveBeenProcessed) await this.waitForTheWebhook(error.reference);
 * ```
 *
 * @publicApi
 */
export function isPaymentsError(value: unknown): value is PaymentsError {
  return typeof value === 'object' && value !== null && BRAND in value;
}
