import { type MoneyInput } from '../common/money.js';
import { type WebhookScheme } from '../common/webhook-scheme.js';
import { type Duration } from './clock/duration.js';

/**
 * Options of `PaymentsSandbox.start`. The emulator chose every amount, fee and time here: the specification
 * shows none.
 *
 * @publicApi
 */
export interface PaymentsSandboxOptions {
  /**
   * Port to listen on; 0 chooses a free one.
   * @default 0
   */
  readonly port?: number;
  /**
   * Loopback address to listen on: `127.0.0.1`, `::1` or `localhost`.
   * @default '127.0.0.1'
   */
  readonly host?: string;
  /**
   * Host names to accept beside `127.0.0.1`, `::1` and `localhost`: `['host.docker.internal']` for an
   * application in a container. Any other name gets 403, so that no web page reads the sandbox by DNS
   * rebinding.
   * @default []
   */
  readonly allowedHosts?: readonly string[];
  /**
   * A manual clock moves only with `sandbox.clock.advance(…)`.
   * @default 'real'
   */
  readonly clock?: 'real' | 'manual';
  /**
   * The same seed gives the same ids and webhook secret: a whole number from 0 to 4294967295.
   * @default a random one
   */
  readonly seed?: number;
  /**
   * Approves payments and pays payouts automatically, two seconds after accepting them.
   * @default false
   */
  readonly auto?: boolean;
  /**
   * `documented` answers as the specification's examples show. `adversarial` varies everything that the
   * specification leaves open, in every way that a correct client must accept. The same seed replays the same
   * run byte for byte.
   * @default 'documented'
   */
  readonly profile?: 'documented' | 'adversarial';
  /** Each merchant's balance at the start. @default '1000000.00' */
  readonly startingBalance?: MoneyInput;
  /** The gateway's fees. */
  readonly fees?: {
    /** Per cent of a collection's amount, deducted from the merchant's money. @default 2 */
    readonly collectionPercent?: number;
    /** Fee on top of each payout. @default '500.00' */
    readonly payout?: MoneyInput;
  };
  /** How long a payment waits for its customer. @default '15m' */
  readonly expireAfter?: Duration;
  /**
   * Scheme that signs webhooks. The specification does not show the gateway's scheme ("Events" rule 3).
   * @default hmac({ header: 'x-webhook-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] })
   */
  readonly webhookScheme?: WebhookScheme;
  /** Signing secret, at least 16 bytes. @default one of this sandbox alone */
  readonly webhookSecret?: string;
  /** Longest time of one webhook delivery, in milliseconds. @default 15_000 */
  readonly webhookTimeoutMs?: number;
  /** Lets `deliverTo` take an address that is not on this machine. @default false */
  readonly allowRemoteWebhooks?: boolean;
}
