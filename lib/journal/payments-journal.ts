import { performance } from 'node:perf_hooks';
import { type JournalKey, type JournalScope, type JournalStore } from '../storage/journal-store.js';
import { type JournalEntry, type SettledJournalEntry } from '../common/journal-entry.js';
import { PAYMENT_FAMILIES, type OutcomeOf, type PaymentFamily } from '../common/vocabulary.js';
import { NamedInTokens } from '../common/tokens.js';
import { type PaymentTombstone } from '../storage/journal-store.js';
import { type ResealReport, type Resealing } from '../storage/sealed/reseal.js';
import { PaymentsValidationError } from '../errors/payments-errors.js';
import { cutShort, journalEntry, noOutcome, notFound, settledEntry } from './recovery/journal-answers.js';
import { openMs } from './recovery/recovery-decision.js';
import { type OldestUnresolved, sharedLook } from './recovery/oldest-unresolved.js';
import { type PersonEraser } from './outcomes/erase-person.js';
import { type OutcomeRecorder } from './outcomes/outcome-recorder.js';
import { type OutcomeWaiter } from './outcomes/outcome-waiter.js';
import { checkOptions, checkOutcome, checkPayment, noKeyToSealWith } from './journal-checks.js';
import { withoutStoreDetails } from './hide-store-error.js';
import { giveUpAttempt, type UnmadePayment } from './payment/give-up-attempt.js';
import { OPEN_PAYOUTS, type PurgeAges, purgePayments, purgeProblems } from './purge-ages.js';
import { type RecoveryReport } from './recovery/recovery-report.js';
import { type RecoveryRun } from './recovery/recover.js';

/**
 * How long to wait for an outcome.
 *
 * @publicApi
 */
export interface WaitForOutcomeOptions {
  /** Longest wait in milliseconds: 1 to 2147483647. */
  readonly timeoutMs: number;
  /** Ends the wait, which then rejects with `signal.reason`. The payment itself continues. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * All payments of an account. Each one is written down before it is sent. It stays open until the gateway, a webhook, a status
 * answer or an operator reports its end.
 *
 * @hideconstructor
 * @publicApi
 */
@NamedInTokens('PaymentsJournal')
export class PaymentsJournal {
  private readonly oldest = sharedLook(() => this.recovery.oldest());

  /** @internal */
  constructor(
    private readonly scope: Pick<JournalScope, 'account' | 'environment'>,
    private readonly store: JournalStore,
    private readonly recorder: OutcomeRecorder,
    private readonly recovery: RecoveryRun,
    private readonly waiter: OutcomeWaiter,
    private readonly eraser: PersonEraser,
    private readonly resealing: Resealing | undefined,
  ) {}

  /**
   * The entry of a payment; undefined if none was made with this reference, or the journal has forgotten it.
   *
   * @throws PaymentsValidationError if there is no such family, or no reference is given.
   * @throws PaymentsStorageError
   */
  async get<F extends PaymentFamily>(family: F, reference: string): Promise<JournalEntry<F> | undefined> {
    const existing = await withoutStoreDetails(this.store.get(this.keyOf(family, reference)));
    return existing && (journalEntry(existing) as JournalEntry<F>);
  }

  /**
   * The payments with an open outcome: planned, in flight, unknown, accepted collections, and accepted payouts if the `statusPaths`
   * option has a path for them. Also lists entries that cannot be read (`damaged`), and entries in a state of a newer version of
   * the package. Reads page by page, so it always needs little memory.
   *
   * @throws PaymentsValidationError if `olderThanMs` is no whole number of milliseconds, 0 or more.
   * @throws PaymentsStorageError
   *
   * @example
   * ```ts
   * for await (const entry of journal.unresolved({ olderThanMs: 3_600_000 })) console.log(entry.reference, entry.state);
   * ```
   */
  async *unresolved(
    options: { readonly olderThanMs?: number | undefined } = {},
  ): AsyncIterable<JournalEntry> {
    checkOptions('unresolved', options);
    const { olderThanMs = 0 } = options;
    for (const family of PAYMENT_FAMILIES) {
      const pages = this.recovery.unresolved(family);
      for (;;) {
        const { done, value } = await withoutStoreDetails(pages.next());
        if (done) break;
        for (const existing of value) if (openMs(existing) >= olderThanMs) yield journalEntry(existing);
      }
    }
  }

