import { Injectable } from '@nestjs/common';
import { ageProblem } from '../common/milliseconds.js';
import { pages } from '../common/pages.js';
import { quoted } from '../common/quoted.js';
import { SafeLogger } from '../common/safe-logger.js';
import { type BatchKey, type StoredBatch } from '../storage/batch-store.js';
import { DEFAULT_ACCOUNT, type PaymentsEnvironment } from '../common/vocabulary.js';
import { PaymentsValidationError } from '../errors/payments-errors.js';
import { BatchAccess, notFound } from './batch/batch-access.js';
import { type BatchAccount } from './batch/batch-accounts.js';
import { type BatchActor, checkActor, checkFields } from './batch/batch-actor.js';
import { loadBatch } from './loading/load-batch.js';
import { isBatchName, type PayoutLine } from './lines/payout-line.js';
import { PayoutBatch } from './payout-batch.js';
import { type BatchContext } from './batch/batch-context.js';

const PAGE = 100;
/** How many of the batches that a purge keeps its warning names. */
const NAMED = 10;
const ENVIRONMENTS: readonly PaymentsEnvironment[] = ['sandbox', 'production'];

/**
 * Whose batches.
 *
 * @publicApi
 */
export interface BatchOfAccount {
  /** The name of the merchant account. @default 'default' */
  readonly account?: string;
}

/**
 * Where batches are.
 *
 * @publicApi
 */
export interface FindBatchesOptions extends BatchOfAccount {
  /**
   * The environment in which they were created. Without it, that of the keys that the account has now. With it, nobody needs keys to
   * read, pause or cancel a batch; whatever asks the gateway or the journal needs keys of this environment.
   */
  readonly environment?: PaymentsEnvironment;
}

/**
 * How a batch is made.
 *
 * @publicApi
 */
export interface CreateBatchOptions extends BatchActor, BatchOfAccount {
  /** Names of batches whose lines are paid once more on purpose, although they are the same. @default [] */
  readonly again?: readonly string[];
}

/**
 * Batches of payouts: salaries, loans, refunds.
 *
 * @hideconstructor
 * @publicApi
 *
 * @example
 * ```ts
 * const batch = await batches.create('2026-11', linesFromCsv(createReadStream('salaries.csv')), { by: user.id });
 * const report = await batch.check({ by: user.id });
 * for await (const { byState } of batch.watch()) console.log(byState);
 * ```
 *
 * @example In the request of another person, with the digest of the page that this person has read
 * ```ts
 * const batch = await batches.open('2026-11');
 * await batch.approve({ by: user.id, digest: form.digest });
 * await batch.start({ by: user.id });
 * ```
 */
@Injectable()
export class PayoutBatches {
  /** A closure, because it leads to the keys of every account. */
  private readonly context: () => BatchContext;

  /** @internal */
  constructor(context: BatchContext) {
    this.context = () => context;
  }

  /**
   * Loads the lines of a new batch, as they come: a million need no more memory than a hundred. Every line is checked, and keys
   * are unique. A process that dies while it loads leaves nothing that is paid: create the batch again.
   *
   * @param batch Its name: 1 to 64 letters, digits, dashes and underscores. It is the beginning of every reference.
   * @throws PaymentsValidationError if an option is unknown, or that lists the bad lines, each with its number and what to write; nothing was loaded.
   * @throws PaymentsError with the code `BATCH_EXISTS`, or `BATCH_SAME_LINES` if another batch has exactly these lines in this
   * order.
   * @throws PaymentsStorageError
   */
  async create(
    batch: string,
    lines: AsyncIterable<PayoutLine> | Iterable<PayoutLine>,
    options: CreateBatchOptions,
  ): Promise<PayoutBatch> {
    const by = checkActor(options, ['account', 'again']);
    const { accounts, policy } = this.context();
    const account = await accounts.open(options.account ?? DEFAULT_ACCOUNT);
    const stored = await loadBatch(account, { batch, lines, by, again: options.again ?? [], policy });
    return new PayoutBatch(new BatchAccess(account, stored, this.context()), stored);
  }

