import { type IncomingHttpHeaders } from 'node:http';
import { type PaymentEventName } from '../common/events.js';
import { type WebhookScheme } from '../common/webhook-scheme.js';

/**
 * Options for the webhooks of one account.
 *
 * @publicApi
 */
export interface WebhookOptions {
  /** Scheme that verifies deliveries. There is no default: the specification shows none ("Events" rule 3). */
  readonly scheme: WebhookScheme;
  /** Signing secrets, at least 16 bytes each without `allowShort`; several while rotating. */
  readonly secrets: readonly WebhookSecret[];
  /** Longest accepted body in bytes. @default 65_536 */
  readonly bodyLimit?: number | undefined;
  /** Longest time to receive the body of one delivery, in milliseconds; 408 after it. @default 10_000 */
  readonly bodyTimeoutMs?: number | undefined;
  /**
   * Most bytes of unverified bodies that the application holds, over all connections and accounts. Beyond
   * this limit it answers 503 with `Retry-After`. Incomplete bodies get half of it, and so do bodies that wait
   * for `accounts.resolve`.
   * @default 16_777_216
   */
  readonly unverifiedBytesLimit?: number | undefined;
  /**
   * Returns the exact bytes of a delivery, on a host that reads requests itself. With this option the package
   * reads no request of the account's routes. If it returns nothing, a Buffer or text at `request.rawBody`
   * counts.
   *
   * @default not set
   * @example
   * ```ts
   * const webhooks = { rawBody: (request: WebhookHostRequest & { originalBody?: Buffer }) => request.originalBody };
   * ```
   */
  rawBody?(
    request: WebhookHostRequest,
  ): Uint8Array | string | undefined | Promise<Uint8Array | string | undefined>;
  /**
   * Whether the boot logs a warning if no route of this application receives the webhooks. Write `false` if
   * another process receives them, or your code calls `PaymentsInbox.receive()`. A route works with both.
   * @default true
   */
  readonly expectRoute?: boolean | undefined;
  /** Longest time of all handlers of one delivery, in milliseconds. @default 25_000 */
  readonly handlerTimeoutMs?: number | undefined;
  /** How long a claim holds when its process dies, in milliseconds. @default 60_000 */
  readonly leaseMs?: number | undefined;
  /** How long a repeated delivery waits for the running one, in milliseconds. @default 2_000 */
  readonly inFlightWaitMs?: number | undefined;
  /**
   * Most deliveries that may be in flight at once in this process. A further one is answered 503 with `Retry-After` before
   * the storage is asked, and the gateway delivers it again.
   * @default 1_000
   */
  readonly maxInFlight?: number | undefined;
  /**
   * Age in days from which `PaymentsInbox.purge()` forgets a handled outcome; `Infinity`: never. If the
   * scheme signs no time, write `Infinity`: an attacker can replay an old delivery at any time.
   * @default 30
   */
  readonly retentionDays?: number | undefined;
  /**
   * What the package does with a webhook whose payment the journal does not know:
   *
   * - `handle`: runs its handlers with `context.known` false.
   * - `set-aside`: stores it, and `PaymentsInbox.conflicts()` lists it.
   * - `acknowledge`: answers 200 and drops it. Use this only if another system on the same account gets it
   *   too, and with a storage that does not forget: the package also drops the webhook of a payment that the
   *   journal has forgotten.
   * @default 'handle'
   */
  readonly unknownReferences?: UnknownReferences | undefined;
  /**
   * Outcomes that may replace a settled one, for example `[['payment.failed', 'payment.success']]`.
   * @default []
   */
  readonly supersede?: readonly (readonly [from: PaymentEventName, to: PaymentEventName])[] | undefined;
}

/**
 * What the package does with a webhook whose payment the journal does not know.
 *
 * @publicApi
 */
export type UnknownReferences = 'handle' | 'set-aside' | 'acknowledge';

/**
 * A request of a host, Express or Fastify.
 *
 * @publicApi
 */
export interface WebhookHostRequest {
  /** Headers by lower-case name. */
  readonly headers: IncomingHttpHeaders;
  /** The body as a body parser or the host parsed it. */
  readonly body?: unknown;
  /** The bytes, if the host keeps them here. */
  readonly rawBody?: unknown;
}

/**
 * A signing secret: plain text in the scheme's own encoding, or an object.
 *
 * @publicApi
 */
export type WebhookSecret =
  | string
  | {
      /** The secret itself. */
      readonly value: string;
      /** Encoding of the key bytes in `value`. @default the scheme's own, else 'utf8' */
      readonly encoding?: 'utf8' | 'base64' | 'hex' | undefined;
      /**
       * Accepts a secret with fewer bytes than the scheme asks for, if the gateway gives no longer one. An
       * attacker can guess a short secret from one captured delivery, so every boot warns of it.
       * @default false
       */
      readonly allowShort?: boolean | undefined;
      /** The package refuses the secret after this moment. */
      readonly notAfter?: Date | string;
    };
