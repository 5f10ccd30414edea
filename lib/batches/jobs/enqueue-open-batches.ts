import { setTimeout as delay } from 'node:timers/promises';
import { pages } from '../../common/pages.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { backOffMs } from '../../common/timing.js';
import { failureLabel, isPaymentsError } from '../../errors/payments-errors.js';
import { type BatchStore, type StoredBatch } from '../../storage/batch-store.js';
import { detailsOf } from '../batch/batch-details.js';
import { type BatchContext } from '../batch/batch-context.js';
import { BACK_OFF } from '../engine/batch-engine.js';
import { enqueueCheck, enqueueRun } from './enqueue-chunks.js';
import { type KeysWait } from './keys-wait.js';
import { scheduleWake } from './wake.js';

const PAGE = 100;

/**
 * Gives the work on all batches that are being checked or paid, or that pause until something happens, to the engine. An
 * engine that has it already keeps it once. If a storage, a queue or an account is away, tries again until it is back.
 */
export async function enqueueOpenBatches(context: BatchContext, keys: KeysWait): Promise<void> {
  const { stopping } = context;
  const work = new OpenBatchesQueue(context, keys);
  for (let tries = 1; !(await work.enqueueAll()); tries += 1) {
    // The wait does not keep a process from ending.
    const options = { ref: false, signal: stopping };
    await delay(backOffMs(tries, BACK_OFF), undefined, options).catch(() => undefined);
    if (stopping.aborted) return;
  }
}

class OpenBatchesQueue {
  private readonly logger = new SafeLogger('PayoutBatches');
  /** The loads for which nothing is left to do here. */
  private readonly done = new Set<string>();

  constructor(
    private readonly context: BatchContext,
    private readonly keys: KeysWait,
  ) {}

  /** Returns whether nothing has to be tried again. */
  async enqueueAll(): Promise<boolean> {
    let isAll = true;
    for (const store of this.context.accounts.stores()) {
      if (!(await this.enqueueAllOf(store))) isAll = false;
    }
    return isAll;
  }

  private async enqueueAllOf(store: BatchStore): Promise<boolean> {
    const read = (last?: StoredBatch): Promise<readonly StoredBatch[]> =>
      store.unfinished({ limit: PAGE, ...(last && { after: last.record.load }) });
    let isAll = true;
    try {
      for await (const page of pages(PAGE, read)) {
        for (const stored of page) {
          if (!(await this.enqueue(stored))) isAll = false;
          if (this.context.stopping.aborted) return true;
        }
      }
      return isAll;
    } catch (error) {
      if (this.context.stopping.aborted) return true;
      this.logger.error(`Batches that were being worked on could not be resumed yet: ${failureLabel(error)}`);
      return false;
    }
  }

  private async enqueue(stored: StoredBatch): Promise<boolean> {
    const { batch, account, load } = stored.record;
    if (this.done.has(load)) return true;
    try {
      await enqueueBatch(stored, this.context, this.keys);
    } catch (error) {
      // For example, the account does not exist any more: only another start helps.
      const isLater = !isPaymentsError(error) || error.retryable;
      this.logger.error(
        `The batch "${batch}" of the account "${account}" could not be resumed${isLater ? ' yet' : ''}: ${failureLabel(error)}`,
      );
      if (isLater) return false;
    }
    this.done.add(load);
    return true;
  }
}

async function enqueueBatch(stored: StoredBatch, context: BatchContext, keys: KeysWait): Promise<void> {
  const { record } = stored;
  const { account: name, environment, batch, load, state } = record;
  const account = await context.accounts.open(name);
  const isOther = account.scope.environment !== environment;
  // Processes of the other environment may work on it.
  if (isOther && !account.hasResolver) return;
  if (state === 'paused') {
    const { round, pause } = detailsOf(record);
    const job = { account: name, environment, batch, load, round, chunk: 0 };
    if (pause) await scheduleWake(job, pause, context);
    return;
  }
  if (isOther) {
    await keys.wait(stored);
    return;
  }
  if (state === 'checking') await enqueueCheck(account, stored, context);
  if (state === 'running') await enqueueRun(account, stored, context);
}
