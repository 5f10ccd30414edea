import { type HttpModuleOptions } from '@nestjs/axios';
import { type PaymentsEnvironment } from '../common/vocabulary.js';
import { type MoneyInput } from '../common/money.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import { type WebhookOptions } from './webhook-options.js';

/**
 * Options of one merchant account. A wrong one stops the boot with a `PaymentsConfigError` that names it.
 *
 * @publicApi
 */
export interface PaymentsModuleOptions {
  /**
   * Base address of the gateway; ends in `/api/v1` (specification, "Versioning" 1). Plain `http:` is for loopback and
   * test keys only.
   */
  readonly baseUrl: string;
  /** `pk_test_…` or `pk_live_…` (specification, "Authentication" 2). */
  readonly apiKey: string;
  /** `sk_test_…` or `sk_live_…`; may be absent with `auth: 'bearer'`. */
  readonly apiSecret?: string;
  /**
   * Which environment the keys belong to.
   * @default taken from the key's prefix
   */
  readonly environment?: PaymentsEnvironment;
  /**
   * `headers`: `X-API-KEY` and `X-API-SECRET`. `bearer`: `Authorization: Bearer <API_KEY>`, the other form that the
   * specification shows ("Authentication" 5).
   * @default 'headers'
   */
  readonly auth?: 'headers' | 'bearer';
  /**
   * Longest time of one attempt in milliseconds, from queueing to the last byte of the body.
   * @default 30_000
   */
  readonly timeoutMs?: number;
  /**
   * Longest time of one call in milliseconds, all attempts and waits included.
   * @default 60_000
   */
  readonly deadlineMs?: number;
  /** How often and how slowly a call is tried again where that is safe. */
  readonly retry?: RetryOptions;
  /** How many calls of this process reach the gateway at once and in a second. */
  readonly rate?: RateOptions;
  /**
   * One more try with the same key and the same bytes, where money may or may not have moved; `false`: never.
   * The gateway must make at most one payment of requests with the same key, also while it is still working
   * on the first one.
   */
  readonly probe?: false | ProbeOptions;
  /**
   * How long after its sending a payment may still be probed, in milliseconds; `PaymentsJournal.recover()`
   * probes nothing older, and the journal then erases the request.
   * @default 900_000
   */
  readonly recoveryWindowMs?: number;
  /**
   * After how many milliseconds without an outcome `PaymentsJournal.recover()` announces `payment.stale`, once.
   * @default 3_600_000
   */
  readonly staleAfterMs?: number;
  /**
   * Where the gateway tells the status of one payment, `{reference}` in the place of the reference. The
   * specification does not show these paths: ask the gateway.
   * @default none
   */
  readonly statusPaths?: StatusPaths;
  /**
   * Mobile networks that payouts may name; any other is refused before sending. The specification shows six but not
   * their names ("Endpoints" 7).
   * @default any upper-case token
   */
  readonly networks?: readonly string[];
  /** Smallest and largest amount per family; the specification shows none ("Limits" 5). */
  readonly limits?: {
    /** @default no bounds */
    readonly collection?: AmountLimits;
    /** @default no bounds */
    readonly disbursement?: AmountLimits;
  };
  /** How amounts are written on the wire: `decimal` of the specification may mean either. */
  readonly amountFormat?: {
    /** @default 'number' */
    readonly collections?: AmountFormat;
    /** @default 'number' */
    readonly disbursements?: AmountFormat;
  };
  /**
   * Codes with which the gateway definitely refuses a payment: those beyond the specification, and those of the
   * specification that it answers with HTTP 200. A code that is listed here refuses under 2xx and 4xx, never under 5xx.
   * @default []
   */
  readonly refusalCodes?: readonly string[];
  /**
   * Keeps the list of banks in this process, for `BanksService`; `{}` takes the defaults.
   * @default the gateway is asked every time
   */
  readonly banks?: BankDirectoryOptions;
  /**
   * Passed to the package's own `HttpModule`: agent, proxy, adapter, headers. Behind an `adapter` or a
   * `transport` of your own the package cannot see when sending begins: a payment that fails there may have
   * been made. So an adapter resolves with every answer, whatever its status: one that throws for a 4xx makes
   * a refusal unknown.
   * @default {}
   */
  readonly http?: HttpModuleOptions;
  /**
   * Where the package remembers what it must not forget.
   * @default memoryStorage()
   */
  readonly storage?: PaymentsStorage;
  /** Receiving webhooks. Without it, a `@PaymentsWebhook` route of the account stops the boot. */
  readonly webhooks?: WebhookOptions;
}

