import { Injectable } from '@nestjs/common';
import { type InFlightPlaces } from '../common/in-flight.js';
import { type PaymentsEnvironment } from '../common/vocabulary.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { type Account, type PaymentsAccount } from './account.js';
import { otherEnvironment, registeredElsewhere, unknownAccount } from './account-lookups.js';
import { type AccountOwner } from './account-owner.js';
import { type AccountPool, type PooledAccount } from './account-pool.js';
import { type HeldService } from './lazy-service.js';

/** An account that the resolver must be asked for. */
export interface AwaitedAccount {
  /**
   * @throws PaymentsAccountError if there is no such account, or the resolver fails.
   * @throws PaymentsConfigError if what the resolver returned is wrong.
   */
  readonly find: () => Promise<HeldService<PaymentsAccount>>;
  /** Undefined: nobody has to wait. */
  readonly places?: InFlightPlaces;
}

/** Every account of the application: those that are registered, and those that a resolver knows. */
@Injectable()
export class AccountRegistry {
  private readonly registered = new Map<
    string,
    { readonly environment: PaymentsEnvironment; readonly account: () => Account }
  >();
  /** A closure, because the pool holds keys. */
  private pool: (() => AccountPool) | undefined;
  /** The registrations of the application. */
  readonly owners: AccountOwner[] = [];
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<unknown>>();

  /** An account whose options were known at boot: it needs no resolver. */
  add(name: string, environment: PaymentsEnvironment, account: Account): void {
    this.registered.set(name, { environment, account: () => account });
  }

  /** @throws PaymentsConfigError if there is a resolver already. */
  addPool(pool: AccountPool): void {
    if (this.pool) {
      throw new PaymentsConfigError(
        'Two registrations of PaymentsModule have the option `accounts`: keep one, whose resolver knows all accounts.',
      );
    }
    this.pool = () => pool;
  }

  /**
   * The services of an account. A registered account comes before one of the same name that the resolver knows.
   *
   * @param environment Of the work, which keys of another one must not do.
   * @throws PaymentsAccountError if the account is registered with keys of another environment, or the resolver returned such keys.
   */
  hold(name: string, environment?: PaymentsEnvironment): HeldService<PaymentsAccount> | AwaitedAccount {
    const registered = this.registered.get(name);
    if (registered) {
      const isOther = environment !== undefined && registered.environment !== environment;
      if (isOther) throw registeredElsewhere({ account: name, environment });
      return { service: registered.account().services, release: () => undefined };
    }
    const pool = this.pool?.();
    const known = pool ? pool.known(name) : 'unknown';
    if (!pool || known === 'unknown') return { find: () => Promise.reject(unknownAccount(name)) };
    const held = (pooled: PooledAccount): HeldService<PaymentsAccount> => {
      const isOther = environment !== undefined && pooled.options.environment !== environment;
      if (isOther) throw otherEnvironment({ account: name, environment });
      return { service: pooled.account.services, release: pool.use(pooled) };
    };
    if (known) return held(known);
    const places = pool.placesOf(name);
    return { places, find: async () => held(await pool.open(name, places)) };
  }

  /** Fires when the application stops. */
  get stopped(): AbortSignal {
    return this.stopping.signal;
  }

  /** Work over all accounts begins nothing further. */
  stop(): void {
    this.stopping.abort();
  }

  /** Work over all accounts, for which a shutdown waits. */
  track<T>(work: Promise<T>): Promise<T> {
    const running = work.catch(() => undefined).finally(() => this.running.delete(running));
    this.running.add(running);
    return work;
  }

  /** Resolves when no such work is active. */
  async idle(): Promise<void> {
    await Promise.all(this.running);
  }

  forget(name: string): void {
    this.pool?.().forget(name);
  }
}
