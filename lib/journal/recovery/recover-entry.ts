import { type JournalEntry } from '../../common/journal-entry.js';
import {
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { changeRecord } from '../payment/change-record.js';
import { FullDays, neverFits } from '../payment/daily-caps.js';
import { type Payments } from '../payment/payments.js';
import { journalEntry } from './journal-answers.js';
import { decideRecovery, isStale, keptUnknown, type RecoveryRules } from './recovery-decision.js';
import { type EntryEnd } from './recovery-report.js';
import { ASK_WITHIN_MS, type StatusResolver } from '../outcomes/status-resolver.js';

/** What a run learns on its way. */
export interface RunNotes {
  /** The days without room. */
  readonly fullDays: FullDays;
  /** Whether the gateway limits the status queries of the account: then the run asks about no further payment. */
  isHeldBack: boolean;
}

type AnnounceStale = (entry: JournalEntry) => void;

/** Finds out what happened to one payment. */
export class EntryRecovery {
  constructor(
    private readonly rules: RecoveryRules,
    private readonly store: JournalStore,
    private readonly payments: Pick<Payments, 'probe' | 'sendPlanned'>,
    private readonly status: StatusResolver,
    private readonly announceStale: AnnounceStale,
    private readonly stopping: AbortSignal,
  ) {}

  /**
   * Whether `recover` would read or write anything. A journal may hold a million payments without work.
   *
   * @param how Whether there is work even if nobody asks the gateway for the status.
   */
  hasWork(existing: StoredJournalRecord, how?: 'without asking'): boolean {
    if (isStale(existing, this.rules)) return true;
    const decision = decideRecovery(existing, this.rules);
    if (decision !== 'keep') return decision !== 'leave';
    const { record } = existing;
    const canAsk = how === undefined && this.status.canAsk(record.family);
    return canAsk || keptUnknown(existing, this.rules) !== record;
  }

  /** Whether the payment is to be probed, which only the recovery window allows. */
  isProbe(existing: StoredJournalRecord): boolean {
    return decideRecovery(existing, this.rules) === 'probe';
  }

  /** The result for a payment without work. */
  idleEnd(existing: StoredJournalRecord): EntryEnd {
    const isKept = decideRecovery(existing, this.rules) === 'keep';
    return isKept && existing.record.state !== 'accepted' ? { known: false } : {};
  }

  async recover(
    existing: StoredJournalRecord,
    notes: RunNotes = { fullDays: new FullDays(), isHeldBack: false },
  ): Promise<EntryEnd> {
    const end = await this.resolve(existing, notes);
    // Nobody has to look at a payment that only waits for another day.
    const waits = existing.record.state === 'planned' && notes.fullDays.has(existing);
    if (!waits) await this.announceIfStale(existing);
    return end;
  }

  private async resolve(existing: StoredJournalRecord, notes: RunNotes): Promise<EntryEnd> {
    const { fullDays } = notes;
    const decision = decideRecovery(existing, this.rules);
    if (decision === 'leave') return {};
    if (decision === 'send') {
      return this.stopping.aborted || fullDays.has(existing) ? {} : this.send(existing, fullDays);
    }
    const asked = await this.ask(existing, notes);
    const end = await this.afterAsking(existing, asked ?? existing);
    return asked ? end : { ...end, unasked: true };
  }

  /** Resolves to undefined if the gateway limits the queries, and did not answer this one. */
  private async ask(
    existing: StoredJournalRecord,
    notes: RunNotes,
  ): Promise<StoredJournalRecord | undefined> {
    if (!this.status.canAsk(existing.record.family)) return existing;
    if (notes.isHeldBack) return undefined;
    const askMs = Math.min(ASK_WITHIN_MS, this.rules.deadlineMs);
    const query = { isAnswered: true };
    const asked = await this.status.ask(existing, { timeoutMs: askMs, deadlineMs: askMs }, () => {
      query.isAnswered = false;
      notes.isHeldBack = true;
    });
    return query.isAnswered ? asked : undefined;
  }

  private async afterAsking({ record }: StoredJournalRecord, asked: StoredJournalRecord): Promise<EntryEnd> {
    if (record.state === 'accepted') return asked.record.state === 'settled' ? { known: true } : {};
    if (hasEnd(asked.record)) return { known: true };
    // A call may have begun while the gateway was asked.
    if (decideRecovery(asked, this.rules) === 'leave') return {};
    // The list may be old, and the answer may have shown that the gateway has the payment.
    const current = this.isProbe(asked) ? await this.store.get(record) : undefined;
    if (current && this.isProbe(current)) return this.stopping.aborted ? {} : this.probe(current);
    await changeRecord(this.store, record, (current) => keptUnknown(current, this.rules), 'stays');
    return { known: false };
  }

  private async probe(existing: StoredJournalRecord): Promise<EntryEnd> {
    const result = await this.payments.probe(existing);
    if (!result) return {};
    const state = result.existing?.state;
    return { probed: true, known: state === 'accepted' || state === 'settled' };
  }

  /** Sends a planned payment. One of several processes does it, and the others find nothing to do. */
  private async send(existing: StoredJournalRecord, fullDays: FullDays): Promise<EntryEnd> {
    const result = await this.payments.sendPlanned(existing);
    const share = result?.noRoom?.share;
    if (share && !neverFits(share)) fullDays.add(existing.record, share);
    if (!result?.existing) return {};
    const { state } = result.existing;
    // What could not be sent now stays planned, and is sent in a later run.
    return state === 'planned' ? {} : { sent: true, known: state !== 'unknown' && state !== 'in-flight' };
  }

  /** The replica that writes the mark announces the payment, once. */
  private async announceIfStale(seen: StoredJournalRecord): Promise<void> {
    if (!isStale(seen, this.rules)) return;
    const existing = await this.store.get(seen.record);
    if (!existing || existing.leaseLeftMs > 0 || !isStale(existing, this.rules)) return;
    const marked = await this.store.replace(existing.version, { ...existing.record, stale: true }, 0);
    if (marked) this.announceStale(journalEntry(marked));
  }
}

/** Whether the run has found out about an open payment. A contradiction, or a call that was cut off, leaves it unknown. */
function hasEnd({ state }: JournalRecord): boolean {
  return state === 'accepted' || state === 'settled' || state === 'rejected';
}
