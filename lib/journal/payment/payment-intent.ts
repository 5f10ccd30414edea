import { performance } from 'node:perf_hooks';
import { quoted } from '../../common/quoted.js';
import {
  type JournalRecord,
  type JournalStore,
  type PaymentTombstone,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { unreadable } from '../../storage/sealed/sealed-journal.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { type OutcomeEvidence } from '../../common/vocabulary.js';
import { type CallResult } from '../../gateway/call-result.js';
import { type EarlierTries } from '../../gateway/decide-after-try.js';
import { type CallLimits } from '../../gateway/call-options.js';
import { withDeadline } from '../../common/timing.js';
import { type DailyShare } from '../../storage/daily-cap.js';
import { changeRecord } from './change-record.js';
import { type NoRoom, releaseShare, withCountedDay, writeCounted } from './daily-caps.js';
import {
  besideAnotherTry,
  isAcknowledged,
  isUntouched,
  type RefusalKind,
  toAccepted,
  toPlannedAgain,
  toProbing,
  toRejected,
  toUnknown,
} from './journal-transitions.js';
import { replaceReverted, restore } from './lost-record.js';
import { answerText } from './payment-result.js';
import { evidenceOf } from './repeated-call.js';

const logger = new SafeLogger('PaymentsJournal');

/** How long after its deadline a call may still be running, on a slow machine or during a rolling deploy. */
export const CALL_MARGIN_MS = 30_000;

/**
 * The lease for a call that ends at the deadline, by `performance.now()`: nobody else may act on its payment.
 */
export function leaseUntil(deadline: number): number {
  return Math.max(0, deadline - performance.now()) + CALL_MARGIN_MS;
}

/** The result of `PaymentIntent.begin`. */
export type IntentBegin =
  | { readonly intent: PaymentIntent }
  /** The journal has forgotten a payment with this key. */
  | { readonly tombstone: PaymentTombstone }
  | NoRoom
  /** Another record exists, or another process was faster. */
  | { readonly existing: StoredJournalRecord | undefined };

/**
 * How long the next write waits for the note that the request left, which nearly always was written long ago.
 */
const MARK_WITHIN_MS = 1_000;

/** A payment that was written down for one call, until the call ends. */
export class PaymentIntent {
  /** Resolves when the note that the request left was written, or failed. */
  private marking: Promise<void> | undefined;
  private markIsSure = false;

  /** @param before The record before, which is restored if nothing was sent. */
  private constructor(
    private readonly store: JournalStore,
    private stored: StoredJournalRecord,
    private readonly before: JournalRecord | undefined,
    private readonly deadline: number,
    readonly earlier?: EarlierTries,
  ) {}

  /**
   * Writes a payment down. A client of the store that repeats a write after a lost answer finds its own
   * record.
   */
  static async begin(
    store: JournalStore,
    record: JournalRecord,
    existing: StoredJournalRecord | undefined,
    deadline: number,
    share?: DailyShare,
  ): Promise<IntentBegin> {
    const lease = leaseUntil(deadline);
    const written = share
      ? await writeCounted(store, record, existing, lease, share)
      : existing
        ? { stored: (await store.replace(existing.version, record, lease)) ?? (await store.get(record)) }
        : await store.insert(record, lease);
    if ('reachedOn' in written) return written;
    const { stored, tombstone } = written;
    if (tombstone) return { tombstone };
    const isOurs = stored?.record.intent === record.intent && stored.record.state === 'in-flight';
    if (!isOurs) return { existing: stored };
    const counted = stored.record.counted ? withCountedDay(stored) : stored;
    return { intent: new PaymentIntent(store, counted, existing?.record, deadline) };
  }

  /** Begins a probe. Resolves to undefined if another process was faster. */
  static async beginProbe(
    store: JournalStore,
    existing: StoredJournalRecord,
    deadline: number,
  ): Promise<PaymentIntent | undefined> {
    const evidence = evidenceOf(existing);
    const record = toProbing(existing.record, evidence);
    const stored = await store.replace(existing.version, record, leaseUntil(deadline));
    const { probe = 'after-silence' } = existing.record;
    return stored && new PaymentIntent(store, stored, existing.record, deadline, { probe, evidence });
  }

  /**
   * Removes a record that was written although the store reported a failure. Keeps what others wrote since.
   *
   * @returns False if the record before is still there: a slow server may yet write the new one.
   */
  static async rollback(
    store: JournalStore,
    record: JournalRecord,
    before: JournalRecord | undefined,
  ): Promise<boolean> {
    const existing = await store.get(record);
    if (existing?.record.intent === before?.intent) return false;
    if (existing?.record.intent !== record.intent || existing.record.state !== 'in-flight') return true;
    // A webhook that was set aside says that the gateway has a payment: the attempt before must not hide it.
    if (isAcknowledged(existing.record) && !isAcknowledged(record)) return true;
    const isUndone = before
      ? await store.replace(existing.version, before, 0)
      : await store.remove(record, existing.version);
    if (isUndone) await releaseShare(store, existing, before);
    return true;
  }

  get record(): JournalRecord {
    return this.stored.record;
  }

  /** Whether the payment was enlisted in a transaction: if the call sends nothing, another one does. */
  get isPlanned(): boolean {
    return this.before?.state === 'planned';
  }

  /** Whether the journal may say that the request left. */
  get mayBeSentAgain(): boolean {
    return this.marking !== undefined;
  }

  /**
   * Notes that the request begins to leave. Nobody waits for the note. Another process probes only a payment
   * with this note. So a caller who was told that nothing was sent stays right, even if the store writes
   * late.
   */
  markSent(): void {
    if (this.marking) return;
    const { version, record } = this.stored;
    const marking = this.store.replace(version, { sent: true, ...record }, leaseUntil(this.deadline));
    this.marking = marking.then(
      (stored) => {
        // A client of the store that writes twice gets no answer to what it has written.
        this.markIsSure = stored !== undefined;
        if (stored && this.stored.version === version) this.stored = stored;
      },
      () => undefined,
    );
  }

  /**
   * Writes down that the probe leaves now. Resolves to false if the record has changed, or the write is too
   * slow.
   */
  async probeWithin(
    evidence: OutcomeEvidence,
    { sendBy, signal }: Pick<CallLimits, 'sendBy' | 'signal'>,
  ): Promise<boolean> {
    try {
      const record = toProbing(this.record, evidence);
      const writing = this.replace(record, leaseUntil(this.deadline));
      const waited = await withDeadline(writing, sendBy, signal);
      if (waited.ended !== 'done' || !waited.value) return false;
      this.stored = waited.value;
      return true;
    } catch {
      return false;
    }
  }

  /** Restores the record before, because nothing was sent. Resolves to the record afterwards. */
  async release(before = this.before): Promise<StoredJournalRecord | undefined> {
    if (before) return (await this.replaceUncounted(before)) ?? restore(this.store, before);
    const removed = await this.write(({ record, version }) => this.store.remove(record, version));
    if (!removed) return this.store.get(this.record);
    await releaseShare(this.store, this.stored, undefined);
    return undefined;
  }

  /** Writes down how the call ended. Resolves to the record afterwards. */
  end(result: CallResult<unknown>): Promise<StoredJournalRecord | undefined> {
    switch (result.end) {
      case 'success': {
        const { success } = result;
        return this.change((record) => toAccepted(record, answerText(success), success.outcome));
      }
      case 'rejected':
        return this.reject(result.proven ? 'proven' : 'unproven');
      case 'unknown': {
        const { evidence, openProbe } = result;
        return this.change((record) =>
          toUnknown(
            openProbe && record.state !== 'settled' ? { ...record, sent: true } : record,
            evidence,
            openProbe,
          ),
        );
      }
      default:
        // The gateway may answer 401, 429 or a redirect after it made the payment, so the key stays.
        return result.answered
          ? this.turnAway(result.turnedAway ? 'turned-away' : 'unproven')
          : this.release();
    }
  }

  /** Nobody may ever call again for a planned payment, so it stays planned. */
  private turnAway(refusal: RefusalKind): Promise<StoredJournalRecord | undefined> {
    const { before } = this;
    return before?.state === 'planned'
      ? this.release(toPlannedAgain(before, this.record, refusal))
      : this.reject(refusal);
  }

  /** Writes a refusal only if nobody else has acted on the payment: another try may have come through. */
  private async reject(refusal: RefusalKind): Promise<StoredJournalRecord | undefined> {
    const refused = toRejected(this.record, refusal);
    return (
      (await this.replaceUncounted(refused)) ??
      (await replaceReverted(this.store, refused, this.before)) ??
      restore(this.store, refused)
    );
  }

  /** Changes the record that this call wrote last, and reads the current one only if that fails. */
  private async change(
    next: (record: JournalRecord) => JournalRecord,
  ): Promise<StoredJournalRecord | undefined> {
    return (await this.replace(next(this.record), 0)) ?? this.changeCurrent(next);
  }

  private async changeCurrent(
    next: (record: JournalRecord) => JournalRecord,
  ): Promise<StoredJournalRecord | undefined> {
    const { attempt, idempotencyKey, bodyHash, intent } = this.record;
    const ofThisAttempt = (existing: StoredJournalRecord): JournalRecord | undefined => {
      const { record } = existing;
      const isDamaged = unreadable(existing) !== undefined;
      // Not even the payment of this record can be read. This call knows its own.
      if (isDamaged && record.bodyHash === '') return next(this.record);
      // A caller may give two attempts the same key. If the journal lost this one, the key may be another
      // payment's.
      // A record that another process sealed with a key that is missing here is told by its intent.
      const isSameBody = record.bodyHash === bodyHash || (isDamaged && record.intent === intent);
      const isSame = record.attempt === attempt && isSameBody;
      if (isSame && record.idempotencyKey === idempotencyKey) return besideAnotherTry(record, next(record));
      logger.error(
        `An answer to an earlier attempt of the reference ${quoted(record.reference)} came after a later one, or another payment, began.`,
      );
      return undefined;
    };
    const existing =
      (await replaceReverted(this.store, next(this.record), this.before)) ??
      (await changeRecord(this.store, this.record, ofThisAttempt, 'ends'));
    return existing ?? restore(this.store, next(this.record));
  }

  /** Gives back what the attempt took from its day, unless it still counts. */
  private async replaceUncounted(record: JournalRecord): Promise<StoredJournalRecord | undefined> {
    const { stored } = this;
    const replaced = await this.replace(record, 0);
    if (replaced) await releaseShare(this.store, stored, record);
    return replaced;
  }

  private replace(record: JournalRecord, leaseMs: number): Promise<StoredJournalRecord | undefined> {
    return this.write(({ version }) => this.store.replace(version, record, leaseMs));
  }

  /**
   * Changes the record that this call wrote last. If the answer to the note was lost, it may have another
   * version: nobody else may have acted on it since, because the change knows the record before alone.
   */
  private async write<Result>(change: (stored: StoredJournalRecord) => Promise<Result>): Promise<Result> {
    if (this.marking) await withDeadline(this.marking, performance.now() + MARK_WITHIN_MS);
    const result = await change(this.stored);
    if (result || !this.marking || this.markIsSure) return result;
    const existing = await this.store.get(this.record);
    const isOurs = existing?.record.state === 'in-flight' && isUntouched(existing.record, this.record);
    return isOurs ? change(existing) : result;
  }
}
