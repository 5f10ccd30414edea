import { Logger } from '@nestjs/common';
import { performance } from 'node:perf_hooks';
import {
  type JournalRecord,
  type JournalStore,
  type ProbeWait,
  type StoredJournalRecord,
} from '../../common/journal-port.js';
import { type OutcomeEvidence } from '../../common/outcome-evidence.js';
import { type CallEnd } from '../call-end.js';
import { type CallLimits } from '../call-limits.js';
import { waitWithin } from '../wait-within.js';
import { changeRecord } from './change-record.js';
import { accepted, probing, rejected, unknown } from './journal-transitions.js';
import { evidenceOf } from './repeated-call.js';
import { answerText } from './stored-answer.js';

/** How long after its deadline a call may still be running, on a machine that is slow. */
const LEASE_MARGIN_MS = 30_000;

/** How long nobody else may act on a payment whose call ends at the deadline (by `performance.now()`). */
export function leaseUntil(deadline: number): number {
  return Math.max(0, deadline - performance.now()) + LEASE_MARGIN_MS;
}

/** A payment that was written down for one call, until that call has ended. */
export class PaymentIntent {
  /** @param before What stood in its place: what is put back when nothing was sent. */
  private constructor(
    private readonly store: JournalStore,
    private stored: StoredJournalRecord,
    private readonly before: JournalRecord | undefined,
    private readonly deadline: number,
    /** Set where this is the one further try of a payment that may have been made before. */
    readonly probeFor?: ProbeWait,
  ) {}

  /**
   * Writes a payment down. A client of the store may repeat what it lost the answer to, and then finds what it wrote itself.
   *
   * @returns What stands where something else does, or somebody else was faster.
   */
  static async begin(
    store: JournalStore,
    record: JournalRecord,
    standing: StoredJournalRecord | undefined,
    deadline: number,
  ): Promise<PaymentIntent | StoredJournalRecord | undefined> {
    const lease = leaseUntil(deadline);
    const stored = standing
      ? ((await store.replace(standing.version, record, lease)) ?? (await store.get(record)))
      : (await store.insert(record, lease)).stored;
    const isOurs = stored?.record.intent === record.intent && stored.record.state === 'in-flight';
    return isOurs ? new PaymentIntent(store, stored, standing?.record, deadline) : stored;
  }

  /** Takes the one further try of a payment; undefined where somebody else was faster. */
  static async beginProbe(
    store: JournalStore,
    standing: StoredJournalRecord,
    deadline: number,
  ): Promise<PaymentIntent | undefined> {
    const record = probing(standing.record, evidenceOf(standing));
    const stored = await store.replace(standing.version, record, leaseUntil(deadline));
    const { probe = 'after-silence' } = standing.record;
    return stored && new PaymentIntent(store, stored, standing.record, deadline, probe);
  }

  /**
   * Takes back what was written although the store said that it failed; what others wrote since stays.
   *
   * @returns False: what stood before still stands, so it may be written even now, by a server that is slow.
   */
  static async takeBack(
    store: JournalStore,
    record: JournalRecord,
    before: JournalRecord | undefined,
  ): Promise<boolean> {
    const standing = await store.get(record);
    if (standing?.record.intent === before?.intent) return false;
    if (standing?.record.intent !== record.intent || standing.record.state !== 'in-flight') return true;
    if (before) await store.replace(standing.version, before, 0);
    else await store.remove(record, standing.version);
    return true;
  }

  get record(): JournalRecord {
    return this.stored.record;
  }

  /**
   * Writes down that the one further try leaves now. False where the payment has moved on, or cannot be written in time.
   */
  async probeWithin(
    evidence: OutcomeEvidence,
    { sendBy, signal }: Pick<CallLimits, 'sendBy' | 'signal'>,
  ): Promise<boolean> {
    try {
      const record = probing(this.record, evidence);
      const writing = this.store.replace(this.stored.version, record, leaseUntil(this.deadline));
      const waited = await waitWithin(writing, sendBy, signal);
      if (waited.ended !== 'done' || !waited.value) return false;
      this.stored = waited.value;
      return true;
    } catch {
      return false;
    }
  }

  /** Takes back what was written down: nothing was sent. Resolves to what stands afterwards. */
  async release(): Promise<StoredJournalRecord | undefined> {
    const { version, record } = this.stored;
    if (this.before) return (await this.store.replace(version, this.before, 0)) ?? this.store.get(record);
    return (await this.store.remove(record, version)) ? undefined : this.store.get(record);
  }

  /** Writes down how the call ended. Resolves to what stands afterwards. */
  end(end: CallEnd<unknown>): Promise<StoredJournalRecord | undefined> {
    if (end.end === 'success') return this.change((record) => accepted(record, answerText(end.success)));
    if (end.end === 'aborted') return this.release();
    const { verdict, openProbe } = end;
    if (verdict.end === 'rejected') return this.reject();
    if (verdict.end !== 'unknown') return this.release();
    return this.change((record) => unknown(record, verdict.evidence, openProbe));
  }

  /** Only while nobody else has acted on the payment: another try of it may have come through. */
  private async reject(): Promise<StoredJournalRecord | undefined> {
    const { version, record } = this.stored;
    return (await this.store.replace(version, rejected(record), 0)) ?? this.store.get(record);
  }

  /** What was written last most likely still stands; only where it does not, what stands is read. */
  private async change(
    next: (record: JournalRecord) => JournalRecord,
  ): Promise<StoredJournalRecord | undefined> {
    const { version, record } = this.stored;
    const changed = await this.store.replace(version, next(record), 0);
    return changed ?? this.changeWhatStands(next);
  }

  private changeWhatStands(
    next: (record: JournalRecord) => JournalRecord,
  ): Promise<StoredJournalRecord | undefined> {
    const { attempt, idempotencyKey, reference } = this.record;
    const ofThisAttempt = ({ record }: StoredJournalRecord): JournalRecord | undefined => {
      // A caller may give two attempts the same key of its own.
      if (record.attempt === attempt && record.idempotencyKey === idempotencyKey) return next(record);
      new Logger('PaymentsJournal').error(
        `An answer to an earlier attempt of the reference ${JSON.stringify(reference)} came after a later one began.`,
      );
      return undefined;
    };
    return changeRecord(this.store, this.record, ofThisAttempt, 'ends');
  }
}
