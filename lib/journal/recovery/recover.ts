import { performance } from 'node:perf_hooks';
import { atMost } from '../../common/at-most.js';
import { journalKeyText } from '../payment/payment-identity.js';
import {
  type JournalScope,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { type JournalState, PAYMENT_FAMILIES, type PaymentFamily } from '../../common/vocabulary.js';
import { type EntryRecovery } from './recover-entry.js';
import { oldestOf } from './oldest-unresolved.js';
import { closedStates, unusable } from './recovery-decision.js';
import { type RecoveryReport, RecoveryTally } from './recovery-report.js';
import { type StatusResolver } from '../outcomes/status-resolver.js';
import { setImmediate } from 'node:timers/promises';

/** How many payments are worked on at the same time. 600 payments whose status query hangs take about three minutes. */
const AT_ONCE = 16;

/** Pages with work that are kept from the first reading, so that a small journal is read once. */
const PAGES_KEPT = 2;

interface Place {
  readonly family: PaymentFamily;
  readonly at: string | undefined;
}

interface Page extends Place {
  readonly entries: readonly StoredJournalRecord[];
}

/** The work that is left after the probes. */
interface Rest {
  readonly probed: Set<string>;
  readonly pages: Page[];
  /** Where to read on after these pages; undefined if they hold everything. */
  from: Place | undefined;
}

/** Goes through the payments with an open outcome. */
export class RecoveryRun {
  private running: Promise<RecoveryReport> | undefined;
  private resumeAt: Place | undefined;

  /**
   * @param runMs After this time a run begins no further payment.
   * @param stopping Fires when the application stops. Then a run begins no further payment.
   */
  constructor(
    private readonly scope: Pick<JournalScope, 'account' | 'environment'>,
    private readonly runMs: number,
    private readonly store: JournalStore,
    private readonly status: Pick<StatusResolver, 'canAsk'>,
    private readonly entries: Pick<EntryRecovery, 'hasWork' | 'isProbe' | 'idleEnd' | 'recover'>,
    private readonly stopping: AbortSignal,
  ) {}

  /** Whether accepted payouts may still settle. */
  canAskAboutPayouts(): boolean {
    return this.status.canAsk('disbursement');
  }

  /** Makes one run at a time. A call during a run gets its report. */
  recover(): Promise<RecoveryReport> {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /**
   * The payments with an open outcome. Yields pages: a step of an async generator costs more than to read a
   * payment.
   */
  async *unresolved(family: PaymentFamily): AsyncGenerator<readonly StoredJournalRecord[], void, undefined> {
    for await (const { entries } of this.pages(family)) yield entries;
  }

  oldest(): Promise<StoredJournalRecord | undefined> {
    return oldestOf(this.store, this.scope, this.status);
  }

  /** Resolves when no run is active. */
  async idle(): Promise<void> {
    await this.running?.catch(() => undefined);
  }

  /** Probes come first: the recovery window of a payment may end while a long journal is read. */
  private async run(): Promise<RecoveryReport> {
    const tally = new RecoveryTally();
    const endsAt = performance.now() + this.runMs;
    const rest: Rest = { probed: new Set(), pages: [], from: this.resumeAt };
    this.resumeAt = undefined;
    const work = (existing: StoredJournalRecord): Promise<void> =>
      tally.addEnd(existing, this.entries.recover(existing, tally.fullDays));
    await atMost(AT_ONCE, this.untilStopped(this.probes(rest, tally), tally), work);
    await atMost(AT_ONCE, this.untilStopped(this.others(rest, tally, endsAt), tally), work);
    tally.assertListed();
    return tally.report();
  }

  private async *untilStopped<T>(
    items: AsyncIterable<T>,
    tally: RecoveryTally,
  ): AsyncGenerator<T, void, undefined> {
    if (!this.hasStopped()) {
      for await (const item of items) {
        if (this.hasStopped()) break;
        yield item;
      }
    }
    if (this.hasStopped()) tally.unfinished = true;
  }

  private hasStopped(): boolean {
    return this.stopping.aborted;
  }

  /** The payments to probe, of the whole journal. Notes the other work in `rest`. */
  private async *probes(
    rest: Rest,
    tally: RecoveryTally,
  ): AsyncGenerator<StoredJournalRecord, void, undefined> {
    for (const family of PAYMENT_FAMILIES) {
      for await (const { entries, at } of this.listed(family, tally)) {
        const others: StoredJournalRecord[] = [];
        for (const existing of entries) {
          if (unusable(existing) === undefined && this.entries.isProbe(existing)) {
            rest.probed.add(journalKeyText(existing.record));
            yield existing;
          } else others.push(existing);
        }
        if (!rest.from) this.note({ family, at, entries: others }, rest, tally);
      }
    }
  }

  /** Keeps the first pages with work. The others are read a second time. */
  private note(page: Page, rest: Rest, tally: RecoveryTally): void {
    if (!page.entries.some((existing) => this.isToDo(existing))) {
      for (const existing of page.entries) this.count(existing, tally);
    } else if (rest.pages.length < PAGES_KEPT) rest.pages.push(page);
    else rest.from = page;
  }

  /** All payments except the probed ones, from where the last run ended. */
  private async *others(
    rest: Rest,
    tally: RecoveryTally,
    endsAt: number,
  ): AsyncGenerator<StoredJournalRecord, void, undefined> {
    let hasBegun = false;
    for await (const page of this.restOf(rest, tally)) {
      if (hasBegun && page.entries.length > 0 && performance.now() > endsAt) {
        this.resumeAt = page;
        tally.unfinished = true;
        return;
      }
      hasBegun = true;
      for (const existing of page.entries) {
        if (rest.probed.has(journalKeyText(existing.record))) continue;
        if (this.isToDo(existing)) yield existing;
        else this.count(existing, tally);
      }
    }
  }

  private async *restOf({ pages, from }: Rest, tally: RecoveryTally): AsyncGenerator<Page, void, undefined> {
    yield* pages;
    if (!from) return;
    for (const family of PAYMENT_FAMILIES.slice(PAYMENT_FAMILIES.indexOf(from.family))) {
      const after = family === from.family ? from.at : undefined;
      for await (const { entries, at } of this.listed(family, tally, after)) yield { family, at, entries };
    }
  }

  private isToDo(existing: StoredJournalRecord): boolean {
    return unusable(existing) === undefined && this.entries.hasWork(existing);
  }

  /** Counts a payment without work. */
  private count(existing: StoredJournalRecord, tally: RecoveryTally): void {
    const why = unusable(existing);
    if (why === undefined) tally.add(this.entries.idleEnd(existing));
    else tally.passOver(existing, why);
  }

  /** Ends where the storage fails, so that the payments before, and those of the other family, get their turn. */
  private async *listed(
    family: PaymentFamily,
    tally: RecoveryTally,
    after?: string,
  ): AsyncGenerator<ScannedPage, void, undefined> {
    if (this.hasStopped()) return;
    try {
      for await (const page of this.pages(family, after)) {
        tally.pages += 1;
        yield page;
      }
    } catch (error) {
      tally.endList(family, error);
    }
  }

  private pages(family: PaymentFamily, after?: string): ReturnType<typeof scanPages> {
    return scanPages(this.store, { ...this.scope, family }, closedStates(family, this.status), after);
  }
}

const PAGE_SIZE = 500;

/** A page of payments and its position. */
interface ScannedPage {
  readonly entries: readonly StoredJournalRecord[];
  readonly at: string | undefined;
}

/**
 * Reads all payments in none of these states in the order of their creation. So a payment that changes its
 * state comes once, and only one page is in memory.
 *
 * @param after Where to begin: `at` of a page.
 */
async function* scanPages(
  store: JournalStore,
  scope: JournalScope,
  except: readonly JournalState[],
  after?: string,
): AsyncGenerator<ScannedPage, void, undefined> {
  let at = after;
  do {
    const page = await store.list(scope, except, {
      limit: PAGE_SIZE,
      ...(at !== undefined && { after: at }),
    });
    yield { entries: page.entries, at };
    at = page.next;
    // A store in this process answers at once, but webhooks and calls must get their turn.
    await setImmediate();
  } while (at !== undefined);
}
