import { type PaymentsOperation } from '../common/operations.js';
import { type AttemptInfo, type OutcomeEvidence } from '../common/vocabulary.js';
import { TOKEN } from './gateway-codes.js';

/** The same in every copy of the package, so that `isPaymentsError` knows errors of all copies. */
const BRAND = Symbol.for('nestjs-payments.error');

/**
 * Details of a failed call.
 *
 * @publicApi
 */
export interface PaymentsErrorDetails {
  /** What to do about it, in one sentence. */
  readonly hint?: string | undefined;
  /** HTTP status of the gateway's answer, if there was one. */
  readonly httpStatus?: number | undefined;
  /** The gateway's `request_id`, for its support. */
  readonly requestId?: string | undefined;
  /** The called operation of the gateway. */
  readonly operation?: PaymentsOperation | undefined;
  /** The merchant's reference of the payment. */
  readonly reference?: string | undefined;
  /** The `Idempotency-Key` of the request, sent or not. */
  readonly idempotencyKey?: string | undefined;
  /** Every try of the call, in order. */
  readonly attempts?: readonly AttemptInfo[] | undefined;
  /** An error with nothing but the database's codes: `code`, with `errno` and `sqlState` on MySQL, `errcode` on SQLite. */
  readonly cause?: unknown;
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
  /** HTTP status of the gateway's answer, if there was one. */
  readonly httpStatus?: number;
  /** The gateway's `request_id`, for its support. */
  readonly requestId?: string;
  /** The called operation of the gateway. */
  readonly operation?: PaymentsOperation;
  /** The merchant's reference of the payment. */
  readonly reference?: string;
  /** The `Idempotency-Key` of the request, sent or not. */
  readonly idempotencyKey?: string;
  /** Every try of the call, in order. */
  readonly attempts?: readonly AttemptInfo[];
  /** Whether the application may simply repeat the call. `false` does not forbid the call that `hint` asks for. */
  readonly retryable: boolean = false;
  /**
   * Whether the gateway may have acted on the payment. `false` does not prove that the payment failed: only a
   * `PaymentRejectedError` whose `final` is true does. `not-by-this-call`: not in this call, but an earlier one with the
   * same reference may have made the payment, if the journal knows one or was not read; or the payment is planned, and
   * is sent later.
   */
  readonly mayHaveBeenProcessed: boolean | 'not-by-this-call' = false;

  constructor(
    /** Machine-readable: the gateway's own code, or else a code of this package. */
    readonly code: string,
    message: string,
    details: PaymentsErrorDetails = {},
  ) {
    super(message);
    Object.defineProperty(this, BRAND, { value: true });
    for (const [field, value] of Object.entries(details)) {
      if (value === undefined) continue;
      Object.defineProperty(this, field, { value, enumerable: true, configurable: true });
    }
  }
}

/**
 * Whether a value is an error of this package, or of another copy of the package.
 *
 * @example
 * ```ts
 * if (isPaymentsError(error)) console.warn(error.reference, error.code);
 * ```
 *
 * @publicApi
 */
export function isPaymentsError(value: unknown): value is PaymentsError {
  return typeof value === 'object' && value !== null && BRAND in value;
}

/** Name and code of what may be a database's error, for logs: its own message may repeat stored data. */
export function failureLabel(error: unknown): string {
  if (isPaymentsError(error)) return `${error.name}: ${error.message}`;
  if (!(error instanceof Error)) return 'a value that is not an Error was thrown';
  const code = 'code' in error ? String(error.code) : '';
  return `${TOKEN.test(error.name) ? error.name : 'Error'}${TOKEN.test(code) ? ` (${code})` : ''}`;
}

/**
 * A call that only reads (balance, banks, name lookup) got no usable answer: silence, a server error, or
 * something other than the gateway's JSON. Reading moves no money, so you may repeat the call.
 *
 * @publicApi
 */
export class GatewayAnswerError extends PaymentsError {
  override readonly name = 'GatewayAnswerError';
  override readonly retryable = true;
}

/**
 * The package could not connect to the gateway. It sent nothing, or only tries that the gateway turned away
 * (HTTP 429). You may repeat the call.
 *
 * @publicApi
 */
export class GatewayUnreachableError extends PaymentsError {
  override readonly name = 'GatewayUnreachableError';
  override readonly retryable = true;

  constructor(message: string, details?: PaymentsErrorDetails) {
    super('GATEWAY_UNREACHABLE', message, details);
  }
}

/**
 * Money may have moved. This is neither a failure nor a success: keep the order open, never pay again under another
 * reference, and wait for the webhook or look the reference up.
 *
 * @publicApi
 */
export class PaymentOutcomeUnknownError extends PaymentsError {
  override readonly name = 'PaymentOutcomeUnknownError';
  override readonly retryable = false;
  override readonly mayHaveBeenProcessed = true;

  constructor(
    /** What the package saw instead of a clear answer. */
    readonly evidence: OutcomeEvidence,
    message: string,
    details?: PaymentsErrorDetails,
  ) {
    super('OUTCOME_UNKNOWN', message, details);
  }
}

