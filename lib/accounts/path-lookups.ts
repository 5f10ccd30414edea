import { type ResolvedResolverOptions } from '../config/resolve-accounts.js';
import { SafeLogger } from '../common/safe-logger.js';
import { PaymentsAccountError } from '../errors/payments-account.error.js';
import { failureLabel, isPaymentsError } from '../errors/payments-errors.js';
import { type AccountPool, type PooledAccount } from './account-pool.js';
import { ExpiringNames } from './expiring-names.js';
import { MinuteLog } from '../common/minute-log.js';
import { Turns } from '../common/turns.js';

/** How long an account that could not be looked up is not looked up again. */
const FAILURE_MS = 1_000;

/** After this time a lookup is slow: it gives its turn to the next known account. */
const SLOW_MS = 100;

/** How long an account whose lookup was slow and then failed has turns with others of its kind alone. */
const HUNG_MS = 60_000;

/** The account, that there is none, or that nobody can say now. */
export type FoundByPath = PooledAccount | 'unknown' | 'busy';

interface PathLookupLimits extends Pick<
  ResolvedResolverOptions['accounts'],
  'maxPathLookups' | 'pathLookupsPerSecond' | 'timeoutMs'
> {
  /** Most bytes of all deliveries that wait for a lookup. */
  readonly waitingBytes: number;
}

/**
 * Looks up the accounts that paths name. Strangers may invent names, so their lookups are limited, and so are the
 * bytes that wait for them. An account that was found before has turns of its own: it does not wait behind invented
 * names when its keys are too old, nor behind known accounts for which the resolver hangs.
 */
export class PathLookups {
  private readonly known: Turns;
  private readonly hanging: Turns;
  private readonly strangers: Turns;
  private readonly running = new Map<string, Promise<FoundByPath>>();
  private readonly failed = new ExpiringNames(FAILURE_MS);
  private readonly hung = new ExpiringNames(HUNG_MS);
  private readonly failures: MinuteLog;
  private readonly refusals: MinuteLog;
  private waitingBytes = 0;
  private isClosed = false;

  constructor(
    private readonly pool: AccountPool,
    private readonly limits: PathLookupLimits,
  ) {
    const { maxPathLookups, pathLookupsPerSecond } = limits;
    this.known = new Turns(maxPathLookups);
    this.hanging = new Turns(maxPathLookups);
    this.strangers = new Turns(maxPathLookups, pathLookupsPerSecond);
    const logger = new SafeLogger('PaymentsAccounts');
    this.failures = new MinuteLog((line) => {
      logger.error(line);
    });
    this.refusals = new MinuteLog((line) => {
      logger.warn(line);
    });
  }

  /**
   * Never rejects.
   *
   * @param bytes The length of the body that waits for the account.
   */
  find(name: string, bytes: number): FoundByPath | Promise<FoundByPath> {
    const known = this.pool.known(name);
    if (known) return known;
    if (this.isClosed || this.failed.has(name)) return 'busy';
    const { waitingBytes } = this;
    // One may always wait, however small the limit is.
    if (waitingBytes > 0 && waitingBytes + bytes > this.limits.waitingBytes) {
      return this.refuse('half of webhooks.unverifiedBytesLimit waits for other lookups');
    }
    const looking = this.running.get(name) ?? this.begin(name);
    return looking instanceof Promise ? this.wait(looking, bytes) : looking;
  }

  /** Begins no lookup from now on. Those that wait for their turn get no account. */
  close(): void {
    this.isClosed = true;
    this.known.close();
    this.hanging.close();
    this.strangers.close();
  }

  private async wait(looking: Promise<FoundByPath>, bytes: number): Promise<FoundByPath> {
    this.waitingBytes += bytes;
    try {
      return await looking;
    } finally {
      this.waitingBytes -= bytes;
    }
  }

  private begin(name: string): FoundByPath | Promise<FoundByPath> {
    const turns = this.turnsOf(name);
    if (!turns.isWithinRate()) {
      const { pathLookupsPerSecond } = this.limits;
      return this.refuse(`accounts.pathLookupsPerSecond, ${pathLookupsPerSecond}, is used up`);
    }
    const looking = this.lookUp(name, turns).finally(() => this.running.delete(name));
    this.running.set(name, looking);
    return looking;
  }

  private turnsOf(name: string): Turns {
    if (!this.pool.has(name)) return this.strangers;
    return this.hung.has(name) ? this.hanging : this.known;
  }

  private async lookUp(name: string, turns: Turns): Promise<FoundByPath> {
    const { timeoutMs, maxPathLookups } = this.limits;
    if (!(await turns.begin(timeoutMs))) {
      if (this.isClosed) return 'busy';
      return this.refuse(`${maxPathLookups} lookups at once, accounts.maxPathLookups, took too long`);
    }
    const turn = new LookupTurn(turns, turns === this.known);
    try {
      return await this.pool.open(name);
    } catch (error) {
      if (error instanceof PaymentsAccountError && error.code === 'ACCOUNT_UNKNOWN') return 'unknown';
      this.failed.add(name);
      if (turn.isSlow) this.hung.add(name);
      const why = isPaymentsError(error) ? error.message.replace(/\.$/, '') : failureLabel(error);
      this.failures.report(`A webhook was answered 503, because its account could not be looked up: ${why}`);
      return 'busy';
    } finally {
      turn.end();
    }
  }

  private refuse(why: string): 'busy' {
    this.refusals.report(
      `A webhook was answered 503, because the account of its path was not looked up: ${why}`,
    );
    return 'busy';
  }
}

/** The turn of a lookup that has begun. */
class LookupTurn {
  isSlow = false;
  private readonly timer: NodeJS.Timeout;

  /** @param isShort Whether a slow lookup gives its turn to the next one, and continues without it. */
  constructor(
    private readonly turns: Turns,
    private readonly isShort: boolean,
  ) {
    this.timer = setTimeout(() => {
      this.isSlow = true;
      if (isShort) turns.end();
    }, SLOW_MS);
  }

  end(): void {
    clearTimeout(this.timer);
    if (!this.isSlow || !this.isShort) this.turns.end();
  }
}
