import {
  type JournalKey,
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { journalKeyText } from '../payment/payment-identity.js';
import { type PaymentOutcome } from '../../common/vocabulary.js';
import { changeRecord } from '../payment/change-record.js';
import { isAnotherAttempt, toSettled } from '../payment/journal-transitions.js';
import { begunAtOf } from '../../storage/stored-record.js';
import { failedSend } from '../payment/repeated-call.js';

/** What an outcome is about. */
interface MeantAttempt {
  /** If given, another attempt stays as it is. */
  readonly attempt?: number | undefined;
  /** When it ended without money. If given, a payment stays as it is if that was not certainly after it was sent last. */
  readonly failedAt?: number | undefined;
}

/** Writes down an outcome that an operator reports, and notifies the callers that wait for it. */
export class OutcomeRecorder {
  readonly notifier = new OutcomeNotifier();

  constructor(private readonly store: JournalStore) {}

  /**
   * Settles a payment that has not ended yet.
   *
   * @returns The record afterwards; undefined if there is no such payment.
   */
  async settle(
    key: JournalKey,
    outcome: PaymentOutcome,
    meant: MeantAttempt = {},
  ): Promise<StoredJournalRecord | undefined> {
    const end = (existing: StoredJournalRecord): JournalRecord | undefined =>
      existing.record.state === 'settled' || !isMeant(existing, meant)
        ? undefined
        : toSettled(existing.record, outcome, 'operator');
    const existing = await changeRecord(this.store, key, end, 'stays');
    this.notifier.changed(key);
    return existing;
  }
}

function isMeant(existing: StoredJournalRecord, { attempt, failedAt }: MeantAttempt): boolean {
  const { record, createdAt } = existing;
  if (isAnotherAttempt(record, attempt)) return false;
  if (failedAt === undefined) return true;
  return (
    failedSend({ attempt: record.attempt, createdAt, begunAt: begunAtOf(existing) }, failedAt) === 'last'
  );
}

/** Notifies the callers in this process that wait for an outcome. */
export class OutcomeNotifier {
  private readonly waiting = new Map<string, Set<() => void>>();

  /** Calls back at every change of a payment. Returns a function that ends this. */
  on(key: JournalKey, changed: () => void): () => void {
    const id = journalKeyText(key);
    const listeners = this.waiting.get(id) ?? new Set();
    this.waiting.set(id, listeners.add(changed));
    return () => {
      listeners.delete(changed);
      if (listeners.size === 0 && this.waiting.get(id) === listeners) this.waiting.delete(id);
    };
  }

  changed(key: JournalKey): void {
    if (this.waiting.size === 0) return;
    for (const listener of this.waiting.get(journalKeyText(key)) ?? []) listener();
  }
}