/**
 * When a call is tried again: exponential back-off with full jitter, inside the call's deadline.
 *
 * @publicApi
 */
export interface RetryOptions {
  /** Tries of one call, the first included. @default 3 */
  readonly maxAttempts?: number;
  /** Upper bound of the first wait in milliseconds. @default 500 */
  readonly baseDelayMs?: number;
  /** Upper bound of any wait in milliseconds. @default 8_000 */
  readonly maxDelayMs?: number;
}

/**
 * Caps on the tries of all calls of one account in this process. A call over a cap waits its turn, first come, first
 * served, inside its deadline. Without caps the calls wait only after a 429, and then all of them.
 *
 * @publicApi
 */
export interface RateOptions {
  /** Tries that may begin within any second, 1 to 10_000. @default no cap */
  readonly perSecond?: number | undefined;
  /** Tries that may be under way at once, 1 to 10_000. @default no cap */
  readonly concurrency?: number | undefined;
}

/**
 * When a payment whose answer was lost or unreadable is tried once more.
 *
 * @publicApi
 */
export interface ProbeOptions {
  /** @default { afterAnswerMs: 15_000, afterSilenceMs: 15_000 } */
  readonly collections?: false | ProbeWaits;
  /** @default false */
  readonly disbursements?: false | ProbeWaits;
}

/**
 * How long to wait before the one further try of a payment.
 *
 * @publicApi
 */
export interface ProbeWaits {
  /**
   * After an answer that says nothing (a 5xx, HTML, broken JSON), in milliseconds: the payment may still be
   * made after it.
   * @default 15_000 (payouts: 40_000), or `afterSilenceMs` where that is longer
   */
  readonly afterAnswerMs?: number;
  /** After a timeout or a broken connection, in milliseconds. @default 15_000 (payouts: 40_000) */
  readonly afterSilenceMs?: number;
}

/**
 * Paths below the base address, for example `/payments/{reference}`. An answer settles a payment only where
 * its `data` names the payment's `reference` beside its `status`, and no other amount or currency; as failed,
 * cancelled or expired only where it names the `amount`.
 *
 * @publicApi
 */
export interface StatusPaths {
  /** Path of a collection's status. @default none */
  readonly collection?: string;
  /** Path of a payout's status. @default none */
  readonly disbursement?: string;
}

/**
 * How long the list of banks is kept. It changes over time (specification, "Endpoints" 4).
 *
 * @publicApi
 */
export interface BankDirectoryOptions {
  /** How long a list is given again without asking the gateway, in milliseconds. @default 3_600_000 */
  readonly maxAgeMs?: number;
  /**
   * How long after that the old list still stands in, in milliseconds, where the gateway is out of reach,
   * limits the rate or gives no usable answer; a warning in `lastResponse` says so, and the gateway is asked
   * again after 30 seconds. 0: never.
   * @default 86_400_000
   */
  readonly staleIfErrorMs?: number;
}

/**
 * Bounds of an amount, both inclusive.
 *
 * @publicApi
 */
export interface AmountLimits {
  /** Smallest amount. @default no bound */
  readonly min?: MoneyInput;
  /** Largest amount. @default no bound */
  readonly max?: MoneyInput;
}

/**
 * A JSON number or a two-decimal string.
 *
 * @publicApi
 */
export type AmountFormat = 'number' | 'string';

/**
 * For `forRootAsync({ useClass | useExisting })`.
 *
 * @publicApi
 */
export interface PaymentsOptionsFactory {
  /** The options; asked for once, at boot. */
  createPaymentsOptions(): PaymentsModuleOptions | Promise<PaymentsModuleOptions>;
}
