/**
 * What the emulator shows of itself: the JSON of its control API (`/_sandbox/v1`) and what the handle's list methods
 * return. Field names and the form of money are those of the gateway's own answers.
 */

/** A collection: the gateway's record (specification, "Collection payment record") and what the emulator adds. */
export interface SandboxPayment {
  /** The `x` of the key pair `pk_test_x` / `sk_test_x`. */
  readonly merchant: string;
  readonly customer_name: string;
  readonly customer_email: string;
  readonly customer_phone: string;
  readonly reference: string;
  /** Two decimals: `"15000.00"`. */
  readonly amount: string;
  readonly fee: number;
  readonly net_amount: number;
  readonly currency: string;
  /** `mobile_money` or `partnerpesa`. */
  readonly payment_method: string;
  readonly provider: string;
  readonly provider_reference: string;
  /** Network or wallet that the customer pays with; also the webhook's `channel`. */
  readonly channel: string;
  /** `pending`, `processing`, `success`, `failed`, `cancelled` or `expired`. */
  readonly status: string;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly created_at: string;
  readonly processing_at: string | null;
  /** When it expires if nobody decides. */
  readonly expires_at: string;
  /** When it reached its final state. */
  readonly settled_at: string | null;
}

/** A disbursement of either kind; the fields of the other kind are null. */
export interface SandboxPayout {
  readonly merchant: string;
  readonly kind: 'bank' | 'mobile-money';
  readonly reference: string;
  /** Two decimals, like `fee` and `total_amount`. */
  readonly amount: string;
  readonly fee: string;
  readonly total_amount: string;
  readonly currency: string;
  readonly provider: string;
  /** `pending`, `processing`, `paid`, `failed` or `cancelled`. */
  readonly status: string;
  readonly remarks: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly settled_at: string | null;
  /** Bank payouts. */
  readonly bank_code: string | null;
  readonly bank_name: string | null;
  readonly account_number: string | null;
  readonly account_name: string | null;
  /** Mobile money payouts. */
  readonly recipient_name: string | null;
  readonly recipient_phone: string | null;
  readonly network: string | null;
}

/** A wallet as the gateway shows it (specification, "Wallet balance"). */
export interface SandboxBalance {
  readonly merchant: string;
  readonly balance: number;
  readonly available_balance: number;
  readonly locked_balance: number;
  readonly currency: string;
}

/** One try to deliver a webhook. */
export interface SandboxDeliveryAttempt {
  /** 1 for the first. */
  readonly number: number;
  /** By the sandbox's clock. */
  readonly at: string;
  /** HTTP status of the answer; null where none came. */
  readonly status: number | null;
  /** It carried a wrong signature on purpose, which a receiver must refuse. */
  readonly forged: boolean;
  /** Why it did not count as delivered, in words; null where it did. */
  readonly problem: string | null;
  readonly duration_ms: number;
  /** Asked for by hand: with the headers of the try before it, or signed anew. Null where the schedule asked. */
  readonly replay: 'identical' | 'resigned' | null;
  /** What was sent beside the body, under lower-case names. */
  readonly request_headers: Readonly<Record<string, string>>;
  /** Null where no answer came. */
  readonly response_headers: Readonly<Record<string, string>> | null;
  /** The answer's first 4,096 bytes as text; null where none came. */
  readonly response_body: string | null;
}

/** One webhook event with all its tries. */
export interface SandboxDelivery {
  readonly id: string;
  readonly merchant: string;
  /** `payment.success`, `.failed`, `.cancelled` or `.expired`. */
  readonly event: string;
  readonly reference: string;
  /** Null: no address was set (`deliverTo`) that takes this event when it happened. */
  readonly url: string | null;
  /**
   * - `waiting`: a try is running or due later.
   * - `delivered`: answered 200.
   * - `exhausted`: every try of the schedule failed.
   * - `skipped`: there was no address to deliver to.
   */
  readonly state: 'waiting' | 'delivered' | 'exhausted' | 'skipped';
  /** HTTP status of the last try; null where none was answered. */
  readonly status: number | null;
  readonly attempts: readonly SandboxDeliveryAttempt[];
  readonly next_attempt_at: string | null;
  /** The exact body, the same on every try. */
  readonly body: string;
}

/** One call of the gateway's operations, secrets masked. */
export interface SandboxRequest {
  readonly id: string;
  /** By the sandbox's clock. */
  readonly at: string;
  /** Undefined where the keys were refused. */
  readonly merchant: string | null;
  readonly method: string;
  /** Path with query, `/api/v1/...`. */
  readonly path: string;
  /** Lower-case names. `x-api-key`, `x-api-secret` and `authorization` are masked. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text where it is not JSON; null without a body. */
  readonly body: unknown;
  /** HTTP status of the answer; null where none was sent. */
  readonly status: number | null;
  /** The answer's `code`, where it has one. */
  readonly code: string | null;
  /** The fault that spoiled the answer. */
  readonly fault: string | null;
  /**
   * The rule that fired: `fault hang`, `header 0003`, `ending 0003`, `default manual` or `default auto`; also the answer's
   * `X-Sandbox-Rule` header. Null where there is no such operation.
   */
  readonly rule: string | null;
  /** What the profile `adversarial` did otherwise than documented, in words. */
  readonly varied: readonly string[];
}

/** `GET /_sandbox/v1/info` */
export interface SandboxInfo {
  readonly base_url: string;
  readonly webhook_url: string | null;
  readonly clock: 'real' | 'manual';
  /** Now, by the sandbox's clock. */
  readonly now: string;
  readonly seed: number;
  /** Payments and payouts are decided by themselves after two seconds. */
  readonly auto: boolean;
  readonly profile: 'documented' | 'adversarial';
  readonly merchants: readonly string[];
}

/** What `POST /payments/{reference}/{action}` understands. */
export type PaymentAction = 'approve' | 'decline' | 'cancel' | 'expire';

/** What `POST /payouts/{reference}/{action}` understands. */
export type PayoutAction = 'pay' | 'fail' | 'cancel';

/** What every error of the control API looks like; `message` says what to write instead. */
export interface ControlError {
  readonly error: { readonly code: string; readonly message: string };
}
