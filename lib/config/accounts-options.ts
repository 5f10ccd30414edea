import { type PaymentsModuleOptions } from './payments-options.js';
import { type WebhookOptions, type WebhookSecret } from './webhook-options.js';

/**
 * What `accounts.resolve` gives for one account: its keys, and options that may differ by account. A value that is left
 * out is that of the registration, and so is a field that is left out of a section such as `limits`. Every other option
 * is shared by all accounts. A name that is none of these is refused, so return these fields, and not a whole row of a
 * database.
 *
 * @publicApi
 */
export interface PaymentsAccountOptions
  extends
    Pick<PaymentsModuleOptions, 'apiKey' | 'apiSecret' | 'environment'>,
    Partial<
      Pick<
        PaymentsModuleOptions,
        'auth' | 'baseUrl' | 'limits' | 'networks' | 'probe' | 'rate' | 'statusPaths'
      >
    > {
  /**
   * The name of the account as your database holds it. If it is not exactly the name that was asked for, there is no such
   * account. Return it if your lookup may find an account under several spellings, as one that ignores case or reads a
   * number does: the journal, the inbox and the idempotency keys belong to a name, so under a second spelling a payment
   * would be sent again, and a webhook handled again.
   */
  readonly account?: string;
  /** Webhooks of the account. Without them, the account receives none. */
  readonly webhooks?:
    | {
        /** Signing secrets, as in `WebhookOptions`; the old and the new one side by side while they rotate. */
        readonly secrets: readonly WebhookSecret[];
      }
    | undefined;
}

/**
 * Accounts that come from your database, and change while the application runs.
 *
 * @publicApi
 */
export interface PaymentsAccountsOptions {
  /**
   * Returns the keys of an account, or undefined if there is no such account. It must not change anything: the package
   * calls it whenever it needs to. The name has the form of an account's name, but may come from a stranger. Find it byte
   * for byte, or return its `account`: every spelling that finds keys is an account of its own.
   */
  resolve(
    account: string,
  ): PaymentsAccountOptions | null | undefined | Promise<PaymentsAccountOptions | null | undefined>;
  /** How long the package uses what `resolve` returned, in milliseconds. @default 60_000 */
  readonly cacheMs?: number | undefined;
  /** How long the package remembers that there is no such account, in milliseconds. @default 5_000 */
  readonly unknownCacheMs?: number | undefined;
  /** Longest time of one `resolve`, in milliseconds. @default 5_000 */
  readonly timeoutMs?: number | undefined;
  /**
   * Most accounts that the package keeps in memory. Beyond it, the package removes the accounts that were unused the
   * longest, after at least one minute.
   * @default 10_000
   */
  readonly maxCached?: number | undefined;
  /**
   * How many lookups for accounts named in webhook paths (`@PaymentsWebhook('payments/:account')`) run at once, counted
   * separately for new accounts, known ones, and known ones whose last lookup hung. Further ones wait for `timeoutMs` at
   * most, and then get 503. A lookup of a known account counts for 100 ms, so that one that hangs keeps no other waiting.
   * Stay below the number of your database's connections.
   * @default 5
   */
  readonly maxPathLookups?: number | undefined;
  /**
   * Most lookups in a second of accounts that the paths of webhooks name and that are new to this process. Beyond it,
   * a webhook of such an account gets 503 with `Retry-After`. Anyone may invent names, so this limits how often
   * strangers can make `resolve` run, beside one lookup in each `cacheMs` of an account that the process has used.
   * @default 100
   */
  readonly pathLookupsPerSecond?: number | undefined;
}

/**
 * Options of a registration whose accounts come from a resolver: those of an account, without keys and secrets.
 *
 * @publicApi
 */
export interface PaymentsResolverOptions extends Omit<
  PaymentsModuleOptions,
  'apiKey' | 'apiSecret' | 'environment' | 'webhooks'
> {
  /** Where the accounts come from. */
  readonly accounts: PaymentsAccountsOptions;
  /** Options of the webhooks of all accounts. Their secrets come from `accounts.resolve`. */
  readonly webhooks?: Omit<WebhookOptions, 'secrets'> | undefined;
}