/**
 * The gateway refused. If `final` is true, no money moved and none will.
 *
 * `code` is the gateway's code (specification, "Errors"). If it gave none, it is `INVALID_REQUEST` after an answer that lists
 * fields, and `HTTP_<status>` after another one. It is `REJECTED` if the journal says it of an earlier call.
 *
 * @publicApi
 */
export class PaymentRejectedError extends PaymentsError {
  override readonly name = 'PaymentRejectedError';
  override readonly mayHaveBeenProcessed = false;

  constructor(
    code: string,
    message: string,
    details?: PaymentsErrorDetails,
    /** The gateway's messages by field (error shape C); empty if it gave none. */
    readonly errors: Readonly<Record<string, string[]>> = {},
    /** Whether it proves that no money moved. If not, keep the reference and make the same call again. */
    readonly final: boolean = true,
  ) {
    super(code, message, details);
  }
}

/**
 * The gateway refused the credentials: 401 `UNAUTHORIZED` or 403 `INSUFFICIENT_PERMISSIONS`
 * (specification, "Authentication" 7).
 *
 * @publicApi
 */
export class PaymentsAuthenticationError extends PaymentsError {
  override readonly name = 'PaymentsAuthenticationError';
}

/**
 * An option is wrong (at boot), or the gateway answered with a redirect (at run time).
 * The message names the option, what is wrong with it and what to write instead; it never holds a secret. If
 * `accounts.resolve` returned the option, `mayHaveBeenProcessed` is `not-by-this-call`: nobody could ask the journal.
 *
 * @publicApi
 */
export class PaymentsConfigError extends PaymentsError {
  override readonly name = 'PaymentsConfigError';

  constructor(message: string, details?: PaymentsErrorDetails) {
    super('CONFIG_INVALID', message, details);
  }
}

/**
 * The gateway turned the call away with 429: too many requests (specification, "Limits" 4). Or the package
 * sent nothing: after a 429 all calls of the account wait, and this call could not.
 *
 * @publicApi
 */
export class PaymentsRateLimitError extends PaymentsError {
  override readonly name = 'PaymentsRateLimitError';
  override readonly retryable = true;

  constructor(
    /** How long the gateway asks to wait, in milliseconds; undefined if it did not say. */
    readonly retryAfterMs: number | undefined,
    message: string,
    details?: PaymentsErrorDetails,
  ) {
    super('RATE_LIMITED', message, details);
  }
}

/**
 * The storage did not answer, so this call sent nothing. For a payment, `mayHaveBeenProcessed` is `not-by-this-call`: only the
 * storage may know an earlier call with the same reference.
 *
 * @publicApi
 */
export class PaymentsStorageError extends PaymentsError {
  override readonly name = 'PaymentsStorageError';
  override readonly retryable = true;

  constructor(
    message: string,
    details?: PaymentsErrorDetails,
    override readonly mayHaveBeenProcessed: false | 'not-by-this-call' = false,
  ) {
    super('STORAGE_UNAVAILABLE', message, details);
  }
}

/**
 * A request, a statement or an argument is wrong. This call sent nothing.
 *
 * @publicApi
 */
export class PaymentsValidationError extends PaymentsError {
  override readonly name: string = 'PaymentsValidationError';

  constructor(
    /** Messages by field. Each says what to write instead and never repeats the value. */
    readonly errors: Readonly<Record<string, string[]>>,
    details?: PaymentsErrorDetails,
    /** How the message begins. */
    begin = 'The call is wrong',
  ) {
    super('VALIDATION_FAILED', `${begin}: ${Object.values(errors).flat().join('; ')}`, details);
  }
}

/**
 * The reference belongs to another payment, or its payment has ended. This call sent nothing: do what `hint`
 * says. A new reference may pay twice if the payment with this one is open.
 *
 * @publicApi
 */
export class ReferenceReusedError extends PaymentsError {
  override readonly name = 'ReferenceReusedError';

  constructor(
    message: string,
    details?: PaymentsErrorDetails,
    /** Whether the reference's existing payment may have been made. This call itself sent nothing. */
    override readonly mayHaveBeenProcessed: boolean = false,
  ) {
    super('REFERENCE_REUSED', message, details);
  }
}

/**
 * `verifyWebhook` refused a delivery: answer the sender with `status`. You may send the message: it is the
 * same for every wrong signature.
 *
 * @publicApi
 */
export class WebhookRefusedError extends PaymentsError {
  override readonly name = 'WebhookRefusedError';

  constructor(
    /**
     * HTTP status to answer with: 401 the signature is not valid, 413 the body is too long, 415 it is
     * compressed or not JSON in UTF-8, 400 it is not a JSON object, 422 a field that every event has is
     * missing or malformed.
     */
    readonly status: 400 | 401 | 413 | 415 | 422,
    message: string,
    /** The exact reason. For logs only: it would show a forger how far a signature got. */
    readonly reason: string,
  ) {
    super('WEBHOOK_REFUSED', message);
  }
}
