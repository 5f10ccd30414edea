import { type JournalEntry, type JournalStore, type StoredJournalRecord } from '../../common/journal-port.js';
import { changeRecord } from '../payment/change-record.js';
import { type Payments } from '../payment/payments.js';
import { journalEntry } from './journal-entry.js';
import { decideRecovery, isStale, keptUnknown, type RecoveryRules } from './recovery-decision.js';
import { type EntryEnd } from './recovery-report.js';
import { type StatusResolver } from '../outcomes/status-resolver.js';

/** How long one status query may take: a path that hangs must not keep the other payments waiting. */
const ASK_WITHIN_MS = 5_000;

/** Tells the application about a payment of which nothing was heard for too long. */
export type AnnounceStale = (entry: JournalEntry) => void;

/** Finds out what came of one payment. */
export class EntryRecovery {
  constructor(
    private readonly rules: RecoveryRules,
    private readonly store: JournalStore,
    private readonly payments: Pick<Payments, 'probe'>,
    private readonly status: StatusResolver,
    private readonly announceStale: AnnounceStale,
    private readonly stopping: AbortSignal,
  ) {}

  /** Whether `recover` would read or write anything: a journal may hold a million payments for which nothing is left to do. */
  hasWork(standing: StoredJournalRecord): boolean {
    if (isStale(standing, this.rules)) return true;
    if (decideRecovery(standing, this.rules) !== 'keep') return this.isProbe(standing);
    const { record } = standing;
    return this.status.canAsk(record.family) || keptUnknown(standing, this.rules) !== record;
  }

  /** Whether it is to be sent once more, which the recovery window allows for a short time only. */
  isProbe(standing: StoredJournalRecord): boolean {
    return decideRecovery(standing, this.rules) === 'probe';
  }

  /** What came of it where `hasWork` says that nothing is to be done. */
  idleEnd(standing: StoredJournalRecord): EntryEnd {
    const isKept = decideRecovery(standing, this.rules) === 'keep';
    return isKept && standing.record.state !== 'accepted' ? { known: false } : {};
  }

  async recover(standing: StoredJournalRecord): Promise<EntryEnd> {
    const end = await this.resolve(standing);
    await this.announceIfStale(standing);
    return end;
  }

  private async resolve(standing: StoredJournalRecord): Promise<EntryEnd> {
    const { record } = standing;
    if (decideRecovery(standing, this.rules) === 'leave') return {};
    const askMs = Math.min(ASK_WITHIN_MS, this.rules.deadlineMs);
    const asked = await this.status.ask(standing, { timeoutMs: askMs, deadlineMs: askMs });
    if (record.state === 'accepted') return asked.record.state === 'settled' ? { known: true } : {};
    if (asked.record.state !== record.state) return { known: true };
    // It was listed a while ago, and the answer may have shown that the gateway has it.
    const current = this.isProbe(asked) ? await this.store.get(record) : undefined;
    if (current && this.isProbe(current)) return this.stopping.aborted ? {} : this.probe(current);
    await changeRecord(this.store, record, (current) => keptUnknown(current, this.rules), 'stays');
    return { known: false };
  }

  private async probe(standing: StoredJournalRecord): Promise<EntryEnd> {
    const result = await this.payments.probe(standing);
    if (!result) return {};
    const state = result.standing?.state;
    return { probed: true, known: state === 'accepted' || state === 'settled' };
  }

  /** Announced by the replica that writes it down, once. */
  private async announceIfStale(seen: StoredJournalRecord): Promise<void> {
    if (!isStale(seen, this.rules)) return;
    const standing = await this.store.get(seen.record);
    if (!standing || standing.leaseLeftMs > 0 || !isStale(standing, this.rules)) return;
    const marked = await this.store.replace(standing.version, { ...standing.record, stale: true }, 0);
    if (marked) this.announceStale(journalEntry(marked));
  }
}
