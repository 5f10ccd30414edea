import { SafeLogger } from '../common/safe-logger.js';
import { failureLabel } from '../errors/payments-errors.js';
import { withoutStoreDetails } from '../journal/hide-store-error.js';
import { atMost } from '../common/at-most.js';
import { type ResealReport } from '../storage/sealed/reseal.js';
import { accountText } from './account-text.js';
import { type StoragePart, type StoredAccount, storedAccounts } from './account-owner.js';
import { type AccountRegistry } from './account-registry.js';
import {
  type AllPurgeReport,
  type AllRecoveryReport,
  type AllResealReport,
  type SkippedAccount,
} from './all-reports.js';
import { RecoveryOfAll } from './recover-all.js';

/** How many accounts are worked on at once: an account with much work keeps one of these places. */
const AT_ONCE = 4;

/** Works on all accounts that the storages of the application know. */
export class WorkOverAll {
  private readonly logger = new SafeLogger('PaymentsAccounts');
  private readonly recovery: RecoveryOfAll;

  constructor(private readonly registry: AccountRegistry) {
    this.recovery = new RecoveryOfAll(() => registry.owners, registry.stopped);
  }

  recover(): Promise<AllRecoveryReport> {
    return this.registry.track(this.recovery.recover());
  }

  /** The accounts of which a part of the storages holds something. */
  async *accounts(part: StoragePart): AsyncGenerator<StoredAccount, void, undefined> {
    const pages = storedAccounts(this.registry.owners, part);
    for (;;) {
      const { done, value } = await withoutStoreDetails(pages.next());
      if (done) return;
      yield* value.accounts;
    }
  }

  /**
   * Reads something of each account, several at once. Begins no further account after one has failed: a storage that
   * does not answer would take its time for each of them.
   *
   * @throws what the first account threw, when those that had begun have ended.
   */
  async each(part: StoragePart, work: (stored: StoredAccount) => Promise<void>): Promise<void> {
    const failed = new AbortController();
    await atMost(AT_ONCE, untilAborted(this.accounts(part), failed.signal), (stored) =>
      work(stored).catch((error: unknown) => {
        failed.abort(error);
      }),
    );
    if (failed.signal.aborted) await withoutStoreDetails(Promise.reject(failed.signal.reason as Error));
  }

  /** Goes through all accounts, passing over those that fail. */
  async purge(
    part: StoragePart,
    work: (stored: StoredAccount) => Promise<number | SkippedAccount['reason']>,
  ): Promise<AllPurgeReport> {
    const skipped: SkippedAccount[] = [];
    let accounts = 0;
    let purged = 0;
    await atMost(AT_ONCE, this.accounts(part), async (stored) => {
      accounts += 1;
      const result = await this.result(stored, work, 'purge()');
      if (typeof result === 'number') purged += result;
      else skipped.push({ ...stored.scope, reason: result });
    });
    return { accounts, purged, skipped };
  }

  hasEncryption(): boolean {
    return this.registry.owners.some(({ resealing }) => resealing !== undefined);
  }

  /** The journal and the events of an account are resealed together, whichever is found first. */
  async reseal(signal: AbortSignal | undefined): Promise<AllResealReport> {
    const reports: ResealReport[] = [];
    const skipped: SkippedAccount[] = [];
    const seen = new Set<string>();
    const work = async (stored: StoredAccount): Promise<void> => {
      const text = accountText(stored.scope);
      if (seen.has(text)) return;
      seen.add(text);
      const result = await this.result(stored, (account) => resealed(account, signal), 'reseal()');
      if (typeof result === 'string') skipped.push({ ...stored.scope, reason: result });
      else reports.push(result);
    };
    for (const part of ['journal', 'conflicts'] as const) {
      if (!signal?.aborted) await atMost(AT_ONCE, untilAborted(this.accounts(part), signal), work);
    }
    const isCut = signal?.aborted === true || reports.some(({ unfinished }) => unfinished);
    return { ...sumOf(reports), ...(isCut && { unfinished: true }), accounts: seen.size, skipped };
  }

  private async result<T>(
    stored: StoredAccount,
    work: (stored: StoredAccount) => Promise<T>,
    called: string,
  ): Promise<T | 'failed'> {
    try {
      return await work(stored);
    } catch (error) {
      this.logger.error(`${called} failed for the account '${stored.scope.account}': ${failureLabel(error)}`);
      return 'failed';
    }
  }
}

async function* untilAborted<T>(
  items: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  for await (const item of items) {
    if (signal?.aborted) return;
    yield item;
  }
}

async function resealed(
  { scope, owner }: StoredAccount,
  signal: AbortSignal | undefined,
): Promise<ResealReport | SkippedAccount['reason']> {
  if (!owner) return 'unknown';
  return owner.resealing?.run(scope, signal) ?? 'no-encryption';
}

function sumOf(reports: readonly ResealReport[]): ResealReport {
  const sum = { resealed: 0, current: 0, busy: 0, unreadable: 0, unavailable: 0 };
  for (const report of reports) {
    sum.resealed += report.resealed;
    sum.current += report.current;
    sum.busy += report.busy;
    sum.unreadable += report.unreadable;
    sum.unavailable += report.unavailable;
  }
  return sum;
}
