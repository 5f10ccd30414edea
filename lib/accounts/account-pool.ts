import { setImmediate } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import { isDeepStrictEqual } from 'node:util';
import { type ResolvedResolverOptions } from '../config/resolve-accounts.js';
import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { haveEnded } from '../config/resolve-webhooks.js';
import { type AccountKeys, keyHeaders, type KeyHeaders } from '../gateway/account-keys.js';
import { type InFlightPlaces, shareOf } from '../common/in-flight.js';
import { MinuteLog } from '../common/minute-log.js';
import { SafeLogger } from '../common/safe-logger.js';
import { withDeadline } from '../common/timing.js';
import { type Account } from './account.js';
import { AccountLookups, unknownAccount } from './account-lookups.js';

/** A 429 may stop the calls of an account for this time, in which its rate limiter must not be forgotten. */
const IDLE_MS = 60_000;

/** An account in memory. */
export interface PooledAccount {
  readonly name: string;
  readonly account: Account;
  readonly places: InFlightPlaces;
  options: ResolvedPaymentsOptions;
  headers: KeyHeaders;
  /** Until when the options count, by `performance.now()`. */
  freshUntil: number;
  usedAt: number;
  /** How many calls and deliveries run. */
  users: number;
  /** A lookup that began after the gateway had refused these keys. */
  renewal: { readonly refused: KeyHeaders; readonly end: Promise<unknown> } | undefined;
}

/**
 * The accounts of a resolver that were used lately. An account keeps its rate limiter and its running calls when only
 * its keys change.
 */
export class AccountPool {
  /** The account that was not used for the longest time comes first. */
  private readonly accounts = new Map<string, PooledAccount>();
  /** Accounts that were replaced or taken out while some of their work still runs. */
  private readonly leaving = new Set<PooledAccount>();
  private readonly lookups: AccountLookups;
  /** The places of accounts that calls wait for. */
  private readonly awaited = new Map<string, InFlightPlaces>();
  private readonly visitors: ((account: Account) => void)[] = [];
  private readonly endedSecrets: MinuteLog;

  constructor(
    private readonly options: ResolvedResolverOptions,
    private readonly create: (
      options: ResolvedPaymentsOptions,
      keys: AccountKeys,
      places: InFlightPlaces,
    ) => Account,
    private readonly inFlight: InFlightPlaces,
  ) {
    this.lookups = new AccountLookups(options, (name, found) => {
      if (found) this.update(name, found);
      else this.retire(name);
    });
    const logger = new SafeLogger('PaymentsAccounts');
    this.endedSecrets = new MinuteLog((line) => {
      logger.error(line);
    });
  }

  /** The account if its options are known and still count, or `unknown`. Asks nobody. */
  known(name: string): PooledAccount | 'unknown' | undefined {
    const pooled = this.accounts.get(name);
    if (pooled && performance.now() < pooled.freshUntil) return pooled;
    return this.lookups.isUnknown(name) ? 'unknown' : undefined;
  }

  /** The options that the account had last, if it is in memory. Asks nobody. */
  lastOptions(name: string): ResolvedPaymentsOptions | undefined {
    return this.accounts.get(name)?.options;
  }

  /** Whether the account is in memory, even if its options do not count any more. */
  has(name: string): boolean {
    return this.accounts.has(name);
  }

  /** The places of an account, known or not: its calls have them while they wait for it and while they run. */
  placesOf(name: string): InFlightPlaces {
    return this.accounts.get(name)?.places ?? this.awaited.get(name) ?? shareOf(this.inFlight);
  }

  /**
   * The account; asks the resolver only if it must.
   *
   * @param places Those of the account, in which the caller waits.
   * @throws PaymentsAccountError if there is no such account, or the resolver fails.
   * @throws PaymentsConfigError if what the resolver returned is wrong.
   */
  open(name: string, places = this.placesOf(name)): PooledAccount | Promise<PooledAccount> {
    const known = this.known(name);
    if (known === 'unknown') return Promise.reject(unknownAccount(name));
    return known ?? this.lookUp(name, places);
  }

  /** Counts a use of the account. Call the result at its end. */
  use(pooled: PooledAccount): () => void {
    pooled.users += 1;
    this.touch(pooled, performance.now());
    return () => {
      pooled.users -= 1;
      pooled.usedAt = performance.now();
      if (this.leaving.has(pooled)) void this.leave(pooled);
    };
  }

  /** The next call asks the resolver. What runs continues with the keys that it has. */
  forget(name: string): void {
    this.lookups.forget(name);
    const pooled = this.accounts.get(name);
    if (pooled) pooled.freshUntil = -Infinity;
  }

  size(): number {
    return this.accounts.size;
  }

  stop(): void {
    this.forEach((account) => {
      account.stop();
    });
  }

  /** Does something with every account, those that come later included. */
  forEach(visit: (account: Account) => void): void {
    for (const { account } of [...this.accounts.values(), ...this.leaving]) visit(account);
    this.visitors.push(visit);
  }

  async idle(): Promise<void> {
    await this.lookups.idle();
    // Callers that waited for a lookup start now.
    await setImmediate();
    const all = [...this.accounts.values(), ...this.leaving];
    await Promise.all(all.map(({ account }) => account.idle()));
  }