  /**
   * A batch that was created before, on this or another machine.
   *
   * @throws PaymentsError with the code `BATCH_NOT_FOUND`.
   * @throws PaymentsAccountError if there is no such account, or its keys cannot be had, which nobody needs with `environment`.
   *
   * @example
   * ```ts
   * const forgotten = await batches.open('2026-11', { environment: 'sandbox' });
   * await forgotten.cancel({ by: user.id });
   * ```
   */
  async open(batch: string, options: FindBatchesOptions = {}): Promise<PayoutBatch> {
    const opened = await this.opened(options);
    const stored = isBatchName(batch) ? await opened.store.get({ ...opened.scope, batch }) : undefined;
    if (!stored || stored.record.state === 'loading') throw notFound(batch);
    return new PayoutBatch(new BatchAccess(opened, stored, this.context()), stored);
  }

  /**
   * Forgets the batches of all accounts that ended, were cancelled, or were never loaded to their end, and did not change for
   * `olderThanMs`: with their lines and audit trails. Batches with lines whose money may be on its way stay, and a warning names
   * them: find out about those with `askAgain()`, or `settle()` them. The payments stay in the journal, which has its own
   * purge. Never use the name of a forgotten batch again. Call it every day.
   *
   * @returns How many batches were forgotten.
   * @throws PaymentsValidationError if the age is not a whole number of milliseconds from 1 to 36,500 days.
   * @throws PaymentsStorageError
   *
   * @example
   * ```ts
   * await batches.purge({ olderThanMs: 400 * 86_400_000 });
   * ```
   */
  async purge({ olderThanMs }: { readonly olderThanMs: number }): Promise<number> {
    const problem = ageProblem('olderThanMs', olderThanMs);
    if (problem !== undefined) throw new PaymentsValidationError({ olderThanMs: [problem] });
    const stores = this.context().accounts.stores();
    let purged = 0;
    for (const store of stores) purged += await store.purge(olderThanMs);
    let kept = 0;
    const oldest: BatchKey[] = [];
    for (const store of stores) {
      const left = await store.kept(olderThanMs, NAMED);
      kept += left.batches;
      oldest.push(...left.oldest);
    }
    if (kept > 0) new SafeLogger('PayoutBatches').warn(keptBatches(kept, oldest.slice(0, NAMED)));
    return purged;
  }

  /**
   * The batches of an account in the order of their names.
   *
   * @throws PaymentsAccountError if there is no such account, or its keys cannot be had, which nobody needs with `environment`.
   */
  async *list(options: FindBatchesOptions = {}): AsyncIterable<PayoutBatch> {
    const opened = await this.opened(options);
    const read = (last?: StoredBatch): Promise<readonly StoredBatch[]> =>
      opened.store.list(opened.scope, { limit: PAGE, ...(last && { after: last.record.batch }) });
    for await (const page of pages(PAGE, read)) {
      for (const stored of page)
        yield new PayoutBatch(new BatchAccess(opened, stored, this.context()), stored);
    }
  }

  private async opened(options: FindBatchesOptions): Promise<BatchAccount> {
    checkFields(options, ['account', 'environment']);
    const { account = DEFAULT_ACCOUNT, environment } = options;
    const isKnown = environment === undefined || ENVIRONMENTS.includes(environment);
    if (isKnown) return this.context().accounts.open(account, environment);
    throw new PaymentsValidationError({ environment: ["environment must be 'sandbox' or 'production'"] });
  }
}

function keptBatches(all: number, some: readonly BatchKey[]): string {
  const names = some.map(({ account, batch }) => `${quoted(batch)} of the account ${quoted(account)}`);
  const more = all > some.length ? `, and ${all - some.length} more` : '';
  return (
    'Old batches stay, with the data of all their lines, because some of their lines are sending or unknown: ' +
    `${names.join(', ')}${more}. Call askAgain() of each, and settle() the lines that stay unknown.`
  );
}
