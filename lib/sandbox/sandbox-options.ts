import { type MoneyInput } from '../common/money.js';
import { type WebhookScheme } from '../common/webhook-scheme.js';
import { type Duration } from './clock/duration.js';

/**
 * Options of `PaymentsSandbox.start`. Every amount, fee and time here is the emulator's own choice: the specification
 * shows none.
 *
 * @publicApi
 */
export interface PaymentsSandboxOptions {
  /**
   * Port to listen on; 0 takes a free one.
   * @default 0
   */
  readonly port?: number;
  /**
   * Loopback address to listen on: `127.0.0.1`, `::1` or `localhost`.
   * @default '127.0.0.1'
   */
  readonly host?: string;
  /**
   * Host names that requests may name beside `127.0.0.1`, `::1` and `localhost`: `['host.docker.internal']`
   * for an application in a container. Any other name gets 403, so that no web page reads the sandbox by DNS
   * rebinding.
   * @default []
   */
  readonly allowedHosts?: readonly string[];
  /**
   * A manual clock stands still until `sandbox.clock.advance(…)`.
   * @default 'real'
   */
  readonly clock?: 'real' | 'manual';
  /**
   * Ids repeat with the seed: a whole number from 0 to 4294967295. With a seed the webhook secret repeats too.
   * @default a random one
   */
  readonly seed?: number;
  /**
   * Approves payments and pays payouts by itself, two seconds after they were accepted.
   * @default false
   */
  readonly auto?: boolean;
  /**
   * `documented` answers as the specification's examples show. `adversarial` does whatever the specification
   * leaves open in every way that a correct client must bear, as the seed has it: the same seed replays the
   * same run byte for byte.
   * @default 'documented'
   */
  readonly profile?: 'documented' | 'adversarial';
  /** What each merchant's wallet holds at first. @default '1000000.00' */
  readonly startingBalance?: MoneyInput;
  /** What the gateway keeps. */
  readonly fees?: {
    /** Per cent of a collection's amount, taken from what the merchant receives. @default 2 */
    readonly collectionPercent?: number;
    /** Added to each payout. @default '500.00' */
    readonly payout?: MoneyInput;
  };
  /** How long a payment waits for its customer. @default '15m' */
  readonly expireAfter?: Duration;
  /**
   * How webhooks are signed. The specification does not show the gateway's way ("Events" rule 3).
   * @default hmac({ header: 'x-webhook-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] })
   */
  readonly webhookScheme?: WebhookScheme;
  /** Signing secret, at least 16 bytes. @default one of this sandbox alone */
  readonly webhookSecret?: string;
  /** How long one webhook delivery may take, in milliseconds. @default 15_000 */
  readonly webhookTimeoutMs?: number;
  /** Lets `deliverTo` name an address that is not on this machine. @default false */
  readonly allowRemoteWebhooks?: boolean;
}
