import { performance } from 'node:perf_hooks';
import { type InFlight } from '../../common/in-flight.js';
import {
  type JournalRecord,
  type JournalStore,
  type PaymentTombstone,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { failureLabel, PaymentsStorageError } from '../../errors/payments-errors.js';
import { isInProcess } from '../../storage/memory/memory-storage.js';
import { STORAGE_ANSWERS_WITHIN_MS } from '../../storage/time-limited-storage.js';
import { type CallResult } from '../../gateway/call-result.js';
import { type CallLimits } from '../../gateway/call-options.js';
import { withDeadline, WriteRetryQueue, type DeadlineResult } from '../../common/timing.js';
import { type Recorded } from './payment-result.js';
import { type DailyCapRules, type NoRoom, shareOf, withCountedDay } from './daily-caps.js';
import {
  asBefore,
  type NewPayment,
  toInFlight,
  toSending,
  withoutProbe,
  withPlannedAt,
} from './journal-transitions.js';
import { type IntentBegin, PaymentIntent } from './payment-intent.js';
import { type ProbeRules, decideRepeatedCall, type RequestedPayment, type Refusal } from './repeated-call.js';
import { paymentNotWritten } from './repeated-call-errors.js';
import { reportNotSent, warnNotWritten } from './write-failures.js';

/** The result of `begin`: the payment may be sent, or the journal forbids it. */
type Begun =
  | { readonly intent: PaymentIntent }
  | { readonly tombstone: PaymentTombstone }
  | NoRoom
  /** The enlisted payment is not in the journal. */
  | { readonly missing: true }
  | {
      readonly existing: JournalRecord;
      readonly refusal: Refusal;
    };

type WriteLimits = Pick<CallLimits, 'deadline' | 'once'>;

/** Lets a journal in this process be written although the time is up. */
const WRITING_MARGIN_MS = 25;

/** Writes payments down before they are sent, and how their calls ended. */
export class JournalWriter {
  /**
   * Tries again while the lease of the call holds. Until the end is written, recovery takes the call for interrupted, and
   * would send again a payment whose caller got a refusal, or was told that nothing was sent.
   */
  private readonly later = new WriteRetryQueue();
  private readonly atOnce: boolean;

  constructor(
    private readonly store: JournalStore,
    private readonly rules: ProbeRules & DailyCapRules,
    private readonly places: InFlight,
  ) {
    this.atOnce = isInProcess(store);
  }

  /**
   * Writes a payment down, unless the existing record forbids it.
   *
   * @throws PaymentsStorageError if the journal cannot be written in time, or the signal's reason. Nothing
   * may be sent then.
   */
  async begin(asked: RequestedPayment, payment: NewPayment, limits: CallLimits): Promise<Begun> {
    const caller = { waits: true };
    const writing = this.write(asked, payment, limits, caller);
    const waited = await this.wait(writing, limits.sendBy, limits.signal).catch((error: unknown) => {
      throw reportNotSent(payment, failureLabel(error), error);
    });
    if (waited.ended === 'done') return waited.value;
    caller.waits = false;
    this.undoLater(writing, (begun) => ('intent' in begun ? begun.intent : undefined));
    if (waited.ended === 'aborted') throw limits.signal?.reason;
    throw reportNotSent(payment, 'it did not answer in time');
  }

  /** What the journal holds; undefined also if it does not answer in time. */
  async find(payment: NewPayment, { sendBy, signal }: CallLimits): Promise<StoredJournalRecord | undefined> {
    const waited = await this.wait(this.store.get(payment), sendBy, signal).catch(() => undefined);
    return waited?.ended === 'done' ? waited.value : undefined;
  }

  /**
   * Writes down how a call ended. Never rejects: the gateway's answer counts even if it cannot be written.
   */
  async end(intent: PaymentIntent, result: CallResult<unknown>, limits: CallLimits): Promise<Recorded> {
    const deadline = Math.max(limits.deadline, performance.now() + WRITING_MARGIN_MS);
    const writing = this.writeEnd(intent, result);
    const waited = await this.wait(writing, deadline);
    if (waited.ended === 'done') return waited.value;
    this.later.hold(writing);
    warnNotWritten(intent.record, 'it did not answer in time');
    return unrecorded(intent);
  }

  /** Tries all failed writes once more and waits for those that are late, before this process ends. */
  async flush(): Promise<void> {
    await withDeadline(this.later.flush(), soon());
  }

  /** Begins a planned payment without its caller. */
  beginPlanned(existing: StoredJournalRecord, limits: CallLimits): Promise<IntentBegin> {
    const taking = this.beginSending(existing, limits);
    return this.waitFor(taking, existing, limits.sendBy, (late) =>
      'intent' in late ? late.intent : undefined,
    );
  }

  /** Begins a probe without its caller. Resolves to undefined if another process was faster. */
  async beginProbe(
    existing: StoredJournalRecord,
    { deadline, sendBy }: CallLimits,
  ): Promise<PaymentIntent | undefined> {
    const taking = PaymentIntent.beginProbe(this.store, existing, deadline);
    return this.waitFor(taking, existing, sendBy, (late) => late);
  }

  /** Rolls back a write that came too late, and retries if the storage fails: nobody else may for a while. */
  private undoLater<T>(writing: Promise<T>, intentOf: (late: T) => PaymentIntent | undefined): void {
    const undoing = writing.then((late) => {
      const intent = intentOf(late);
      if (intent) this.later.begin(() => intent.release());
    });
    this.later.hold(undoing);
  }

  private async waitFor<T>(
    taking: Promise<T>,
    { record: { reference } }: StoredJournalRecord,
    sendBy: number,
    intentOf: (late: T) => PaymentIntent | undefined,
  ): Promise<T> {
    const waited = await this.wait(taking, sendBy);
    if (waited.ended === 'done') return waited.value;
    this.undoLater(taking, intentOf);
    throw new PaymentsStorageError(
      'The journal did not answer in time, so recover() did not send the payment.',
      { reference },
    );
  }

  private async write(
    asked: RequestedPayment,
    payment: NewPayment,
    limits: WriteLimits,
    caller: { readonly waits: boolean },
  ): Promise<Begun> {
    // Most payments are new, so an existing record is read only if the insertion finds one.
    let existing: StoredJournalRecord | undefined;
    for (;;) {
      // The caller was told that nothing was sent. A crash must not leave a payment that recovery would send.
      if (!caller.waits) throw paymentNotWritten(payment);
      const begun: Begun | IntentBegin = existing
        ? await this.repeat(existing, asked, payment, limits)
        : await this.beginFirst(asked, payment, limits);
      if (!isAnother(begun)) return begun;
      existing = begun.existing;
    }
  }

  private async beginFirst(
    { attempt, idempotencyKey, enlisted }: RequestedPayment,
    payment: NewPayment,
    limits: WriteLimits,
  ): Promise<Begun | IntentBegin> {
    if (enlisted) return this.findEnlisted(payment);
    return this.beginIntent(toInFlight(payment, attempt ?? 1, idempotencyKey), undefined, limits);
  }

  /** Without a record nothing is sent: the transaction is still open, or was rolled back. */
  private async findEnlisted(payment: NewPayment): Promise<Begun | IntentBegin> {
    const existing = await this.store.get(payment);
    if (existing) return { existing };
    const tombstone = await this.store.tombstone(payment);
    return tombstone ? { tombstone } : { missing: true };
  }

  /** Acts on the payment that the journal holds under the reference. */
  private async repeat(
    found: StoredJournalRecord,
    asked: RequestedPayment,
    payment: NewPayment,
    limits: WriteLimits,
  ): Promise<Begun | IntentBegin> {
    const existing = withCountedDay(found);
    const decision = decideRepeatedCall(existing, asked, this.rules);
    if (decision.act === 'begin') {
      const { attempt, idempotencyKey } = decision;
      const record = toInFlight(payment, attempt, asked.idempotencyKey, idempotencyKey);
      return this.beginIntent(asBefore(record, existing.record), existing, limits);
    }
    if (decision.act === 'send-planned') return this.beginSending(existing, limits);
    if (decision.act !== 'probe') return { existing: existing.record, refusal: decision };
    const intent = await PaymentIntent.beginProbe(this.store, existing, limits.deadline);
    return intent ? { intent } : { existing: await this.store.get(payment) };
  }

  /**
   * Begins a planned payment, unless the journal has forgotten a payment with its key: the transaction that planned it
   * may have seen the tables as they were when it began. A tombstone is committed with the purge, so it is always there
   * before a row that takes the key of the purged one.
   */
  private async beginSending(found: StoredJournalRecord, limits: WriteLimits): Promise<IntentBegin> {
    // recover() may have listed the payment on another day than this one.
    const current = found.record.counted ? await this.store.get(found.record) : found;
    if (current?.version !== found.version) return { existing: current };
    const existing = withCountedDay(current);
    const { record, version } = existing;
    const tombstone = await this.store.tombstone(record);
    if (tombstone) {
      await this.store.remove(record, version);
      return { tombstone };
    }
    const planned = withPlannedAt(existing);
    return this.beginIntent(toSending(planned), { ...existing, record: planned }, limits);
  }

  private async beginIntent(
    begun: JournalRecord,
    existing: StoredJournalRecord | undefined,
    { deadline, once }: WriteLimits,
  ): Promise<IntentBegin> {
    const record = { ...(once ? withoutProbe(begun) : begun), baseUrl: this.rules.baseUrl };
    try {
      const { perDay } = this.rules.limits[record.family];
      const share = perDay && shareOf(record, existing, perDay);
      return await PaymentIntent.begin(this.store, record, existing, deadline, share);
    } catch (error) {
      // The store may have written the record and lost the answer, or may write it late.
      const rollback = async (): Promise<void> => {
        const taken = await PaymentIntent.rollback(this.store, record, existing?.record);
        if (!taken) throw paymentNotWritten(record);
      };
      this.later.begin(rollback);
      throw error;
    }
  }

  private async writeEnd(intent: PaymentIntent, result: CallResult<unknown>): Promise<Recorded> {
    try {
      // If the store just lost a connection, the next one is ready at once.
      const existing = await intent.end(result).catch((error: unknown) => {
        this.places.holdLate(error);
        return intent.end(result);
      });
      return { written: true, existing: existing?.record };
    } catch (error) {
      this.places.holdLate(error);
      warnNotWritten(intent.record, failureLabel(error));
      this.later.add(() => intent.end(result));
      return unrecorded(intent);
    }
  }

  /** A storage in this process needs no timer. */
  private async wait<T>(
    work: Promise<T>,
    deadline: number,
    signal?: AbortSignal,
  ): Promise<DeadlineResult<T>> {
    if (this.atOnce) return { ended: 'done', value: await work };
    try {
      const waited = await withDeadline(work, soon(deadline), signal);
      // The storage may still carry it out: it keeps a place, so that late writes do not pile up.
      if (waited.ended !== 'done') this.places.hold(work).catch(() => undefined);
      return waited;
    } catch (error) {
      this.places.holdLate(error);
      throw error;
    }
  }
}

/** Whether a call found another record than it asked for, or none where it expected one. */
function isAnother(
  begun: Begun | IntentBegin,
): begun is Extract<IntentBegin, { readonly existing: StoredJournalRecord | undefined }> {
  return 'existing' in begun && !('refusal' in begun);
}

function unrecorded({ mayBeSentAgain }: PaymentIntent): Recorded {
  return { written: false, mayBeSentAgain };
}

/** When a storage must have answered, by `performance.now()`. Later writes are rolled back or repeated. */
function soon(deadline = Infinity): number {
  return Math.min(deadline, performance.now() + STORAGE_ANSWERS_WITHIN_MS);
}
