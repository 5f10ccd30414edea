import { performance } from 'node:perf_hooks';
import { type PaymentsAccounts } from '../../accounts/payments-accounts.js';
import { withTimeout } from '../../common/timing.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';

type Oldest = Awaited<ReturnType<PaymentsAccounts['all']['journal']['oldestUnresolved']>>;

/** How long a check waits for a look: a slow storage must not hold it for as long as thousands of accounts take. */
const LOOK_WITHIN_MS = 30_000;
/** How long the result before still counts then, after its own time. */
const LAST_COUNTS_MS = 600_000;

interface Look {
  readonly oldest: Promise<Oldest>;
  readonly until: number;
}

interface Last {
  readonly oldest: Oldest;
  readonly at: number;
}

/** Looks at all accounts once at a time, and not again for a while: there may be thousands. */
export class OldestOfAll {
  private running: Look | undefined;
  /** The result of the last look; undefined if it failed. */
  private last: Last | undefined;

  /**
   * A look that takes too long continues, and a later check gets its result. Until then the one before counts.
   *
   * @throws PaymentsStorageError if the look fails, or takes too long after one that failed, is too old, or never was.
   */
  async find({ all }: Pick<PaymentsAccounts, 'all'>, cacheMs: number): Promise<Oldest> {
    const known = this.lastWithin(cacheMs);
    if (known) return known.oldest;
    this.running ??= { oldest: this.look(all), until: performance.now() + LOOK_WITHIN_MS };
    const { oldest, until } = this.running;
    const tooLate = new PaymentsStorageError('The storage did not show all accounts in time.');
    return withTimeout(oldest, until, () => tooLate).catch((error: unknown) => {
      const before = error === tooLate ? this.lastWithin(cacheMs + LAST_COUNTS_MS) : undefined;
      if (before) return before.oldest;
      throw error;
    });
  }

  private lastWithin(ms: number): Last | undefined {
    return this.last && performance.now() - this.last.at < ms ? this.last : undefined;
  }

  private async look({ journal }: PaymentsAccounts['all']): Promise<Oldest> {
    try {
      const oldest = await journal.oldestUnresolved();
      this.last = { oldest, at: performance.now() };
      return oldest;
    } catch (error) {
      this.last = undefined;
      throw error;
    } finally {
      this.running = undefined;
    }
  }
}
