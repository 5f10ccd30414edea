/**
 * What the emulator shows of itself: the JSON of its control API (`/_sandbox/v1`) and what the handle's list methods
 * return. Field names and the form of money are those of the gateway's own answers.
 */

/**
 * A collection: the gateway's record (specification, "Collection payment record") and what the emulator adds.
 *
 * @publicApi
 */
export interface SandboxPayment {
  /** The `x` of the key pair `pk_test_x` / `sk_test_x`. */
  readonly merchant: string;
  /** The customer's full name. */
  readonly customer_name: string;
  /** The customer's email address. */
  readonly customer_email: string;
  /** `255` and nine digits. */
  readonly customer_phone: string;
  /** The merchant's reference. */
  readonly reference: string;
  /** Two decimals: `"15000.00"`. */
  readonly amount: string;
  /** What the gateway keeps. */
  readonly fee: number;
  /** Amount less the fee. */
  readonly net_amount: number;
  /** `TZS`. */
  readonly currency: string;
  /** `mobile_money` or `partnerpesa`. */
  readonly payment_method: string;
  /** Name of the invented provider. */
  readonly provider: string;
  /** The provider's transaction reference. */
  readonly provider_reference: string;
  /** Network or wallet that the customer pays with; also the webhook's `channel`. */
  readonly channel: string;
  /** `pending`, `processing`, `success`, `failed`, `cancelled` or `expired`. */
  readonly status: string;
  /** The merchant's own data; null where none was sent. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** ISO 8601, by the sandbox's clock, like the other times. */
  readonly created_at: string;
  /** When processing began; null before. */
  readonly processing_at: string | null;
  /** When it expires if nobody decides. */
  readonly expires_at: string;
  /** When it reached its final state. */
  readonly settled_at: string | null;
}

/**
 * A disbursement of either kind; the fields of the other kind are null.
 *
 * @publicApi
 */
export interface SandboxPayout {
  /** The `x` of the key pair `pk_test_x` / `sk_test_x`. */
  readonly merchant: string;
  /** Where the money goes. */
  readonly kind: 'bank' | 'mobile-money';
  /** The merchant's reference. */
  readonly reference: string;
  /** Two decimals, like `fee` and `total_amount`. */
  readonly amount: string;
  /** What the gateway takes on top. */
  readonly fee: string;
  /** Amount plus fee: what leaves the wallet. */
  readonly total_amount: string;
  /** `TZS`. */
  readonly currency: string;
  /** Name of the invented provider. */
  readonly provider: string;
  /** `pending`, `processing`, `paid`, `failed` or `cancelled`. */
  readonly status: string;
  /** The merchant's description of the payout. */
  readonly remarks: string;
  /** The merchant's own data; empty where none was sent. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** ISO 8601, by the sandbox's clock. */
  readonly created_at: string;
  /** When it reached its final state; null before. */
  readonly settled_at: string | null;
  /** Bank payouts: code of the recipient's bank. */
  readonly bank_code: string | null;
  /** Bank payouts: full name of that bank. */
  readonly bank_name: string | null;
  /** Bank payouts: the recipient's account number. */
  readonly account_number: string | null;
  /** Bank payouts: name of the account's holder. */
  readonly account_name: string | null;
  /** Mobile money payouts: the recipient's full name. */
  readonly recipient_name: string | null;
  /** Mobile money payouts: `255` and nine digits. */
  readonly recipient_phone: string | null;
  /** Mobile money payouts: the recipient's mobile network. */
  readonly network: string | null;
}

/**
 * A wallet as the gateway shows it (specification, "Wallet balance").
 *
 * @publicApi
 */
export interface SandboxBalance {
  /** The `x` of the key pair `pk_test_x` / `sk_test_x`. */
  readonly merchant: string;
  /** All that is in the wallet. */
  readonly balance: number;
  /** What payouts may use. */
  readonly available_balance: number;
  /** What open payouts hold back. */
  readonly locked_balance: number;
  /** `TZS`. */
  readonly currency: string;
}

/**
 * One try to deliver a webhook.
 *
 * @publicApi
 */
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
  /** How long it took, in milliseconds of real time. */
  readonly duration_ms: number;
  /**
   * Who asked: null for the schedule, else an operator who wanted the headers of the try before, or a new signature.
   */
  readonly replay: 'identical' | 'resigned' | null;
  /** What was sent beside the body, under lower-case names. */
  readonly request_headers: Readonly<Record<string, string>>;
  /** Null where no answer came. */
  readonly response_headers: Readonly<Record<string, string>> | null;
  /** The answer's first 4,096 bytes as text; null where none came. */
  readonly response_body: string | null;
}

/**
 * One webhook event with all its tries.
 *
 * @publicApi
 */
export interface SandboxDelivery {
  /** What the control API names it by. */
  readonly id: string;
  /** The `x` of the key pair `pk_test_x` / `sk_test_x`. */
  readonly merchant: string;
  /** `payment.success`, `.failed`, `.cancelled` or `.expired`. */
  readonly event: string;
  /** The merchant's reference of the payment. */
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
  /** Every try, the first one first. */
  readonly attempts: readonly SandboxDeliveryAttempt[];
  /** When the next try is due; null where none is. */
  readonly next_attempt_at: string | null;
  /** The exact body, the same on every try. */
  readonly body: string;
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

/** What every error of the control API looks like; `message` says what to write instead. */
export interface ControlError {
  readonly error: { readonly code: string; readonly message: string };
}
