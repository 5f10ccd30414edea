import { inspect } from 'node:util';
import { type LineState, type StoredBatch } from '../storage/batch-store.js';
import { approvalDigestOf } from './batch/approval-digest.js';
import { type BatchAccess } from './batch/batch-access.js';
import { type BatchActor, checkActor, checkFields } from './batch/batch-actor.js';
import { auditEntry, type BatchAuditEntry } from './batch/batch-audit.js';
import { eventPages, linePages } from './batch/batch-pages.js';
import { type BatchCheckReport, checkReport, checkStopped } from './batch-check-report.js';
import { checkState, decideApproval, noDigest, refuseBlocked } from './batch/batch-decisions.js';
import { detailsOf } from './batch/batch-details.js';
import { type BatchProgress } from './batch/batch-progress.js';
import { checkReady } from './batch-ready.js';
import { type PayoutBatchLine, payoutBatchLine } from './payout-batch-line.js';
import { reportCsv, reportJson, summaryCsv } from './report/report.js';
import { askAboutUnknown } from './jobs/ask-about-lines.js';
import { enqueueCheck, enqueueRun, resumeBatch } from './jobs/enqueue-chunks.js';
import { acceptLines, beginCheck, settleLine, settlementProblem } from './jobs/line-actions.js';

/**
 * A batch of payouts. Every method reads what is stored now, so several objects and processes may work with the same batch.
 *
 * @hideconstructor
 * @publicApi
 */
export class PayoutBatch {
  /** The account of the merchant. */
  readonly account: string;
  /** The name of the batch. */
  readonly name: string;
  /** A closure, because it leads to the keys of the account. */
  private readonly access: () => BatchAccess;
  private seen: string;

  /** @internal */
  constructor(access: BatchAccess, stored: StoredBatch) {
    this.account = stored.record.account;
    this.name = stored.record.batch;
    this.seen = approvalDigestOf(stored.record);
    this.access = () => access;
  }

  /**
   * SHA-256 (hex) of the lines, and of every word that had been given for some of them when this object was made, or when it
   * accepted lines. A check that looks blocked lines up again changes it, too. Approvals are bound to it.
   */
  get digest(): string {
    return this.seen;
  }

  /**
   * Looks up every recipient that was not checked yet, compares names, and compares the sum with the wallet. Resolves when all
   * lines are checked, on whichever machine that is done; a check that was cut off continues. Lines that are blocked because the
   * gateway gave no usable answer are looked up again. Approvals that were given before are gone.
   *
   * @throws PaymentsError with the code `BATCH_STATE` if it is being paid or has ended, `BATCH_CHECK` if the check stopped,
   * for example because the gateway refuses the keys, or `STOPPING` if the application stops first: the next process continues; or
   * as `WalletService.balance` does, of which the report needs an answer.
   * @throws PaymentsAccountError if the keys of the account cannot be had, or are of another environment than the batch.
   * @throws PaymentsStorageError
   */
  async check(actor: BatchActor): Promise<BatchCheckReport> {
    const by = checkActor(actor);
    const access = this.access();
    await access.checkEnvironment();
    const { account, context } = access;
    const { checking, before, after } = await beginCheck(access, by);
    if (before === this.seen && after !== undefined) this.seen = after;
    await enqueueCheck(account, checking, context);
    // The check waits for keys of its environment, and its caller would wait as long.
    const { record } = await access.until(
      ({ state }) => state !== 'checking',
      () => access.refuseTurnedKeys(),
    );
    if (record.state === 'loaded') throw await checkStopped(account, record);
    return checkReport(account, record, context.policy);
  }

  /**
   * Approves the lines. The last approval that the policy asks for lets the batch start.
   *
   * @param approval `digest`: that of the lines that were looked at, for example from a form. Without it, that of this object.
   * `withoutBlocked`: lines that are blocked stay unpaid.
   * @throws PaymentsError with the code `BATCH_APPROVAL` if the policy refuses it, `BATCH_BLOCKED` if lines are blocked, or
   * `BATCH_STATE`.
   */
  async approve(
    approval: BatchActor & { readonly digest?: string; readonly withoutBlocked?: boolean },
  ): Promise<void> {
    const by = checkActor(approval, ['digest', 'withoutBlocked']);
    const { digest = this.digest, withoutBlocked = false } = approval;
    if ('digest' in approval && typeof approval.digest !== 'string') throw noDigest();
    const { account, context, load } = this.access();
    refuseBlocked(await account.store.counts(load), withoutBlocked);
    await this.access().change((stored) => decideApproval(stored, { by, digest }, context.policy));
  }

