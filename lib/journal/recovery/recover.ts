import { performance } from 'node:perf_hooks';
import {
  type JournalScope,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { type JournalState, type PaymentFamily } from '../../common/vocabulary.js';
import { type EntryRecovery } from './recover-entry.js';
import { oldestOf } from './oldest-unresolved.js';
import { closedStates } from './recovery-decision.js';
import { type RecoveryReport, RecoveryTally } from './recovery-report.js';
import { BEGINNING, nextRun, RecoveryWalk } from './recovery-walk.js';
import { type StatusResolver } from '../outcomes/status-resolver.js';
import { setImmediate } from 'node:timers/promises';

/** How many payments are worked on at the same time. 600 payments whose status query hangs take about three minutes. */
const AT_ONCE = 16;

/** Goes through the payments with an open outcome. */
export class RecoveryRun {
  private running: Promise<RecoveryReport> | undefined;
  private places = BEGINNING;

  /**
   * @param runMs After this time a run begins no further payment, in none of its lanes.
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
    const except = closedStates(family, this.status);
    yield* scanPages(this.store, { ...this.scope, family }, except);
  }

  oldest(): Promise<StoredJournalRecord | undefined> {
    return oldestOf(this.store, this.scope, this.status);
  }

  /** Resolves when no run is active. */
  async idle(): Promise<void> {
    await this.running?.catch(() => undefined);
  }

  private async run(): Promise<RecoveryReport> {
    const tally = new RecoveryTally();
    const endsAt = performance.now() + this.runMs;
    const { scope, store, status, entries } = this;
    const walk = new RecoveryWalk({ scope, store, status, entries }, tally, this.places, {
      pageSize: PAGE_SIZE,
      ahead: Infinity,
      atOnce: AT_ONCE,
      payments: Infinity,
      isOver: () => this.stopping.aborted || performance.now() > endsAt,
      onUnlisted: (family, error) => {
        tally.endList(family, error);
      },
    });
    this.places = nextRun(await walk.run());
    tally.assertListed();
    return tally.report();
  }
}

const PAGE_SIZE = 500;

/**
 * Reads all payments in none of these states in the order of their creation. So a payment that changes its
 * state comes once, and only one page is in memory.
 */
async function* scanPages(
  store: JournalStore,
  scope: JournalScope,
  except: readonly JournalState[],
): AsyncGenerator<readonly StoredJournalRecord[], void, undefined> {
  let at: string | undefined;
  do {
    const page = await store.list(scope, except, {
      limit: PAGE_SIZE,
      ...(at !== undefined && { after: at }),
    });
    yield page.entries;
    at = page.next;
    // A store in this process answers at once, but webhooks and calls must get their turn.
    await setImmediate();
  } while (at !== undefined);
}
