import { performance } from 'node:perf_hooks';
import { type PaymentsAccounts } from '../../accounts/payments-accounts.js';
import { inTime } from '../../common/timing.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';

type Oldest = Awaited<ReturnType<PaymentsAccounts['all']['journal']['oldestUnresolved']>>;

/** How long a check waits for a look: a slow storage must not hold it for as long as thousands of accounts take. */
const LOOK_WITHIN_MS = 30_000;

interface Look {
  readonly oldest: Promise<Oldest>;
  readonly until: number;
}

/** Looks at all accounts once at a time, and not again for a while: there may be thousands. */
export class OldestOfAll {
  private running: Look | undefined;
  private last: { readonly oldest: Oldest; readonly at: number } | undefined;

  /**
   * A look that takes too long goes on, and a later check gets its result.
   *
   * @throws PaymentsStorageError
   */
  async find({ all }: Pick<PaymentsAccounts, 'all'>, cacheMs: number): Promise<Oldest> {
    if (this.last && performance.now() - this.last.at < cacheMs) return this.last.oldest;
    this.running ??= { oldest: this.look(all), until: performance.now() + LOOK_WITHIN_MS };
    const { oldest, until } = this.running;
    return inTime(
      oldest,
      until,
      () => new PaymentsStorageError('The storage did not show all accounts in time.'),
    );
  }

  private async look({ journal }: PaymentsAccounts['all']): Promise<Oldest> {
    try {
      const oldest = await journal.oldestUnresolved();
      this.last = { oldest, at: performance.now() };
      return oldest;
    } finally {
      this.running = undefined;
    }
  }
}
