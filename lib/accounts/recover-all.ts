import { performance } from 'node:perf_hooks';
import { isAccountName } from '../common/account-name.js';
import { PAYMENT_FAMILIES } from '../common/vocabulary.js';
import { SafeLogger } from '../common/safe-logger.js';
import { failureLabel } from '../errors/payments-errors.js';
import { withoutStoreDetails } from '../journal/hide-store-error.js';
import { atMost } from '../common/at-most.js';
import { closedStates } from '../journal/recovery/recovery-decision.js';
import { RecoveryTally } from '../journal/recovery/recovery-report.js';
import { isUnfinished, nextRun, type WalkPlaces } from '../journal/recovery/recovery-walk.js';
import {
  type AccountOwner,
  type PagePlace,
  statusOf,
  type StoredAccount,
  storedAccounts,
} from './account-owner.js';
import { accountText } from './account-text.js';
import { type AllRecoveryReport, reasonOf, type SkippedAccount } from './all-reports.js';

/** How many accounts have their turn at once. */
const AT_ONCE = 8;
/** After this time a run begins no further turn: a third of the recovery window, so that no payment waits longer. */
const RUN_MS = 300_000;
/** More accounts are only counted. */
const NAMED_IN_LOG = 10;

interface Unfinished {
  readonly stored: StoredAccount;
  readonly place: WalkPlaces;
}

/** What one run knows. */
interface Run {
  readonly tally: RecoveryTally;
  readonly endsAt: number;
  readonly seen: Set<string>;
  readonly skipped: SkippedAccount[];
  /** The accounts that have another turn. */
  unfinished: Unfinished[];
  /** The accounts that have another turn in the next run, because the gateway limits their status queries. */
  readonly heldBack: Unfinished[];
}

/**
 * Recovers the open payments of all accounts: each has a turn, and those with more have another one when all others had
 * theirs.
 */
export class RecoveryOfAll {
  private readonly logger = new SafeLogger('PaymentsAccounts');
  private running: Promise<AllRecoveryReport> | undefined;
  /** Where the next run begins, because the last one had no time for all accounts. */
  private from: PagePlace | undefined;
  /** Whose turns the last run had time for: the next one passes over them in the page where it begins, until the end. */
  private hadTurn: ReadonlySet<string> = new Set();
  /** Where the next run continues in accounts with many payments. */
  private readonly places = new Map<string, WalkPlaces>();

  /** @param stopped Fires when the application stops. Then a run begins no further turn. */
  constructor(
    private readonly owners: () => readonly AccountOwner[],
    private readonly stopped: AbortSignal,
    private readonly runMs = RUN_MS,
  ) {}

