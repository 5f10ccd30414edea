import { type SandboxPayoutKind } from '../core/operation-name.js';

/**
 * Records of the control API (`/_sandbox/v1`) and of the handle's list methods. Field names and amounts have
 * the form of the gateway's own answers.
 */

/**
 * A collection: the gateway's record (specification, "Collection payment record") with the emulator's own
 * fields.
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
  /** The gateway's fee. */
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
  /** The merchant's own data; null if it sent none. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** ISO 8601, by the sandbox's clock, like the other times. */
  readonly created_at: string;
  /** When processing began; null before. */
  readonly processing_at: string | null;
  /** When it expires unless somebody decides. */
  readonly expires_at: string;
  /** When it reached its final state. */
  readonly settled_at: string | null;
  /** Why it was declined or cancelled, if the decision gave a reason. */
  readonly reason: string | null;
}

/**
 * A disbursement. The fields of the other kind are null.
 *
 * @publicApi
 */
export interface SandboxPayout {
  /** The `x` of the key pair `pk_test_x` / `sk_test_x`. */
  readonly merchant: string;
  /** Where the payout sends the money. */
  readonly kind: SandboxPayoutKind;
  /** The merchant's reference. */
  readonly reference: string;
  /** Two decimals, like `fee` and `total_amount`. */
  readonly amount: string;
  /** The gateway's fee on top of the amount. */
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
  /** The merchant's own data; empty if it sent none. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** ISO 8601, by the sandbox's clock. */
  readonly created_at: string;
  /** When it reached its final state; null before. */
  readonly settled_at: string | null;
  /** Why it failed or was cancelled, if the decision gave a reason. */
  readonly reason: string | null;
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
  /** All money in the wallet. */
  readonly balance: number;
  /** The money that payouts may use. */
  readonly available_balance: number;
  /** The money that open payouts lock. */
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
  /** Where it was sent; null if an earlier version of the emulator kept the try. */
  readonly url: string | null;
  /** HTTP status of the answer; null without an answer. */
  readonly status: number | null;
  /** Whether the emulator sent a wrong signature on purpose. A receiver must refuse it. */
  readonly forged: boolean;
  /** Why it did not count as delivered, in words; null if it did count. */
  readonly problem: string | null;
  /** Duration in milliseconds of real time. */
  readonly duration_ms: number;
  /**
   * Null: the schedule caused this try. Otherwise an operator asked for the headers of the previous try, or
   * for a new signature.
   */
  readonly replay: 'identical' | 'resigned' | null;
  /** The headers of the request, by lower-case name. */
  readonly request_headers: Readonly<Record<string, string>>;
  /** The headers of the answer; null without an answer. */
  readonly response_headers: Readonly<Record<string, string>> | null;
  /** The answer's first 4,096 bytes as text; null without an answer. */
  readonly response_body: string | null;
}

/**
 * One webhook event with all its tries.
 *
 * @publicApi
 */
export interface SandboxDelivery {
  /** Its id in the control API. */
  readonly id: string;
  /** The `x` of the key pair `pk_test_x` / `sk_test_x`. */
  readonly merchant: string;
  /** `payment.success`, `.failed`, `.cancelled` or `.expired`. */
  readonly event: string;
  /** The merchant's reference of the payment. */
  readonly reference: string;
  /**
   * While it waits, its endpoint's address now; once it has ended, where its last try went. Null: no endpoint took the
   * event when it happened, or its endpoint was removed before the first try.
   */
  readonly url: string | null;
  /**
   * - `waiting`: a try is running or scheduled.
   * - `delivered`: the receiver answered 200.
   * - `exhausted`: every try of the schedule failed, or that of a replay after it was skipped.
   * - `skipped`: no endpoint took the event, or its endpoint was removed or turned off before one answered 200.
   */
  readonly state: 'waiting' | 'delivered' | 'exhausted' | 'skipped';
  /** HTTP status of the last answer; null without an answer. */
  readonly status: number | null;
  /** Every try, the first one first. */
  readonly attempts: readonly SandboxDeliveryAttempt[];
  /** When the next try is due; null if none is scheduled. */
  readonly next_attempt_at: string | null;
  /** The exact body, the same on every try. */
  readonly body: string;
}

/** `GET /_sandbox/v1/info` */
export interface SandboxInfo {
  readonly base_url: string;
  /** The key pair of the merchant of `moduleOptions()`. It is no secret: every pair is accepted. */
  readonly api_key: string;
  readonly api_secret: string;
  readonly webhook_url: string | null;
  readonly clock: 'real' | 'manual';
  /** Now, by the sandbox's clock. */
  readonly now: string;
  readonly seed: number;
  /** Whether the emulator decides payments and payouts after two seconds. */
  readonly auto: boolean;
  readonly profile: 'documented' | 'adversarial' | 'observed';
  readonly merchants: readonly string[];
}

/** Every error of the control API. `message` says what to write instead. */
export interface ControlError {
  readonly error: { readonly code: string; readonly message: string };
}
