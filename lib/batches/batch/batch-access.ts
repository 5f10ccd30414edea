import { performance } from 'node:perf_hooks';
import { otherEnvironment, registeredElsewhere } from '../../accounts/account-lookups.js';
import { quoted } from '../../common/quoted.js';
import { withDeadline } from '../../common/timing.js';
import { failureLabel, isPaymentsError, PaymentsError } from '../../errors/payments-errors.js';
import { type BatchLine, type BatchRecord, type StoredBatch } from '../../storage/batch-store.js';
import { isBatchName } from '../lines/payout-line.js';
import { type BatchAccount } from './batch-accounts.js';
import { type BatchChange, changeBatch } from './batch-change.js';
import { type BatchContext } from './batch-context.js';
import { type BatchProgress, progressOf } from './batch-progress.js';

/** A look at the progress waits no longer for a resolver. */
const KEYS_ANSWER_WITHIN_MS = 1_000;

/** One batch in its storage, always as it is now. */
export class BatchAccess {
  readonly batch: string;
  readonly load: string;

  constructor(
    readonly account: BatchAccount,
    { record }: StoredBatch,
    readonly context: BatchContext,
  ) {
    this.batch = record.batch;
    this.load = record.load;
  }

  /** @throws PaymentsError with the code `BATCH_NOT_FOUND` if it was removed, or loaded again. */
  async stored(): Promise<StoredBatch> {
    const { scope, store } = this.account;
    const stored = await store.get({ ...scope, batch: this.batch });
    if (stored?.record.load === this.load) return stored;
    throw notFound(this.batch);
  }

  /** Changes the batch, and returns it as it is afterwards, changed or not. */
  async change(decide: (stored: StoredBatch) => BatchChange | undefined): Promise<StoredBatch> {
    const changed = await changeBatch(this.account, await this.stored(), decide);
    this.notify();
    return changed ?? this.stored();
  }

  /**
   * Looks whether work on the batch can begin now. Its jobs would wait for the keys without a word to the caller.
   *
   * @throws PaymentsAccountError if the keys of the account are of another environment than the batch.
   */
  async checkEnvironment(): Promise<void> {
    const problem = await this.environmentProblem();
    if (problem) throw problem;
  }

  /**
   * The same for work that has begun: it goes on while the keys cannot be had for a moment.
   *
   * @throws PaymentsAccountError if the keys of the account are of another environment than the batch, or there is no such account.
   */
  async refuseTurnedKeys(): Promise<void> {
    const problem = await this.environmentProblem().catch((error: unknown) => {
      if (isPaymentsError(error) && error.code === 'ACCOUNT_UNAVAILABLE') return undefined;
      throw error;
    });
    if (problem) throw problem;
  }

  /** How far the batch is. It can be read without keys. */
  async progress(): Promise<BatchProgress> {
    const stored = await this.stored();
    const { state } = stored.record;
    const isWorkedOn = state === 'checking' || state === 'running';
    const [counts, waitReason] = await Promise.all([
      this.account.store.counts(this.load),
      isWorkedOn ? this.waitReason() : undefined,
    ]);
    const progress = progressOf(stored, counts, this.context.now());
    return waitReason === undefined ? progress : { ...progress, waitReason };
  }

  private async waitReason(): Promise<string | undefined> {
    const { environment } = this.account.scope;
    const opening = this.context.accounts.open(this.account.scope.account);
    try {
      const found = await withDeadline(opening, performance.now() + KEYS_ANSWER_WITHIN_MS);
      if (found.ended !== 'done') return 'It waits until accounts.resolve answers.';
      const now = found.value;
      // Without a resolver, it is a process of the other environment that works on it.
      if (now.scope.environment === environment || !now.hasResolver) return undefined;
      return `It waits until accounts.resolve returns keys of the ${environment} environment.`;
    } catch (error) {
      return `It waits for the keys of its account: ${failureLabel(error)}`;
    }
  }

  private async environmentProblem(): Promise<PaymentsError | undefined> {
    const { scope } = this.account;
    const now = await this.context.accounts.open(scope.account);
    if (now.scope.environment === scope.environment) return undefined;
    return now.hasResolver ? otherEnvironment(scope) : registeredElsewhere(scope);
  }

  /**
   * Waits until the batch is in a state that is wanted.
   *
   * @param checkWait Rejects if nobody should wait any longer. Called before each wait.
   * @throws PaymentsError with the code `STOPPING` if the application stops before.
   */
  async until(
    isWanted: (record: BatchRecord) => boolean,
    checkWait: () => Promise<void> = () => Promise.resolve(),
  ): Promise<StoredBatch> {
    for (;;) {
      const { changed, release } = this.context.notifier.next(this.load);
      try {
        const stored = await this.stored();
        if (isWanted(stored.record)) return stored;
        this.refuseWhenStopping();
        await checkWait();
        await changed;
      } finally {
        release();
      }
    }
  }

  /** The HTTP server of an application that stops waits for its requests, and nothing changes the batch any more. */
  refuseWhenStopping(): void {
    if (!this.context.stopping.aborted) return;
    throw new PaymentsError(
      'STOPPING',
      `The application stops, so nobody waits for the batch ${quoted(this.batch)} any more: open it again in the next process.`,
    );
  }

  /** @throws PaymentsError with the code `LINE_NOT_FOUND`. */
  async line(key: string): Promise<BatchLine> {
    const line = isBatchName(key) ? await this.account.store.line(this.load, key) : undefined;
    if (line) return line;
    throw new PaymentsError('LINE_NOT_FOUND', `The batch ${quoted(this.batch)} has no line ${quoted(key)}.`);
  }

  /** Wakes the callers in this process that wait for a change. */
  notify(): void {
    this.context.notifier.changed({
      account: this.account.scope.account,
      batch: this.batch,
      load: this.load,
    });
  }
}

export function notFound(batch: string): PaymentsError {
  return new PaymentsError(
    'BATCH_NOT_FOUND',
    `There is no batch ${quoted(batch)} of this account: list() names them, and { account, environment } chooses other ones.`,
  );
}
