import { type HttpModuleOptions } from '@nestjs/axios';
import { type PaymentsEnvironment } from '../common/vocabulary.js';
import { type MoneyInput } from '../common/money.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import { type PaymentsEncryption } from '../storage/sealed/encryption.js';
import { type WebhookOptions } from './webhook-options.js';

/**
 * Options of one merchant account. A wrong option stops the boot with a `PaymentsConfigError` that names it.
 *
 * @publicApi
 */
export interface PaymentsModuleOptions {
  // An option that guards money or data has no `| undefined`: a missing variable must not remove `networks`, `limits`,
  // `storage`, `encryption` or `notAfter` of a secret.
  /**
   * Base address of the gateway; ends in `/api/v1` (specification, "Versioning" 1). Plain `http:` works only
   * with loopback and test keys.
   */
  readonly baseUrl: string;
  /** `pk_test_…` or `pk_live_…` (specification, "Authentication" 2). */
  readonly apiKey: string;
  /** `sk_test_…` or `sk_live_…`; may be absent with `auth: 'bearer'`. */
  readonly apiSecret?: string | undefined;
  /**
   * Environment of the keys.
   * @default taken from the key's prefix
   */
  readonly environment?: PaymentsEnvironment | undefined;
  /**
   * `headers`: `X-API-KEY` and `X-API-SECRET`. `bearer`: `Authorization: Bearer <API_KEY>`, the other form that the
   * specification shows ("Authentication" 5).
   * @default 'headers'
   */
  readonly auth?: 'headers' | 'bearer' | undefined;
  /**
   * Longest time of one try in milliseconds, from asking for a connection to the last byte of the body. The wait for
   * a turn under the `rate` option does not count.
   * @default 30_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Longest time of one call in milliseconds, all tries and waits included.
   * @default 60_000
   */
  readonly deadlineMs?: number | undefined;
  /** Number and pace of the tries of a call, when a retry is safe. */
  readonly retry?: RetryOptions | undefined;
  /** Limits of concurrent calls and calls per second of this process. */
  readonly rate?: RateOptions | undefined;
  /**
   * Most payments that may be in flight at once in this process. A further one is refused before it is written or sent, with a
   * `PaymentsOverloadError`: those that were begun continue. A call that waits for `accounts.resolve` counts,
   * too. Calls that only read have as many places of their own.
   * @default 1_000
   */
  readonly maxInFlight?: number | undefined;
  /**
   * One more try with the same key and the same bytes, if money may or may not have moved; `false`: never.
   * The gateway must make at most one payment from requests with the same key, even while it processes the
   * first one.
   */
  readonly probe?: false | ProbeOptions | undefined;
  /**
   * How long after sending a payment the package may probe it, in milliseconds. `PaymentsJournal.recover()`
   * probes no older payment, and the journal then erases the request.
   * @default 900_000
   */
  readonly recoveryWindowMs?: number | undefined;
  /**
   * Milliseconds without an outcome after which `PaymentsJournal.recover()` announces `payment.stale`, once.
   * @default 3_600_000
   */
  readonly staleAfterMs?: number | undefined;
  /**
   * Paths of the gateway's status queries, with `{reference}` as placeholder. The specification does not show
   * them: ask the gateway.
   * @default none
   */
  readonly statusPaths?: StatusPaths | undefined;
  /**
   * Mobile networks that payouts may name. The package refuses any other before sending. The specification
   * shows six, but not their names ("Endpoints" 7).
   * @default any upper-case token
   */
  readonly networks?: readonly string[];
  /** Smallest and largest amount per family, and caps of a day. The specification shows none ("Limits" 5). */
  readonly limits?: {
    /** Limits of collections. @default no bounds */
    readonly collection?: AmountLimits;
    /** Limits of disbursements. @default no bounds */
    readonly disbursement?: AmountLimits;
  };
  /** JSON type of amounts in requests: the specification's `decimal` may mean either. */
  readonly amountFormat?:
    | {
        /** Type in requests for collections. @default 'number' */
        readonly collections?: AmountFormat | undefined;
        /** Type in requests for disbursements. @default 'number' */
        readonly disbursements?: AmountFormat | undefined;
      }
    | undefined;
  /**
   * Codes with which the gateway definitely refuses a payment: codes beyond the specification, and codes of
   * the specification that it answers with HTTP 200. A listed code refuses under 2xx and 4xx, never under
   * 5xx. A code beyond the specification refuses whatever its message says; one of the specification does not
   * beside a message that may speak of an earlier payment, nor `INVALID_REQUEST` under 409.
   * @default []
   */
  readonly refusalCodes?: readonly string[] | undefined;
  /**
   * Caches the list of banks in this process, for `BanksService`; `{}` takes the defaults.
   * @default the gateway is asked every time
   */
  readonly banks?: BankDirectoryOptions | undefined;
  /**
   * Options of the package's own `HttpService`: `httpAgent`, `httpsAgent`, `proxy`, `adapter`, `headers`, `auth` for a
   * server before the gateway, and others of its connections. One that would have no effect is refused, for example
   * `timeout`: that is `timeoutMs`. The package sets `maxRedirects`, `responseType`, `transformRequest`,
   * `transformResponse` and `validateStatus` itself. With your own `adapter` or
   * `transport` the package cannot see when sending begins: a payment that fails there may have been made. An
   * adapter must resolve with every answer, whatever its status. If it throws for a 4xx, a refusal becomes
   * unknown. Requests carry `User-Agent: nestjs-payments`, unless `headers` has another.
   * @default {}
   */
  readonly http?: HttpModuleOptions | undefined;
  /**
   * Where the package keeps the journal, the inbox and the conflicts.
   * @default memoryStorage()
   */
  readonly storage?: PaymentsStorage;
  /**
   * Seals names, phone numbers, e-mail addresses, account numbers and descriptions before the storage, or the queue of
   * `PaymentsQueueModule`, gets them: `aesGcm({ keys, current })`, or `envelope({ kms, … })` with a key management service. Of
   * a list the first one seals, and all of them open. References, amounts, states and times stay plain.
   * @default nothing is sealed
   */
  readonly encryption?: PaymentsEncryption | readonly PaymentsEncryption[];
  /** Options of webhooks. Without them, a `@PaymentsWebhook` route of the account stops the boot. */
  readonly webhooks?: WebhookOptions | undefined;
}

