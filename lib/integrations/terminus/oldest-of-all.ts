import { performance } from 'node:perf_hooks';
import { type PaymentsAccounts } from '../../accounts/payments-accounts.js';

type Oldest = Awaited<ReturnType<PaymentsAccounts['all']['journal']['oldestUnresolved']>>;

/** Looks at all accounts once at a time, and not again for a while: there may be thousands. */
export class OldestOfAll {
  private running: Promise<Oldest> | undefined;
  private last: { readonly oldest: Oldest; readonly at: number } | undefined;

  /** @throws PaymentsStorageError */
  async find({ all }: Pick<PaymentsAccounts, 'all'>, cacheMs: number): Promise<Oldest> {
    if (this.last && performance.now() - this.last.at < cacheMs) return this.last.oldest;
    this.running ??= all.journal.oldestUnresolved().finally(() => {
      this.running = undefined;
    });
    const oldest = await this.running;
    this.last = { oldest, at: performance.now() };
    return oldest;
  }
}
