import { performance } from 'node:perf_hooks';
import {
  type ForgettablePayments,
  type JournalKey,
  type JournalScope,
  type JournalStore,
} from '../storage/journal-store.js';
import { LONGEST_TIMER_MS } from '../common/timing.js';
import { type JournalEntry } from '../common/journal-entry.js';
import { type PaymentFamily, FINAL_STATUSES, type PaymentOutcome } from '../common/vocabulary.js';
import {
  PaymentsStorageError,
  PaymentsValidationError,
  isPaymentsError,
  type PaymentsError,
} from '../errors/payments-errors.js';
import {
  journalEntry,
  alreadySettled,
  forgotten,
  noOutcome,
  notFound,
  refused,
} from './recovery/journal-answers.js';
import { type OldestUnresolved } from './recovery/oldest-unresolved.js';
import { type OutcomeRecorder } from './outcomes/outcome-recorder.js';
import { type OutcomeWaiter } from './outcomes/outcome-waiter.js';
import { type PurgeAges, purgeProblems } from './purge-ages.js';
import { type RecoveryReport } from './recovery/recovery-report.js';
import { type RecoveryRun } from './recovery/recover.js';

/**
 * How long to wait for an outcome.
 *
 * @publicApi
 */
export interface WaitForOutcomeOptions {
  /** Longest wait in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the wait, which then rejects with `signal.reason`. The payment itself goes on. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Every payment of an account: each one is written down before it is sent, and stays open until the gateway,
 * a webhook, a status answer or an operator says what came of it.
 *
 * @hideconstructor
 * @publicApi
 */
export class PaymentsJournal {
  constructor(
    private readonly scope: Pick<JournalScope, 'account' | 'environment'>,
    private readonly store: JournalStore,
    private readonly recorder: OutcomeRecorder,
    private readonly recovery: RecoveryRun,
    private readonly waiter: OutcomeWaiter,
  ) {}

  /**
   * What is known of a payment; undefined where none was made under this reference, or the journal has forgotten it.
   *
   * @throws PaymentsStorageError
   */
  async get(family: PaymentFamily, reference: string): Promise<JournalEntry | undefined> {
    const existing = await reading(this.store.get(this.keyOf(family, reference)));
    return existing && journalEntry(existing);
  }

  /**
   * The payments whose outcome is open: in flight, unknown, accepted collections, and accepted payouts where
   * the `statusPaths` option lets the gateway be asked about them. Entries that cannot be read (`damaged`),
   * and those in a state of a newer version of the package, are listed too. Reads page by page, so it needs
   * little memory, however many there are.
   *
   * @throws PaymentsStorageError
   *
   * @example
   * ```ts
   * for await (const entry of journal.unresolved({ olderThanMs: 3_600_000 })) console.log(entry.reference, entry.state);
   * ```
   */
  async *unresolved({
    olderThanMs = 0,
  }: { readonly olderThanMs?: number } = {}): AsyncIterable<JournalEntry> {
    for (const family of ['collection', 'disbursement'] as const) {
      const pages = this.recovery.unresolved(family);
      for (;;) {
        const { done, value } = await reading(pages.next());
        if (done) break;
        for (const existing of value) if (existing.ageMs >= olderThanMs) yield journalEntry(existing);
      }
    }
  }

  /**
   * Of the payments that `unresolved` lists the one that has been open for the longest time; undefined where
   * none is open. Cheap, whatever the journal holds: made for alarms.
   *
   * @throws PaymentsStorageError
   *
   * @example
   * ```ts
   * const oldest = await journal.oldestUnresolved();
   * if (oldest && oldest.ageMs > 3_600_000) alarm(oldest.entry.reference);
   * ```
   */
  async oldestUnresolved(): Promise<OldestUnresolved | undefined> {
    const oldest = await reading(this.recovery.oldest());
    return oldest && { entry: journalEntry(oldest), ageMs: oldest.ageMs };
  }

  /**
   * Finds out what came of payments whose call ended without saying so, a crash included: asks for their
   * status where the `statusPaths` option says how, and otherwise sends them once more with the same key and
   * bytes, as the `probe` option allows. Takes only what is older than `deadlineMs` and 30 seconds, each
   * payment on one replica only, so it may run everywhere at once. Call it when the application has started,
   * and every few minutes; nothing should wait for it, as each payment may take as long as a call.
   *
   * A process makes one run at a time: a call during a run resolves to the report of that run. A run deals
   * with 16 payments at once, first with those that it sends once more, and asks for a status for five
   * seconds at most. After a third of `recoveryWindowMs`, or a minute where that is longer, it begins with no
   * further payment, and the next run goes on there. A payment for which the storage fails, or which this
   * version of the package cannot read, is logged and passed over.
   *
   * When the application stops, a run begins with no further payment, and what it has begun ends before the
   * storage is closed.
   *
   * @throws PaymentsStorageError where the open payments cannot be listed.
   *
   * @example
   * ```ts
   * journal.recover().catch((error: unknown) => console.error(error));
   * ```
   */
  recover(): Promise<RecoveryReport> {
    return reading(this.recovery.recover());
  }

