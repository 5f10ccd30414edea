import { performance } from 'node:perf_hooks';
import { quoted } from '../../common/quoted.js';
import {
  type JournalRecord,
  type JournalStore,
  type PaymentTombstone,
  type ProbeWait,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { type OutcomeEvidence } from '../../common/vocabulary.js';
import { type CallResult } from '../../gateway/call-result.js';
import { type CallLimits } from '../../gateway/call-options.js';
import { withDeadline } from '../../common/timing.js';
import { changeRecord } from './change-record.js';
import {
  answerText,
  toAccepted,
  toAcknowledged,
  isAcknowledged,
  toProbing,
  toRejected,
  toUnknown,
} from './journal-transitions.js';
import { evidenceOf } from './repeated-call.js';

const logger = new SafeLogger('PaymentsJournal');

/** How long after its deadline a call may still be running, on a machine that is slow. */
const LEASE_MARGIN_MS = 30_000;

/** How long nobody else may act on a payment whose call ends at the deadline (by `performance.now()`). */
export function leaseUntil(deadline: number): number {
  return Math.max(0, deadline - performance.now()) + LEASE_MARGIN_MS;
}

/** What came of writing a payment down for a call. */
export type IntentBegin =
  | { readonly intent: PaymentIntent }
  /** The journal has forgotten a payment with this key. */
  | { readonly tombstone: PaymentTombstone }
  /** Something else stands, or somebody else was faster. */
  | { readonly existing: StoredJournalRecord | undefined };

/** How long what is written next waits for the note that the request left: nearly always it was written long ago. */
const MARK_WITHIN_MS = 1_000;

/** A payment that was written down for one call, until that call has ended. */
export class PaymentIntent {
  /** Ends when the note that the request left was written, or could not be. */
  private marking: Promise<void> | undefined;
  private markIsSure = false;

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
   * Writes a payment down. A client of the store may repeat what it lost the answer to, and then finds what
   * it wrote itself.
   */
  static async begin(
    store: JournalStore,
    record: JournalRecord,
    existing: StoredJournalRecord | undefined,
    deadline: number,
  ): Promise<IntentBegin> {
    const lease = leaseUntil(deadline);
    const { stored, tombstone } = existing
      ? { stored: (await store.replace(existing.version, record, lease)) ?? (await store.get(record)) }
      : await store.insert(record, lease);
    if (tombstone) return { tombstone };
    const isOurs = stored?.record.intent === record.intent && stored.record.state === 'in-flight';
    return isOurs
      ? { intent: new PaymentIntent(store, stored, existing?.record, deadline) }
      : { existing: stored };
  }

  /** Takes the one further try of a payment; undefined where somebody else was faster. */
  static async beginProbe(
    store: JournalStore,
    existing: StoredJournalRecord,
    deadline: number,
  ): Promise<PaymentIntent | undefined> {
    const record = toProbing(existing.record, evidenceOf(existing));
    const stored = await store.replace(existing.version, record, leaseUntil(deadline));
    const { probe = 'after-silence' } = existing.record;
    return stored && new PaymentIntent(store, stored, existing.record, deadline, probe);
  }

  /**
   * Takes back what was written although the store said that it failed; what others wrote since stays.
   *
   * @returns False: what stood before still stands, so it may be written even now, by a server that is slow.
   */
  static async rollback(
    store: JournalStore,
    record: JournalRecord,
    before: JournalRecord | undefined,
  ): Promise<boolean> {
    const existing = await store.get(record);
    if (existing?.record.intent === before?.intent) return false;
    if (existing?.record.intent !== record.intent || existing.record.state !== 'in-flight') return true;
    if (before) await store.replace(existing.version, before, 0);
    else await store.remove(record, existing.version);
    return true;
  }

  get record(): JournalRecord {
    return this.stored.record;
  }

  /** Whether the journal may say that the request left. */
  get mayBeSentAgain(): boolean {
    return this.marking !== undefined;
  }

  /**
   * Notes that the request begins to leave, beside the request: nobody waits for it. Only a payment with this
   * note is sent once more by another process, so whoever was told before that nothing was sent is right for
   * ever, whatever the store does late.
   */
  markSent(): void {
    if (this.marking) return;
    const { version, record } = this.stored;
    const marking = this.store.replace(version, { ...record, sent: true }, leaseUntil(this.deadline));
    this.marking = marking.then(
      (stored) => {
        this.markIsSure = true;
        if (stored && this.stored.version === version) this.stored = stored;
      },
      () => undefined,
    );
  }

  /**
   * Writes down that the one further try leaves now. False where the payment has moved on, or cannot be
   * written in time.
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

  /** Takes back what was written down: nothing was sent. Resolves to what stands afterwards. */
  async release(): Promise<StoredJournalRecord | undefined> {
    if (this.before) return (await this.replace(this.before, 0)) ?? this.currentOrRestored(this.before);
    const removed = await this.write(({ record, version }) => this.store.remove(record, version));
    return removed ? undefined : this.store.get(this.record);
  }

  /** Writes down how the call ended. Resolves to what stands afterwards. */
  end(result: CallResult<unknown>): Promise<StoredJournalRecord | undefined> {
    switch (result.end) {
      case 'success': {
        const { success } = result;
        return this.change((record) => toAccepted(record, answerText(success), success.outcome));
      }
      case 'rejected':
        return this.reject(result.listed);
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
        // Credentials, a rate limit or a redirect may have been answered after the payment was made: its key stays.
        return result.answered ? this.reject(false) : this.release();
    }
  }

  /** Only while nobody else has acted on the payment: another try of it may have come through. */
  private async reject(listed: boolean): Promise<StoredJournalRecord | undefined> {
    const refused = toRejected(this.record, listed);
    return (
      (await this.replace(refused, 0)) ??
      (await this.replaceReverted(refused)) ??
      this.currentOrRestored(refused)
    );
  }

  /** What was written last most likely still stands; only where it does not, what stands is read. */
  private async change(
    next: (record: JournalRecord) => JournalRecord,
  ): Promise<StoredJournalRecord | undefined> {
    return (await this.replace(next(this.record), 0)) ?? this.changeWhatStands(next);
  }

  private async changeWhatStands(
    next: (record: JournalRecord) => JournalRecord,
  ): Promise<StoredJournalRecord | undefined> {
    const { attempt, idempotencyKey, bodyHash } = this.record;
    const ofThisAttempt = ({ record, damaged }: StoredJournalRecord): JournalRecord | undefined => {
      // Nothing of it can be read, not even which payment it is: this call knows its own.
      if (damaged !== undefined && record.bodyHash === '') return next(this.record);
      // A caller may give two attempts the same key of its own; and where the journal lost this one, the key
      // may be another payment's.
      const isSame = record.attempt === attempt && record.bodyHash === bodyHash;
      if (isSame && record.idempotencyKey === idempotencyKey) return besideAnotherTry(record, next(record));
      logger.error(
        `An answer to an earlier attempt of the reference ${this.reference} came after a later one, or another payment, began.`,
      );
      return undefined;
    };
    const existing =
      (await this.replaceReverted(next(this.record))) ??
      (await changeRecord(this.store, this.record, ofThisAttempt, 'ends'));
    return existing ?? this.restore(next(this.record));
  }

  private async currentOrRestored(record: JournalRecord): Promise<StoredJournalRecord | undefined> {
    return (await this.store.get(record)) ?? this.restore(record);
  }

  /**
   * Writes the end over the earlier attempt, if a fail-over or a restored back-up brought that back as it was.
   * If anybody has acted on it since, it stays: a webhook may have settled it.
   */
  private async replaceReverted(record: JournalRecord): Promise<StoredJournalRecord | undefined> {
    const { before } = this;
    if (!before || before.intent === this.record.intent) return undefined;
    const existing = await this.store.get(record);
    if (!existing || !isUntouched(existing.record, before)) return undefined;
    const written = await this.store.replace(existing.version, record, 0);
    if (written) this.logLoss(record);
    return written;
  }

  /**
   * Writes a payment again that the journal has lost while its call was running. Nobody removes a payment but
   * the call that wrote it, and what was forgotten has a tombstone, over which nothing is written.
   */
  private async restore(record: JournalRecord): Promise<StoredJournalRecord | undefined> {
    const { inserted, stored } = await this.store.insert(record, 0);
    if (inserted) this.logLoss(record);
    return stored;
  }

  private logLoss({ operation, state }: JournalRecord): void {
    logger.error(
      `The journal lost ${operation} for the reference ${this.reference} while its call was running, and it was ` +
        `written again as ${state}. After a fail-over or a restored back-up other payments may be lost, too: ` +
        'compare the journal with the gateway.',
    );
  }

  private replace(record: JournalRecord, leaseMs: number): Promise<StoredJournalRecord | undefined> {
    return this.write(({ version }) => this.store.replace(version, record, leaseMs));
  }

  /** Changes what this call wrote last. Where the answer to the note was lost, that may stand under another version. */
  private async write<Result>(change: (stored: StoredJournalRecord) => Promise<Result>): Promise<Result> {
    if (this.marking) await withDeadline(this.marking, performance.now() + MARK_WITHIN_MS);
    const result = await change(this.stored);
    if (result || !this.marking || this.markIsSure) return result;
    const existing = await this.store.get(this.record);
    const isOurs = existing?.record.intent === this.record.intent && existing.record.state === 'in-flight';
    return isOurs ? change(existing) : result;
  }

  private get reference(): string {
    return quoted(this.record.reference);
  }
}

function isUntouched(existing: JournalRecord, before: JournalRecord): boolean {
  return (
    existing.intent === before.intent &&
    existing.state === before.state &&
    existing.outcome === before.outcome &&
    existing.settledBy === before.settledBy &&
    isAcknowledged(existing) === isAcknowledged(before)
  );
}

/**
 * Where the one further try was taken, an answer that tells nothing opens it no more, and does not end the
 * lease of who is making it.
 */
function besideAnotherTry(existing: JournalRecord, next: JournalRecord): JournalRecord {
  const isTaken = existing.state === 'unknown' && existing.probe === undefined;
  if (!isTaken || next.state !== 'unknown') return next;
  return isAcknowledged(next) ? toAcknowledged(existing) : existing;
}