  /**
   * The payment of `unresolved` that has been open for the longest time; undefined if none is open. Use it for alarms: it usually
   * reads ten payments of each family, and reads on for five seconds at most if those were made again later; then an unread one
   * may be older. A call during a look resolves to its result.
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
    const oldest = await withoutStoreDetails(this.oldest());
    return oldest && { entry: journalEntry(oldest), ageMs: openMs(oldest) };
  }

  /**
   * Finds out what happened to payments whose call ended without a result, for example in a crash. Asks for their status if the
   * `statusPaths` option has a path; otherwise sends them once more with the same key and bytes, if the `probe` option allows it.
   * Takes only payments older than `deadlineMs` and 30 seconds, each on one replica, so it may run on all replicas at once.
   * Sends planned payments that are older than ten seconds. Call it when the application has started, and every few minutes. Do
   * not wait for it: each payment may take as long as a call.
   *
   * A process makes one run at a time. A call during a run resolves to its report. A run handles 16 payments at once: planned
   * ones, those to probe and the others in turn, so that none of these keeps the others waiting. It waits five seconds at most for
   * a status. After a third of `recoveryWindowMs`, but not within the first minute, it begins no further payment, and the next run
   * continues there. If the gateway limits the status queries (429), the run asks about no further payment, and the next run
   * continues with the first one that was not asked about. It logs and skips payments for which the storage fails, or which this
   * version of the package cannot read. When the application stops, a run begins no further payment, and the storage closes after
   * the last one has ended.
   *
   * @throws PaymentsStorageError if the open payments cannot be listed.
   *
   * @example
   * ```ts
   * journal.recover().catch((error: unknown) => console.error(error));
   * ```
   */
  recover(): Promise<RecoveryReport> {
    return withoutStoreDetails(this.recovery.recover());
  }

  /**
   * Writes down how a payment ended, as the gateway's support or portal reports it. A planned payment is given up, and never sent.
   *
   * After `failed`, the reference may be used for the next attempt if the gateway never acknowledged the payment and its call
   * cannot be running any more. The gateway acknowledges a payment with a success answer, a status answer that shows it, a
   * refusal as a duplicate, or a webhook.
   *
   * If an acknowledgement comes later and contradicts an outcome without success, the payment is unknown again, with the
   * evidence `conflict`: `unresolved` lists it, and you may settle it again. It is also unknown again if you settle it while its
   * call is running, and the call then ends without a clear answer.
   *
   * @param outcome A final status of the specification.
   * @param options `attempt`: only if this attempt is the last one, 1 or more. @default whichever it is
   * @throws PaymentsValidationError if there is no such family, outcome or option, or no reference is given.
   * @throws PaymentsError with the code `ENTRY_NOT_FOUND`, `ENTRY_FORGOTTEN` after `purge`, `ANOTHER_ATTEMPT`, or
   * `ALREADY_SETTLED` if it has another outcome.
   * @throws PaymentsStorageError
   */
  async settle<F extends PaymentFamily>(
    family: F,
    reference: string,
    outcome: OutcomeOf<F>,
    options: {
      readonly attempt?: number;
      /** @internal When it failed: what was sent again since stays. */
      readonly failedAt?: number | undefined;
    } = {},
  ): Promise<JournalEntry<F>> {
    checkOutcome(family, outcome, reference);
    checkOptions('settle', options, reference);
    const existing = await withoutStoreDetails(
      this.recorder.settle(this.keyOf(family, reference), outcome, options),
    );
    if (!existing) throw notFound(family, reference, await this.tombstone(family, reference));
    return settledEntry(existing, outcome, options.attempt) as JournalEntry<F>;
  }

  /**
   * Waits until a payment has ended: for its webhook on any replica, for a status answer if the `statusPaths`
   * option has a path, or for `settle`. Also waits if the gateway only turned it away, or refused it without a listed
   * code: the same call may follow, and may be accepted.
   *
   * @throws PaymentOutcomeUnknownError when the time is up, or the application stops: the payment has not failed.
   * @throws PaymentRejectedError if the gateway refused it for good (`JournalEntry.final`).
   * @throws PaymentsError with the code `ENTRY_NOT_FOUND`, or `ENTRY_FORGOTTEN` after `purge`; or the signal's reason.
   * @throws PaymentsValidationError if an option is wrong, there is no such family, or no reference is given.
   * @throws PaymentsStorageError
   *
   * @example
   * ```ts
   * const { outcome } = await journal.waitForOutcome('collection', order.id, { timeoutMs: 60_000 });
   * ```
   */
  async waitForOutcome<F extends PaymentFamily>(
    family: F,
    reference: string,
    options: WaitForOutcomeOptions,
  ): Promise<SettledJournalEntry<F>> {
    checkOptions('waitForOutcome', options, reference);
    const { timeoutMs, signal } = options;
    if (signal?.aborted) throw signal.reason;
    const deadline = performance.now() + timeoutMs;
    const end = await withoutStoreDetails(this.waiter.wait(this.keyOf(family, reference), deadline, signal));
    if (end.aborted) throw signal?.aborted ? signal.reason : cutShort(reference, end.existing);
    const { existing } = end;
    if (!existing) throw notFound(family, reference, await this.tombstone(family, reference));
    if (existing.record.state === 'settled') return journalEntry(existing) as SettledJournalEntry<F>;
    throw noOutcome(existing, timeoutMs);
  }