  /**
   * Begins to pay. Resolves when the work is handed to the engine: see `finished()` and `watch()`. If the engine did not take it,
   * call it again.
   *
   * @throws PaymentsError with the code `BATCH_STATE`, `BATCH_CHANGED` if the stored lines are not those that were approved, or
   * `BATCH_BALANCE` if the wallet holds too little; or as `WalletService.balance` does. `PaymentsStorageError` if a queue is away.
   * @throws PaymentsAccountError if the keys of the account cannot be had, or are of another environment than the batch.
   */
  async start(actor: BatchActor): Promise<void> {
    const by = checkActor(actor);
    const access = this.access();
    const { account, context } = access;
    const stored = await access.stored();
    if (await this.isGivenAgain(stored)) return;
    checkState(stored, 'start');
    await checkReady(account, stored.record, context.policy);
    const started = await access.change((current) => {
      checkState(current, 'start');
      const run = { startedAt: context.now(), sentBefore: 0 };
      return { action: 'start', by, changes: { round: detailsOf(current.record).round + 1, run } };
    });
    // It ends at once if every line is blocked.
    await enqueueRun(account, started, context);
    access.notify();
  }

  /**
   * Stops after the payments that are being made. What is not sent stays unsent until `resume()`, also of a batch that
   * pauses and would continue by itself.
   *
   * @throws PaymentsError with the code `BATCH_STATE` if it is neither being paid nor paused, or `BATCH_NOT_FOUND`.
   */
  async pause(actor: BatchActor): Promise<void> {
    const by = checkActor(actor);
    await this.access().change((stored) => {
      checkState(stored, 'pause');
      return { action: 'pause', by, changes: { pause: { reason: `Paused by ${by}.` } } };
    });
  }

  /**
   * Continues with a batch that pauses.
   *
   * @throws PaymentsError with the code `BATCH_STATE` if it is neither paused nor being paid, or `BATCH_NOT_FOUND`.
   * @throws PaymentsAccountError if the keys of the account cannot be had, or are of another environment than the batch.
   */
  async resume(actor: BatchActor): Promise<void> {
    const by = checkActor(actor);
    const access = this.access();
    const stored = await access.stored();
    if (await this.isGivenAgain(stored)) return;
    checkState(stored, 'resume');
    await access.checkEnvironment();
    await resumeBatch(access.account, stored, by, access.context);
    access.notify();
  }

  /** An earlier call may have failed when it handed the work of a running batch to the engine, which keeps each job once. */
  private async isGivenAgain(stored: StoredBatch): Promise<boolean> {
    if (stored.record.state !== 'running') return false;
    const access = this.access();
    await access.checkEnvironment();
    await enqueueRun(access.account, stored, access.context);
    access.notify();
    return true;
  }

  /**
   * Ends the batch forever: what is not sent is never sent. Lines that are being sent end as they end.
   *
   * @throws PaymentsError with the code `BATCH_STATE` if it has ended or was cancelled, or `BATCH_NOT_FOUND`.
   */
  async cancel(actor: BatchActor): Promise<void> {
    const by = checkActor(actor);
    await this.access().change((stored) => {
      checkState(stored, 'cancel');
      return { action: 'cancel', by, changes: { pause: undefined } };
    });
  }

  /** How far it is. Costs the same for every size. */
  async progress(): Promise<BatchProgress> {
    return this.access().progress();
  }

  /**
   * The progress at every change, until the batch is not being checked or paid any more. The last one is that of its end.
   *
   * @throws PaymentsError with the code `STOPPING` if the application stops first: the next process continues.
   */
  async *watch(): AsyncIterable<BatchProgress> {
    const access = this.access();
    const { context, load } = access;
    for (;;) {
      const { changed, release } = context.notifier.next(load);
      try {
        const progress = await this.progress();
        yield progress;
        if (progress.state !== 'checking' && progress.state !== 'running') return;
        access.refuseWhenStopping();
        await changed;
      } finally {
        release();
      }
    }
  }

  /**
   * Resolves when the batch has ended, pauses, or was cancelled. A batch that waits for its keys is waited for: `waitReason` of
   * `progress()` and of `watch()` says so.
   *
   * @throws PaymentsError with the code `STOPPING` if the application stops first: the next process continues.
   */
  async finished(): Promise<BatchProgress> {
    await this.access().until(({ state }) => state !== 'running');
    return this.progress();
  }