  private async lookUp(name: string, places: InFlightPlaces): Promise<PooledAccount> {
    this.awaited.set(name, places);
    try {
      const found = await this.lookups.find(name);
      const pooled = found && this.accounts.get(name);
      if (!pooled) throw unknownAccount(name);
      return pooled;
    } finally {
      if (this.awaited.get(name) === places) this.awaited.delete(name);
    }
  }

  private update(name: string, options: ResolvedPaymentsOptions): void {
    const now = performance.now();
    const freshUntil = now + this.options.accounts.cacheMs;
    this.reportEndedSecrets(name, options);
    const pooled = this.accounts.get(name);
    if (pooled && obeySameRules(pooled.options, options)) {
      if (!haveSameKeys(pooled.options, options)) pooled.headers = keyHeaders(options);
      if (options.webhooks) pooled.account.receiver?.signatures.useKeys(options.webhooks.keys);
      Object.assign(pooled, { options, freshUntil });
      this.touch(pooled, now);
      return;
    }
    const places = this.placesOf(name);
    this.retire(name);
    this.accounts.set(name, this.pooled(name, options, { places, freshUntil, usedAt: now }));
    this.makeRoom(now);
  }

  /** The payments of the account continue: its webhook secrets are not needed for them. */
  private reportEndedSecrets(name: string, { webhooks }: ResolvedPaymentsOptions): void {
    if (!webhooks || !haveEnded(webhooks.keys)) return;
    this.endedSecrets.report(
      `Webhooks of the account '${name}' are answered 401, because the \`notAfter\` of each of its secrets has passed: return ` +
        'the current one in webhooks.secrets of accounts.resolve, and call PaymentsAccounts.forget() with its name',
    );
  }

  private pooled(
    name: string,
    options: ResolvedPaymentsOptions,
    rest: Pick<PooledAccount, 'places' | 'freshUntil' | 'usedAt'>,
  ): PooledAccount {
    const keys: AccountKeys = {
      get current() {
        return pooled.headers;
      },
      renewed: (...asked) => this.renewed(pooled, ...asked),
    };
    const account = this.create(options, keys, rest.places);
    for (const visit of this.visitors) visit(account);
    const headers = keyHeaders(options);
    const pooled: PooledAccount = { name, account, options, headers, ...rest, users: 0, renewal: undefined };
    return pooled;
  }

  /**
   * Calls whose keys were refused share one lookup, which began after the first refusal. Until it answers, the keys count
   * as before: they may be refused for one operation only, and the resolver may fail.
   */
  private async renewed(
    pooled: PooledAccount,
    refused: KeyHeaders,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<KeyHeaders | undefined> {
    const others = this.othersThan(refused, pooled);
    if (others) return others;
    if (pooled.renewal?.refused !== refused) {
      this.lookups.forget(pooled.name);
      const renewal = {
        refused,
        end: this.lookups.find(pooled.name).finally(() => {
          if (pooled.renewal === renewal) pooled.renewal = undefined;
        }),
      };
      pooled.renewal = renewal;
    }
    try {
      const { ended } = await withDeadline(pooled.renewal.end, deadline, signal);
      return ended === 'done' ? this.othersThan(refused, pooled) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Other keys for the same journal, at the same address. */
  private othersThan(refused: KeyHeaders, { name, options }: PooledAccount): KeyHeaders | undefined {
    const now = this.accounts.get(name);
    if (!now || isDeepStrictEqual(now.headers, refused)) return undefined;
    const isSame = now.options.environment === options.environment && now.options.baseUrl === options.baseUrl;
    return isSame ? now.headers : undefined;
  }

  /** Keeps an account for a while: it is in use, or about to be. */
  private touch(pooled: PooledAccount, now: number): void {
    pooled.usedAt = now;
    if (this.accounts.get(pooled.name) !== pooled) return;
    this.accounts.delete(pooled.name);
    this.accounts.set(pooled.name, pooled);
  }

  /** Takes an account out. Until its work has ended, a shutdown still waits for it. */
  private retire(name: string): void {
    const pooled = this.accounts.get(name);
    if (!pooled) return;
    this.accounts.delete(name);
    this.leaving.add(pooled);
    void this.leave(pooled);
  }

  /** A delivery may use the account although its work has not begun. */
  private async leave(pooled: PooledAccount): Promise<void> {
    const { account } = pooled;
    await Promise.allSettled([account.idle(), account.receiver?.idle()]);
    if (pooled.users === 0) this.leaving.delete(pooled);
  }

  private makeRoom(now: number): void {
    for (const { name, users, usedAt } of this.accounts.values()) {
      if (this.accounts.size <= this.options.accounts.maxCached || now - usedAt < IDLE_MS) return;
      if (users === 0) this.retire(name);
    }
  }
}

/** Whether only keys and secrets differ. */
function obeySameRules(one: ResolvedPaymentsOptions, other: ResolvedPaymentsOptions): boolean {
  return isDeepStrictEqual(rulesOf(one), rulesOf(other));
}

function rulesOf(options: ResolvedPaymentsOptions): unknown {
  const { environment, baseUrl, rate, probe, limits, networks, statusPaths, webhooks } = options;
  return [environment, baseUrl, rate, probe, limits, networks, statusPaths, webhooks !== undefined];
}

function haveSameKeys(one: ResolvedPaymentsOptions, other: ResolvedPaymentsOptions): boolean {
  return one.apiKey() === other.apiKey() && one.apiSecret() === other.apiSecret() && one.auth === other.auth;
}
