import { type MoneyInput } from '../common/money.js';
import { type WebhookScheme } from '../common/webhook-scheme.js';
import { type GatewayProfile } from '../gateway-profile/gateway-profile.js';
import { type Duration } from './clock/duration.js';
import { type SandboxWorld } from './world/sandbox-world.js';

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
   * Loopback address to listen on: `127.0.0.1`, `::1` or `localhost`. With `allowRemote` any address or name of
   * this machine, `0.0.0.0` and `::` for all of them.
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
   * Lets other machines call the sandbox, by an IP address or a name of `allowedHosts`, and lets webhooks go to
   * them. The control API and the page then demand `controlToken`.
   * @default false
   */
  readonly allowRemote?: boolean;
  /**
   * Token that the control API and the page demand: 16 to 256 letters, digits, `-`, `_`, `.` and `~`. Send it as
   * `Authorization: Bearer <token>`, or open `sandbox.pageUrl`.
   * @default a random one with `allowRemote`; otherwise none, and nothing is demanded
   */
  readonly controlToken?: string;
  /**
   * Folder that keeps the state. Every change is on disk before its answer, and a start with the same folder goes
   * on with the same payments, wallets, keys, webhook secret, deliveries, faults and clock, also after a kill. It
   * contains secrets and personal data, so only its owner may read it. Only one sandbox at a time uses a folder.
   * @default none: everything is in memory
   */
  readonly data?: string;
  /**
   * What the emulator begins with: merchants, balances, names, webhook addresses, faults, payments and payouts, and
   * options; a parsed seed file. A folder of `data` that has a state keeps that: then only those options of the world
   * count that the folder does not keep, such as `fees`.
   * @default an empty one
   */
  readonly world?: SandboxWorld;
  /**
   * Origins whose pages may show the emulator's page in a frame: `['http://127.0.0.1:4240']` for a page of yours
   * beside the phone. A page that frames it could trick a visitor into pressing its buttons.
   * @default []
   */
  readonly frameAncestors?: readonly string[];
  /**
   * A manual clock moves only with `sandbox.clock.advance(…)`.
   * @default 'real', or what the folder of `data` has
   */
  readonly clock?: 'real' | 'manual';
  /**
   * The same seed gives the same ids and webhook secret: a whole number from 0 to 4294967295.
   * @default a random one, or what the folder of `data` has
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
   * run byte for byte. A profile of a gateway that was observed, the content of `gateway.json`, answers as that gateway;
   * it signs webhooks as that gateway too, unless `webhookScheme` is given.
   * @default 'documented'
   */
  readonly profile?: 'documented' | 'adversarial' | GatewayProfile;
  /** Each merchant's balance at the start: from 0 on, below 10^13 as every amount. @default '1000000.00' */
  readonly startingBalance?: MoneyInput;
  /** The gateway's fees. */
  readonly fees?: {
    /** Per cent of a collection's amount, deducted from the merchant's money. @default 2 */
    readonly collectionPercent?: number;
    /** Fee on top of each payout: from 0 on, below 10^13. @default '500.00' */
    readonly payout?: MoneyInput;
  };
  /** How long a payment waits for its customer. @default '15m' */
  readonly expireAfter?: Duration;
  /**
   * Scheme that signs webhooks. The specification does not show the gateway's scheme ("Events" rule 3). It can
   * also sign the headers `content-type` and `user-agent`.
   * @default hmac({ header: 'x-webhook-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] })
   */
  readonly webhookScheme?: WebhookScheme;
  /**
   * Signing secret, at least 16 bytes.
   * @default one of this sandbox alone, or what the folder of `data` has
   */
  readonly webhookSecret?: string;
  /** Longest time of one webhook delivery, in milliseconds: from 1 to 600000. @default 15_000 */
  readonly webhookTimeoutMs?: number;
  /** Lets `deliverTo` take an address that is not on this machine, as `allowRemote` does too. @default false */
  readonly allowRemoteWebhooks?: boolean;
}