  /** The lines in their order, in one state or in all. */
  async *lines(options: { readonly state?: LineState } = {}): AsyncIterable<PayoutBatchLine> {
    checkFields(options, ['state']);
    const { account, load } = this.access();
    const { state } = options;
    for await (const lines of linePages(account.store, load, state && [state])) {
      for (const line of lines) yield payoutBatchLine(this.name, line);
    }
  }

  /**
   * Takes the word of a person for lines that are blocked though the gateway shows a holder (`name`, `same-recipient`): they will be
   * paid, and others stay blocked. The word holds as long as the gateway shows the same holder. Do it after the check and before the
   * approval: earlier approvals are gone. A line that is blocked later stays unpaid, and may be paid in another batch.
   *
   * @param keys The keys of the lines.
   * @param word Who says so, and why: both are in the audit trail.
   * @returns How many of them will be paid.
   * @throws PaymentsError with the code `BATCH_STATE` if the batch is not checked, or is approved already, `LINE_NOT_FOUND`, or
   * `BATCH_NOT_FOUND`.
   * @throws PaymentsValidationError if `because` says nothing, or `keys` is no list of texts.
   */
  async accept(keys: readonly string[], word: BatchActor & { readonly because: string }): Promise<number> {
    const accepted = await acceptLines(this.access(), keys, { by: checkActor(word), because: word.because });
    // Words that another object gave meanwhile were not seen here.
    if (accepted.before === this.seen) this.seen = accepted.after;
    return accepted.lines;
  }

  /**
   * Asks the journal about every unknown line, and calls it once more, unchanged, if it is unknown there, too: the journal probes
   * it with the same key when that is due, and sends nothing new. Call it every few minutes as long as lines are unknown. Once the
   * batch was cancelled or has ended, it also finds out about lines that a process was sending when it died, and about payments
   * that were made beside the batch under the references of unpaid lines.
   *
   * @returns How many of them have another state now.
   * @throws PaymentsAccountError if the keys of the account cannot be had, or are of another environment than the batch.
   */
  async askAgain(): Promise<number> {
    return askAboutUnknown(this.access());
  }

  /**
   * Writes down how a line ended, as the gateway's support or a statement says, in the journal and in the batch. A line is also
   * `failed` if its payment was cancelled.
   *
   * @throws PaymentsError as `PaymentsJournal.settle` does, for example with the code `ENTRY_FORGOTTEN` if the journal has forgotten
   * a payment with the reference of the line, and remembers another end, or with the code `LINE_NOT_FOUND`, `BATCH_NOT_FOUND`, or
   * `LINE_NOT_SETTLED` if the gateway has refused the line, which moved no money, and it is to have failed.
   * @throws ReferenceReusedError if it is to be paid, and its reference belongs to another payment.
   * @throws PaymentsAccountError if the keys of the account cannot be had, or are of another environment than the batch.
   */
  async settle(key: string, outcome: 'paid' | 'failed', actor: BatchActor): Promise<void> {
    await settleLine(this.access(), key, outcome, checkActor(actor));
  }

  /** @internal Why `settle` would refuse an outcome, for people; undefined if nothing is known against it. */
  async settlementProblem(key: string, outcome: 'paid' | 'failed'): Promise<string | undefined> {
    return settlementProblem(this.access(), key, outcome);
  }

  /**
   * The batch as text, in pieces. `csv` and `json` hold every line, with masked accounts and phones; `json` is an object with
   * `account`, `batch`, `digest`, `audit` and `lines`. `summary` is a CSV of lines and sums by state and bank, without names,
   * which may be forwarded.
   */
  report({ format }: { readonly format: 'csv' | 'json' | 'summary' }): AsyncIterable<string> {
    if (format === 'csv') return reportCsv(this.lines());
    if (format === 'json') {
      const { account, name: batch, digest } = this;
      return reportJson({ account, batch, digest }, { lines: this.lines(), audit: this.audit() });
    }
    return summaryCsv(this.name, this.lines());
  }

  /** What was done with the batch, from the first entry to the last. */
  async *audit(): AsyncIterable<BatchAuditEntry> {
    const { record } = await this.access().stored();
    for await (const events of eventPages(this.access().account.store, record)) yield* events.map(auditEntry);
  }

  /** @internal */
  [inspect.custom](): string {
    return `PayoutBatch { ${JSON.stringify(this.name)} }`;
  }
}
