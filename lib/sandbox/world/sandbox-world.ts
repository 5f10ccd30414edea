import { type MoneyInput } from '../../common/money.js';
import { type PaymentEventName } from '../../common/events.js';
import { type Duration } from '../clock/duration.js';
import { type SandboxOperation } from '../core/operation-name.js';

/**
 * What an emulator begins with: the content of a seed file. A start option of the same name counts before it, and
 * so does what the folder of `data` has.
 *
 * @publicApi
 */
export interface SandboxWorld {
  /** As the start option. */
  readonly clock?: 'real' | 'manual';
  /** Where the clock begins, as ISO 8601 with a time zone. @default now; 1 January 2026, 9:00 UTC for a manual clock */
  readonly now?: string;
  /** Whether a real clock stands still until somebody moves it. @default false */
  readonly frozen?: boolean;
  /** As the start option. */
  readonly seed?: number;
  /** As the start option. */
  readonly auto?: boolean;
  /** As the start option. */
  readonly profile?: 'documented' | 'adversarial';
  /** As the start option: each merchant's balance, unless it has one of its own. */
  readonly startingBalance?: MoneyInput;
  /** As the start option. */
  readonly fees?: {
    /** Per cent of a collection's amount. @default 2 */
    readonly collectionPercent?: number;
    /** Fee on top of each payout. @default '500.00' */
    readonly payout?: MoneyInput;
  };
  /** As the start option. */
  readonly expireAfter?: Duration;
  /** The scheme that signs webhooks, by the name of its function, with the options of that function. */
  readonly webhookScheme?: SandboxWorldScheme;
  /** As the start option. */
  readonly webhookSecret?: string;
  /** The banks, in place of the 37 made-up ones. */
  readonly banks?: readonly SandboxWorldBank[];
  /** The holder of each phone and account number, for every merchant. Null: the account is closed. */
  readonly directory?: Readonly<Record<string, string | null>>;
  /** Webhook addresses for the merchants that have none of their own. */
  readonly webhooks?: readonly SandboxWorldWebhook[];
  /** Faults that wait for a call, in their order. */
  readonly faults?: readonly SandboxWorldFault[];
  /** The merchants, by the `x` of their key pair `pk_test_x` / `sk_test_x`. */
  readonly merchants?: Readonly<Record<string, SandboxWorldMerchant>>;
}

/**
 * One signature scheme: `{ hmac: { … } }`.
 *
 * @publicApi
 */
export interface SandboxWorldScheme {
  /** The options of `hmac()`. */
  readonly hmac?: Readonly<Record<string, unknown>>;
  /** The options of `standardWebhooks()`. */
  readonly standardWebhooks?: Readonly<Record<string, unknown>>;
  /** The options of `stripeStyle()`. */
  readonly stripeStyle?: Readonly<Record<string, unknown>>;
}

/**
 * A bank of a world.
 *
 * @publicApi
 */
export interface SandboxWorldBank {
  /** Its number in the list. */
  readonly id: number;
  /** Its name. */
  readonly name: string;
  /** Its short code. */
  readonly code: string;
  /** Another code that names it. */
  readonly long_code?: string;
}

/**
 * An address that gets webhooks.
 *
 * @publicApi
 */
export interface SandboxWorldWebhook {
  /** Where they go. */
  readonly url: string;
  /** The events that it gets. @default all */
  readonly events?: readonly PaymentEventName[];
  /** Whether it gets any. @default true */
  readonly enabled?: boolean;
  /** What signs them. @default the emulator's webhook secret */
  readonly secret?: string;
}

/**
 * A planned fault, with the fields that `POST /_sandbox/v1/faults` takes.
 *
 * @publicApi
 */
export interface SandboxWorldFault {
  /** The operation whose calls it applies to. */
  readonly operation: SandboxOperation;
  /** What happens to the call. */
  readonly kind:
    | 'dropBefore'
    | 'dropAfterProcessing'
    | 'reset'
    | 'partialBody'
    | 'malformedJson'
    | 'hang'
    | 'status'
    | 'html'
    | 'delay'
    | 'drip';
  /** Status of the answer, for `status` and `html`. */
  readonly status?: number;
  /** `Retry-After` in seconds, for `status`. */
  readonly retry_after?: number;
  /** The gateway's code, for `status`. */
  readonly code?: string;
  /** Whether the call is processed before it is answered, for `status` and `html`. @default false */
  readonly after_processing?: boolean;
  /** For `delay` and `drip`. */
  readonly duration?: Duration;
  /** How many calls it applies to. @default 1 */
  readonly times?: number;
  /** The chance that it applies to a call. @default 1 */
  readonly probability?: number;
  /** The reference that the call must have. @default any */
  readonly reference?: string;
  /** The merchant that the call must be of. @default any */
  readonly merchant?: string;
}

/**
 * A merchant of a world.
 *
 * @publicApi
 */
export interface SandboxWorldMerchant {
  /** The available money, after the payments and payouts below. @default `startingBalance`, changed by them */
  readonly balance?: MoneyInput;
  /** Its own account holders, before the shared ones. */
  readonly directory?: Readonly<Record<string, string | null>>;
  /** Its own webhook addresses, in place of the shared ones. */
  readonly webhooks?: readonly SandboxWorldWebhook[];
  /** Its payments. */
  readonly payments?: readonly SandboxWorldPayment[];
  /** Its payouts. */
  readonly payouts?: readonly SandboxWorldPayout[];
}

/**
 * What payments and payouts share.
 *
 * @publicApi
 */
export interface SandboxWorldMoney {
  /** The merchant's reference. */
  readonly reference: string;
  /** Amount of TZS. */
  readonly amount: MoneyInput;
  /** Why it failed or was cancelled, in words. */
  readonly reason?: string;
  /** How long before the start it was accepted, and settled if it has ended. @default 0 */
  readonly age?: Duration;
  /** The idempotency key that it used up. @default none */
  readonly idempotency_key?: string;
  /** Data of the merchant. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * A payment that exists already. Its webhook is not sent, but can be replayed.
 *
 * @publicApi
 */
export interface SandboxWorldPayment extends SandboxWorldMoney {
  /** The customer's number, as `255XXXXXXXXX`. */
  readonly phone: string;
  /** How it is collected. @default 'mobile_money' */
  readonly method?: 'mobile_money' | 'partnerpesa';
  /** Its status. @default what the number's ending decides, most often `pending` */
  readonly status?: 'pending' | 'processing' | 'success' | 'failed' | 'cancelled' | 'expired';
  /** The customer's name. @default the holder of the number */
  readonly customer_name?: string;
  /** The customer's address. @default 'customer@example.com' */
  readonly customer_email?: string;
}

/**
 * A payout that exists already: to a bank with `bank_code`, to a phone with `recipient_phone`.
 *
 * @publicApi
 */
export interface SandboxWorldPayout extends SandboxWorldMoney {
  /** Its status. @default what the number's ending decides, most often `processing` */
  readonly status?: 'processing' | 'paid' | 'failed' | 'cancelled';
  /** What the recipient reads. @default the reference */
  readonly remarks?: string;
  /** The bank of the account. */
  readonly bank_code?: string;
  /** The account. */
  readonly account_number?: string;
  /** The account's holder. @default the holder in the directory */
  readonly account_name?: string;
  /** The recipient's number, as `255XXXXXXXXX`. */
  readonly recipient_phone?: string;
  /** The recipient's name. @default the holder in the directory */
  readonly recipient_name?: string;
  /** The recipient's network. @default that of the number */
  readonly network?: string;
}
