import { type InFlight } from '../../common/in-flight.js';
import { quoted } from '../../common/quoted.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { withDeadline } from '../../common/timing.js';
import { failureLabel } from '../../errors/payments-errors.js';
import { type CallLimits } from '../../gateway/call-options.js';
import {
  type JournalKey,
  type JournalRecord,
  type JournalStore,
  type PaymentTombstone,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { limited } from '../../storage/time-limited-storage.js';
import { type NoRoom, WaitingPaymentsLog } from './daily-caps.js';
import { HandlerEnlistments } from './handler-enlistments.js';
import { type JournalWriter } from './journal-writer.js';
import { isFinalRefusal } from './journal-transitions.js';
import { journalKeyText } from './payment-identity.js';
import { paymentResult } from './payment-result.js';
import { type PaymentSender } from './payment-sender.js';
import { recordedCall } from './recorded-call.js';
import { existingPaymentUnknown, referenceForgotten } from './repeated-call-errors.js';
import { isSendable } from './repeated-call.js';

/** The record after a payment was sent, or the day that had no room for it. */
export interface Sent {
  readonly existing: JournalRecord | undefined;
  readonly noRoom?: NoRoom;
}

/** The record after a probe; undefined if it is gone. */
interface Probed {
  readonly existing: JournalRecord | undefined;
}

/** Sends payments without a caller: planned ones after the handlers of a delivery and in `recover()`, and its probes. */
export class PlannedPayments {
  private readonly logger = new SafeLogger('PaymentsJournal');
  /** The payments that are being sent, by `journalKeyText`. Calls for them wait. */
  readonly sending = new Map<string, Promise<Sent | undefined>>();
  private readonly waiting = new WaitingPaymentsLog();
  private readonly looking = new Set<Promise<void>>();
  private readonly probes = new Set<Promise<unknown>>();
  private isStopped = false;

  constructor(
    private readonly store: JournalStore,
    private readonly writer: JournalWriter,
    private readonly places: InFlight,
    private readonly sender: PaymentSender,
    /** The calls of this process that make payments, by `journalKeyText`. */
    private readonly underWay: Pick<ReadonlyMap<string, unknown>, 'has'>,
  ) {}

  /**
   * Sends a payment. Resolves to undefined if somebody else sends it, or if this version cannot read it.
   *
   * @throws PaymentsStorageError if the journal cannot be written. Nothing was sent then.
   */
  async send(existing: StoredJournalRecord): Promise<Sent | undefined> {
    const id = journalKeyText(existing.record);
    if (!isSendable(existing) || this.underWay.has(id) || this.sending.has(id)) return undefined;
    const sending = this.make(existing).finally(() => this.sending.delete(id));
    this.sending.set(id, sending);
    return sending;
  }

  /** Sends a payment once more. Resolves to undefined if somebody else acts on it. */
  async probe(existing: StoredJournalRecord): Promise<Probed | undefined> {
    // After a jump of the clock, its lease may end while its call still runs here.
    if (this.underWay.has(journalKeyText(existing.record))) return undefined;
    const probe = this.makeProbe(existing);
    this.probes.add(probe);
    return probe.finally(() => this.probes.delete(probe));
  }

  /** Sends the payment when the handlers that run now are committed. Outside of handlers nothing happens. */
  sendAfterHandlers(key: JournalKey): void {
    HandlerEnlistments.add(() => {
      const begun = this.places.begin(() => this.look(key)) ?? this.leave(key, 'too many are in flight');
      const looking = begun.finally(() => this.looking.delete(looking));
      this.looking.add(looking);
      return looking;
    });
  }

  /** Resolves when nobody sends this payment here. */
  async ended(
    id: string,
    payment: Pick<JournalRecord, 'operation' | 'reference'>,
    { deadline, signal }: CallLimits,
  ): Promise<void> {
    const sending = this.sending.get(id);
    if (!sending) return;
    const waited = await withDeadline(Promise.allSettled([sending]), deadline, signal);
    if (waited.ended === 'late') throw existingPaymentUnknown(payment, 'in-flight');
    if (waited.ended === 'aborted') throw existingPaymentUnknown(payment, 'aborted');
  }

  /** What handlers enlist stays planned from now on. */
  stop(): void {
    this.isStopped = true;
  }

  async idle(): Promise<void> {
    await Promise.allSettled([...this.looking, ...this.sending.values(), ...this.probes]);
  }

  /** Never rejects. If the transaction was rolled back after all, there is nothing to send. */
  private async look(key: JournalKey): Promise<void> {
    if (this.isStopped) return;
    try {
      // The shutdown waits for this look, so it must end although the storage hangs.
      const existing = await limited(this.store.get(key)).catch((error: unknown) => {
        this.places.holdLate(error);
        throw error;
      });
      if (existing) await this.send(existing);
    } catch (error) {
      await this.leave(key, failureLabel(error));
    }
  }

  private leave({ family, reference }: JournalKey, why: string): Promise<void> {
    this.logger.warn(
      `The enlisted ${family} ${quoted(reference)} could not be sent after the commit, so the next recover() sends it: ${why}`,
    );
    return Promise.resolve();
  }

  private async makeProbe(existing: StoredJournalRecord): Promise<Probed | undefined> {
    const limits = this.sender.limits();
    const waitedMs = await this.sender.afterPause(limits);
    const intent = await this.writer.beginProbe(existing, limits);
    if (!intent) return undefined;
    const result = await this.sender.send(recordedCall(existing.record), intent, limits, waitedMs);
    const recorded = await this.writer.end(intent, result, limits);
    return { existing: recorded.written ? recorded.existing : intent.record };
  }

  private async make(existing: StoredJournalRecord): Promise<Sent | undefined> {
    const limits = this.sender.limits();
    const waitedMs = await this.sender.afterPause(limits);
    const begun = await this.writer.beginPlanned(existing, limits);
    if ('tombstone' in begun) this.reportForgotten(existing.record, begun.tombstone);
    if ('reachedOn' in begun) {
      this.waiting.report(existing.record, begun);
      return { existing: begun.before, noRoom: begun };
    }
    if (!('intent' in begun)) return undefined;
    const { intent } = begun;
    const call = recordedCall(existing.record);
    const result = await this.sender.send(call, intent, limits, waitedMs);
    const recorded = await this.writer.end(intent, result, limits);
    const isFinal = result.end === 'rejected' && isFinalRefusal(intent.record, result.proven);
    this.report(paymentResult(call, result, recorded, intent.record), intent.record, isFinal);
    return { existing: recorded.written ? recorded.existing : intent.record };
  }

  private reportForgotten(record: JournalRecord, tombstone: PaymentTombstone): void {
    this.logger.error(
      `The enlisted ${record.operation} for the reference ${quoted(record.reference)} was given up: ` +
        failureLabel(referenceForgotten(record, tombstone)),
    );
  }

  /** Nobody waits for the result, so that what went wrong is logged. */
  private report(result: ReturnType<typeof paymentResult>, record: JournalRecord, isFinal: boolean): void {
    if (result.ok) return;
    this.logger.error(
      `The enlisted ${record.operation} for the reference ${quoted(record.reference)} was sent without a caller and was not accepted: ` +
        failureLabel(result.error),
    );
    this.sender.announceUnknown(record, result.error);
    this.sender.announceRejected(record, result.error, isFinal);
  }
}