  /** Makes one run at a time. A call during a run gets its report. */
  recover(): Promise<AllRecoveryReport> {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async run(): Promise<AllRecoveryReport> {
    const run: Run = {
      tally: new RecoveryTally(true),
      endsAt: performance.now() + this.runMs,
      seen: new Set(),
      skipped: [],
      unfinished: [],
      heldBack: [],
    };
    await atMost(AT_ONCE, this.everyAccount(run), (stored) => this.firstTurn(stored, run));
    while (run.unfinished.length > 0 && !this.isOver(run)) await this.furtherTurns(run);
    for (const { stored, place } of [...run.unfinished, ...run.heldBack]) {
      this.places.set(accountText(stored.scope), nextRun(place));
      run.tally.unfinished = true;
    }
    this.logSkipped(run.skipped);
    return { ...run.tally.report(), accounts: run.seen.size, skipped: run.skipped };
  }

  private async *everyAccount(run: Run): AsyncGenerator<StoredAccount, void, undefined> {
    const { from, hadTurn } = this;
    const pages = storedAccounts(this.owners(), 'journal', from);
    this.from = undefined;
    this.hadTurn = new Set();
    const last: StoredAccount[] = [];
    const failures: unknown[] = [];
    for (let isFirst = true; ; isFirst = false) {
      const { done, value } = await withoutStoreDetails(pages.next()).catch((error: unknown) => {
        failures.push(error);
        return { done: true, value: undefined } as const;
      });
      for (const stored of done ? last : value.accounts) {
        const text = accountText(stored.scope);
        if (run.seen.has(text)) continue;
        if (isFirst && !done && hadTurn.has(text)) {
          last.push(stored);
          continue;
        }
        if (this.isOver(run)) {
          this.from = done ? from : value.place;
          this.hadTurn = isFirst ? new Set([...hadTurn, ...run.seen]) : run.seen;
          run.tally.unfinished = true;
          return;
        }
        run.seen.add(text);
        yield stored;
      }
      if (failures.length > 0) throw failures[0];
      if (done) return;
    }
  }

  private async firstTurn(stored: StoredAccount, run: Run): Promise<void> {
    const text = accountText(stored.scope);
    const earlier = this.places.get(text);
    this.places.delete(text);
    try {
      if (await hasOpenPayments(stored)) await this.turn(stored, earlier, run);
    } catch (error) {
      this.skip(stored, error, run);
    }
  }

  /** One more turn for each account that needs one. */
  private async furtherTurns(run: Run): Promise<void> {
    const round = run.unfinished;
    run.unfinished = [];
    let begun = 0;
    const isOver = (): boolean => this.isOver(run);
    function* untilOver(): Generator<Unfinished, void, undefined> {
      for (const next of round) {
        if (isOver()) return;
        begun += 1;
        yield next;
      }
    }
    await atMost(AT_ONCE, untilOver(), async ({ stored, place }) => {
      try {
        await this.turn(stored, place, run);
      } catch (error) {
        this.skip(stored, error, run);
      }
    });
    run.unfinished.push(...round.slice(begun));
  }

  private async turn(stored: StoredAccount, place: WalkPlaces | undefined, run: Run): Promise<void> {
    const { scope, owner } = stored;
    const { account, environment } = scope;
    if (!owner || !isAccountName(account)) {
      run.skipped.push({ account, environment, reason: 'unknown' });
      return;
    }
    const { service, release } = await owner.hold(account);
    try {
      if (service.environment !== environment) {
        run.skipped.push({ account, environment, reason: 'other-environment' });
        return;
      }
      const next = await service.turns.turn(place, run.tally, run.endsAt);
      if (next) (isUnfinished(next) ? run.unfinished : run.heldBack).push({ stored, place: next });
    } finally {
      release();
    }
  }

  private skip({ scope }: StoredAccount, error: unknown, { skipped }: Run): void {
    const { account, environment } = scope;
    const reason = reasonOf(error);
    skipped.push({ account, environment, reason });
    // The resolver's own failure was logged when it failed.
    if (reason !== 'failed') return;
    this.logger.error(`recover() failed for the account '${account}': ${failureLabel(error)}`);
  }

  private logSkipped(skipped: readonly SkippedAccount[]): void {
    if (skipped.length === 0) return;
    const names = skipped
      .slice(0, NAMED_IN_LOG)
      .map(({ account, environment, reason }) => `'${account}' in ${environment} (${reason})`);
    const more = skipped.length - names.length;
    this.logger.warn(
      `recover() left out ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}: their payments stay open, and the next run ` +
        'tries again.',
    );
  }

  private isOver({ endsAt }: Run): boolean {
    return this.stopped.aborted || performance.now() > endsAt;
  }
}

/** Looks without keys, so that nobody is asked for accounts that have nothing open. */
async function hasOpenPayments(stored: StoredAccount): Promise<boolean> {
  const { scope, parts } = stored;
  const status = statusOf(stored);
  for (const family of PAYMENT_FAMILIES) {
    const { entries } = await parts.journal.list({ ...scope, family }, closedStates(family, status), {
      limit: 1,
    });
    if (entries.length > 0) return true;
  }
  return false;
}