/**
 * Retries of a call: exponential back-off with full jitter, within the call's deadline.
 *
 * @publicApi
 */
export interface RetryOptions {
  /** Tries of one call, the first included. @default 3 */
  readonly maxAttempts?: number | undefined;
  /** Upper bound of the first wait in milliseconds. @default 500 */
  readonly baseDelayMs?: number | undefined;
  /** Upper bound of any wait in milliseconds. @default 8_000 */
  readonly maxDelayMs?: number | undefined;
}

/**
 * Caps on the tries of all calls of one account in this process. A call over a cap waits its turn, first
 * come, first served, within its deadline. Without caps, calls wait only after a 429, and then all of them.
 *
 * @publicApi
 */
export interface RateOptions {
  /** Tries that may begin within any second, 1 to 10_000. @default no cap */
  readonly perSecond?: number | undefined;
  /**
   * Tries that may be under way at once, 1 to 10_000. Above 50 it is also how many connections to the gateway there may be; without
   * it, calls share 50. With an account resolver there are 500, whatever it says, and without it each account takes 250 at most.
   * @default no cap
   */
  readonly concurrency?: number | undefined;
}

/**
 * Probes of payments whose answer was lost or unreadable.
 *
 * @publicApi
 */
export interface ProbeOptions {
  /** When a collection is probed; `false`: never. @default { afterAnswerMs: 15_000, afterSilenceMs: 15_000 } */
  readonly collections?: false | ProbeWaits | undefined;
  /** When a disbursement is probed; `false`: never. @default false */
  readonly disbursements?: false | ProbeWaits | undefined;
}

/**
 * Waits before the probe of a payment.
 *
 * @publicApi
 */
export interface ProbeWaits {
  /**
   * Wait after an unclear answer (a 5xx, HTML, broken JSON), in milliseconds: the gateway may still make the
   * payment.
   * @default 15_000 (payouts: 40_000), or `afterSilenceMs` if that is longer
   */
  readonly afterAnswerMs?: number | undefined;
  /** Wait after a timeout or a broken connection, in milliseconds. @default 15_000 (payouts: 40_000) */
  readonly afterSilenceMs?: number | undefined;
}

/**
 * Paths below the base address, for example `/payments/{reference}`. An answer settles a payment only if its
 * `data` names the payment's `reference` beside its `status`, and no other amount or currency. To settle it
 * as failed, cancelled or expired, `data` must also name the `amount`.
 *
 * @publicApi
 */
export interface StatusPaths {
  /** Path of a collection's status. @default none */
  readonly collection?: string | undefined;
  /** Path of a payout's status. @default none */
  readonly disbursement?: string | undefined;
}

/**
 * How long the package caches the list of banks, which changes over time (specification, "Endpoints" 4).
 *
 * @publicApi
 */
export interface BankDirectoryOptions {
  /** How long the package returns a list without asking the gateway, in milliseconds. @default 3_600_000 */
  readonly maxAgeMs?: number | undefined;
  /**
   * How much longer the old list serves, in milliseconds, if the gateway is out of reach, limits the rate or
   * gives no usable answer. A warning in `lastResponse` says so, and the package asks the gateway again after
   * 30 seconds. 0: never.
   * @default 86_400_000
   */
  readonly staleIfErrorMs?: number | undefined;
}

/**
 * Bounds of an amount, both inclusive, and caps of a day.
 *
 * @publicApi
 */
export interface AmountLimits {
  /** Smallest amount. @default no bound */
  readonly min?: MoneyInput;
  /** Largest amount. @default no bound */
  readonly max?: MoneyInput;
  /**
   * What the account may pay, or ask for, on one day. The storage counts each payment together with its entry in the journal,
   * so all replicas share the cap. A payment beyond it is a `DailyCapReachedError`, and
   * is not sent; a planned one stays planned. An amount that no day has room for is refused like one above `max`. A day begins at midnight in Dar es Salaam (UTC+3), by the storage's clock.
   * @default no cap
   */
  readonly perDay?: DailyLimits;
}

/**
 * Caps of one day, for one account and family. One of the two may be left out.
 *
 * @publicApi
 */
export interface DailyLimits {
  /** Largest sum of the payments of a day. @default no bound */
  readonly amount?: MoneyInput;
  /** Largest number of payments of a day. @default no cap */
  readonly count?: number;
}

/**
 * A JSON number or a two-decimal string.
 *
 * @publicApi
 */
export type AmountFormat = 'number' | 'string';