  /**
   * Writes down how a payment ended, by an operator's word: what the gateway's support or its portal says.
   * After `failed` of a payment that the gateway never acknowledged, the same reference may be used for the
   * next attempt, once the call before it cannot be running any more. A success answer, a status answer that
   * shows the payment, a refusal as a duplicate and a webhook acknowledge it: its reference is used up then.
   * Where one of them comes only after an outcome without success and contradicts it, the payment is unknown
   * again, with the evidence `conflict`: `unresolved` lists it, and it may be settled once more. It is also
   * unknown again if you say so while its call is running, and the call then ends without a clear answer.
   *
   * @param outcome A final status of the specification.
   * @throws PaymentsValidationError where the family knows no such outcome.
   * @throws PaymentsError with the code `ENTRY_NOT_FOUND`, `ENTRY_FORGOTTEN` after `purge`, or
   * `ALREADY_SETTLED` where it ended otherwise.
   * @throws PaymentsStorageError
   */
  async settle(family: PaymentFamily, reference: string, outcome: PaymentOutcome): Promise<JournalEntry> {
    const outcomes: readonly PaymentOutcome[] = FINAL_STATUSES[family];
    if (!outcomes.includes(outcome)) {
      const problem = `outcome must be a final status of a ${family}: ${outcomes.join(', ')}`;
      throw new PaymentsValidationError({ outcome: [problem] }, { reference });
    }
    const existing = await reading(this.recorder.settle(this.keyOf(family, reference), outcome));
    if (!existing) throw await this.missing(family, reference);
    if (existing.record.outcome === outcome) return journalEntry(existing);
    throw alreadySettled(existing.record);
  }

  /**
   * Waits until a payment has ended: for its webhook on whichever replica, for a status answer where the
   * `statusPaths` option says how to ask, or for `settle`.
   *
   * @throws PaymentOutcomeUnknownError when the time is up: the payment has not failed.
   * @throws PaymentRejectedError where the gateway refused it.
   * @throws PaymentsError with the code `ENTRY_NOT_FOUND`, or `ENTRY_FORGOTTEN` after `purge`; and the
   * signal's reason where it fires.
   *
   * @example
   * ```ts
   * const { outcome } = await journal.waitForOutcome('collection', order.id, { timeoutMs: 60_000 });
   * ```
   */
  async waitForOutcome(
    family: PaymentFamily,
    reference: string,
    { timeoutMs, signal }: WaitForOutcomeOptions,
  ): Promise<JournalEntry> {
    checkTimeout(timeoutMs, reference);
    if (signal?.aborted) throw signal.reason;
    const deadline = performance.now() + timeoutMs;
    const end = await reading(this.waiter.wait(this.keyOf(family, reference), deadline, signal));
    if ('aborted' in end) throw signal?.reason;
    const { existing } = end;
    if (!existing) throw await this.missing(family, reference);
    const { record } = existing;
    if (record.state === 'settled') return journalEntry(existing);
    if (record.state === 'rejected') throw refused(record);
    throw noOutcome(existing, timeoutMs);
  }

  /**
   * Forgets settled payments that did not change for `olderThanMs`, and what else the caller names. What is
   * open or unknown stays, and so does an accepted collection: its outcome is still to come.
   *
   * A tombstone of each is kept, a hash with how it ended: a further call under its reference sends nothing and is a
   * `ReferenceReusedError`. Tombstones go only where `tombstonesOlderThanMs` says so.
   *
   * @returns How many payments were forgotten.
   * @throws PaymentsValidationError where a time is not a whole number of milliseconds greater than 0,
   * another one is shorter than `olderThanMs`, or accepted payouts are named although the `statusPaths`
   * option lets the gateway be asked about them.
   * @throws PaymentsStorageError
   *
   * @example
   * ```ts
   * await journal.purge({ olderThanMs: 90 * 86_400_000, rejectedOlderThanMs: 400 * 86_400_000 });
   * ```
   */
  async purge(ages: PurgeAges): Promise<number> {
    const problems = purgeProblems(ages, this.recovery.canAskAboutPayouts());
    if (problems) throw new PaymentsValidationError(problems);
    const { olderThanMs, rejectedOlderThanMs, acceptedPayoutsOlderThanMs, tombstonesOlderThanMs } = ages;
    let all = await this.forget('settled', olderThanMs);
    if (rejectedOlderThanMs !== undefined) all += await this.forget('rejected', rejectedOlderThanMs);
    if (acceptedPayoutsOlderThanMs !== undefined) {
      all += await this.forget('accepted-payouts', acceptedPayoutsOlderThanMs);
    }
    if (tombstonesOlderThanMs !== undefined) await this.forget('tombstones', tombstonesOlderThanMs);
    return all;
  }

  private async missing(family: PaymentFamily, reference: string): Promise<PaymentsError> {
    const tombstone = await reading(this.store.tombstone(this.keyOf(family, reference)));
    return tombstone ? forgotten(family, reference, tombstone) : notFound(family, reference);
  }

  private forget(what: ForgettablePayments | 'tombstones', olderThanMs: number): Promise<number> {
    return reading(this.store.purge(this.scope, what, olderThanMs));
  }

  private keyOf(family: PaymentFamily, reference: string): JournalKey {
    return { ...this.scope, family, reference };
  }
}

function checkTimeout(timeoutMs: unknown, reference: string): void {
  if (Number.isInteger(timeoutMs) && Number(timeoutMs) > 0 && Number(timeoutMs) <= LONGEST_TIMER_MS) return;
  const problem = 'options.timeoutMs must be a whole number of milliseconds greater than 0: write 60_000';
  throw new PaymentsValidationError({ timeoutMs: [problem] }, { reference });
}

/**
 * A store's own error stays inside: it may hold an address or a password. What cannot be read may have been
 * made: no error of the storage says here that it was not.
 */
async function reading<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PaymentsStorageError) {
      const { message, reference, hint } = error;
      throw new PaymentsStorageError(message, { reference, hint }, 'not-by-this-call');
    }
    if (isPaymentsError(error)) throw error;
    const hint = 'Check the storage, then do it again: nothing was lost.';
    throw new PaymentsStorageError('The journal cannot be reached.', { hint }, 'not-by-this-call');
  }
}