  /**
   * Forgets settled payments that did not change for `olderThanMs`, and other payments for which you give an age. Planned, open and
   * unknown payments stay. Accepted collections stay, because their outcome is still to come.
   *
   * Each forgotten payment leaves a tombstone, a hash with its end: a further call with its reference sends
   * nothing and is a `ReferenceReusedError`. Tombstones stay unless you give `tombstonesOlderThanMs`.
   *
   * @returns How many payments were forgotten.
   * @throws PaymentsValidationError if an age is not a whole number of milliseconds from 1 to 36,500 days or is
   * shorter than `olderThanMs`, or if an age for accepted payouts is given although the `statusPaths` option
   * has a path for them.
   * @throws PaymentsStorageError
   *
   * @example
   * ```ts
   * await journal.purge({ olderThanMs: 90 * 86_400_000, rejectedOlderThanMs: 400 * 86_400_000 });
   * ```
   */
  async purge(ages: PurgeAges): Promise<number> {
    const problems = purgeProblems(ages, this.recovery.canAskAboutPayouts() ? OPEN_PAYOUTS : undefined);
    if (problems) throw new PaymentsValidationError(problems);
    return purgePayments(ages, (what, olderThanMs) =>
      withoutStoreDetails(this.store.purge(this.scope, what, olderThanMs)),
    );
  }

  /**
   * Takes a person out of a payment that has ended: removes the request, the gateway's answer and the hash of the request,
   * and the events of its reference that were set aside as unrecognized or unknown. Reference, amount, state, outcome,
   * times and codes stay. A further call with the reference sends nothing and is a `ReferenceReusedError`.
   *
   * @throws PaymentsError with the code `ENTRY_OPEN` if the payment has not ended for good: it is planned, in flight, accepted, unknown
   * or damaged, was refused without a listed code, its call may be running, or an event that contradicts it is set aside.
   * @throws PaymentsError with the code `ENTRY_NOT_FOUND`, or `ENTRY_FORGOTTEN` after `purge`.
   * @throws PaymentsValidationError if there is no such family, or no reference is given.
   * @throws PaymentsStorageError
   *
   * @example
   * ```ts
   * await journal.erase('collection', order.id);
   * ```
   */
  async erase<F extends PaymentFamily>(family: F, reference: string): Promise<JournalEntry<F>> {
    checkPayment(family, reference);
    const existing = await withoutStoreDetails(this.eraser.erase(family, reference));
    if (!existing) throw notFound(family, reference, await this.tombstone(family, reference));
    return journalEntry(existing) as JournalEntry<F>;
  }

  /**
   * Seals with the current key of the option `encryption` what an earlier key sealed, and what was written before encryption was
   * turned on: the journal, the events that were set aside, and lines of batches. It may run while the application does, on one
   * process. Run it again until nothing is `busy` or `unavailable`; what it sealed before costs only reading. `purge` counts the
   * age of a payment from its last change, and so from its resealing.
   *
   * @param options `signal` stops the run after the current entry.
   * @throws PaymentsConfigError if the account has no option `encryption`.
   * @throws PaymentsValidationError if `signal` is no AbortSignal.
   * @throws PaymentsStorageError
   *
   * @example
   * ```ts
   * const { busy, unreadable, unavailable } = await journal.reseal();
   * ```
   */
  async reseal(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<ResealReport> {
    checkOptions('reseal', options);
    if (this.resealing) return withoutStoreDetails(this.resealing.run(this.scope, options.signal));
    throw noKeyToSealWith('The account has no option encryption');
  }

  /** @internal Whether a call holds a payment: nobody else may act on it now. */
  async isHeld(family: PaymentFamily, reference: string): Promise<boolean> {
    const existing = await withoutStoreDetails(this.store.get(this.keyOf(family, reference)));
    return existing !== undefined && existing.leaseLeftMs > 0;
  }

  /** @internal A call that has written no attempt yet makes no payment after this. False if money may have moved, or it was faster. */
  async giveUp(payment: Omit<UnmadePayment, 'account' | 'environment'>): Promise<boolean> {
    return withoutStoreDetails(giveUpAttempt(this.store, { ...payment, ...this.scope }));
  }

  /** @internal What is left of a payment that it has forgotten. */
  async tombstone(family: PaymentFamily, reference: string): Promise<PaymentTombstone | undefined> {
    return withoutStoreDetails(this.store.tombstone(this.keyOf(family, reference)));
  }

  private keyOf(family: PaymentFamily, reference: string): JournalKey {
    checkPayment(family, reference);
    return { ...this.scope, family, reference };
  }
}
