import { type IncomingHttpHeaders } from 'node:http';
import { type PaymentEventName } from '../common/events.js';
import { type WebhookScheme } from '../common/webhook-scheme.js';

/**
 * Receiving webhooks of one account.
 *
 * @publicApi
 */
export interface WebhookOptions {
  /** How deliveries are signed. There is no default: the specification does not show it ("Events" rule 3). */
  readonly scheme: WebhookScheme;
  /** Signing secrets, at least 16 bytes each unless one says `allowShort`; several while rotating. */
  readonly secrets: readonly WebhookSecret[];
  /** Longest accepted body in bytes. @default 65_536 */
  readonly bodyLimit?: number;
  /** How long the body of one delivery may take to come, in milliseconds; 408 then. @default 10_000 */
  readonly bodyTimeoutMs?: number;
  /**
   * How many bytes the application holds of all bodies together whose signature was not checked yet, over all
   * connections and accounts; 503 with `Retry-After` beyond. Bodies that have not come to their end get half
   * of it.
   * @default 16_777_216
   */
  readonly unverifiedBytesLimit?: number;
  /**
   * Where the exact bytes of a delivery are, on a host that reads requests itself. With it the package reads
   * no request of the account's routes; where it gives nothing, a Buffer or text at `request.rawBody` counts.
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
  /** How long all handlers of one delivery may take, in milliseconds. @default 25_000 */
  readonly handlerTimeoutMs?: number;
  /** How long a claim holds when its process dies, in milliseconds. @default 60_000 */
  readonly leaseMs?: number;
  /** How long a repeated delivery waits for the running one, in milliseconds. @default 2_000 */
  readonly inFlightWaitMs?: number;
  /**
   * How old a handled outcome must be, in days, for `PaymentsInbox.purge()` to forget it; `Infinity`: it
   * forgets none. Where the scheme signs no time, whoever has an old delivery can send it again for ever:
   * write `Infinity` then.
   * @default 30
   */
  readonly retentionDays?: number;
  /**
   * What becomes of a webhook whose payment the journal does not know:
   *
   * - `handle`: its handlers run, and `context.known` is false.
   * - `set-aside`: it is stored, and `PaymentsInbox.conflicts()` lists it.
   * - `acknowledge`: it is answered 200 and dropped. Only where another system on the same account gets it
   *   too, and with a storage that does not forget: what the journal has forgotten is dropped as well.
   * @default 'handle'
   */
  readonly unknownReferences?: UnknownReferences;
  /**
   * Outcomes that may replace a finished one, for example `[['payment.failed', 'payment.success']]`.
   * @default []
   */
  readonly supersede?: readonly (readonly [from: PaymentEventName, to: PaymentEventName])[];
}

/**
 * What becomes of a webhook whose payment the journal does not know.
 *
 * @publicApi
 */
export type UnknownReferences = 'handle' | 'set-aside' | 'acknowledge';

/**
 * A request as a host and Express or Fastify give it.
 *
 * @publicApi
 */
export interface WebhookHostRequest {
  /** Headers by lower-case name. */
  readonly headers: IncomingHttpHeaders;
  /** What a body parser, or the host, made of the body. */
  readonly body?: unknown;
  /** The bytes, where the host keeps them there. */
  readonly rawBody?: unknown;
}

/**
 * A signing secret: plain text in the scheme's own encoding, or spelled out.
 *
 * @publicApi
 */
export type WebhookSecret =
  | string
  | {
      /** The secret itself. */
      readonly value: string;
      /** How `value` becomes key bytes. @default the scheme's own, else 'utf8' */
      readonly encoding?: 'utf8' | 'base64' | 'hex';
      /**
       * Takes a secret of fewer bytes than the scheme asks for, where the gateway gives no longer one. A
       * short secret can be guessed from one delivery that was caught, so every boot warns of it.
       * @default false
       */
      readonly allowShort?: boolean;
      /** After this moment the secret is refused. */
      readonly notAfter?: Date | string;
    };
