import { setTimeout as delay } from 'node:timers/promises';
import { pages } from '../../common/pages.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { backOffMs } from '../../common/timing.js';
import { failureLabel, isPaymentsError } from '../../errors/payments-errors.js';
import { type BatchStore, type StoredBatch } from '../../storage/batch-store.js';
import { detailsOf } from '../batch/batch-details.js';
import { type BatchSurroundings } from '../batch/batch-surroundings.js';
import { endCheck } from './end-batch.js';
import { giveChunks, giveRun } from './give-chunks.js';
import { giveWake } from './wake.js';

const PAGE = 100;

const BACK_OFF = { baseDelayMs: 1_000, maxDelayMs: 60_000 };

/**
 * Gives the work on all batches that are being checked or paid, or that pause until something happens, to the engine. An
 * engine that has it already keeps it once. If a storage, a queue or an account is away, tries again until it is back.
 */
export async function giveOpenBatches(around: BatchSurroundings): Promise<void> {
  const { stopping } = around;
  const work = new OpenBatches(around);
  for (let tries = 1; !(await work.giveAll()); tries += 1) {
    // It keeps no process from ending.
    const options = { ref: false, signal: stopping };
    await delay(backOffMs(tries, BACK_OFF), undefined, options).catch(() => undefined);
    if (stopping.aborted) return;
  }
}

class OpenBatches {
  private readonly logger = new SafeLogger('PayoutBatches');
  /** The loads for which nothing is left to do here. */
  private readonly done = new Set<string>();

  constructor(private readonly around: BatchSurroundings) {}

  /** Returns whether nothing has to be tried again. */
  async giveAll(): Promise<boolean> {
    let isAll = true;
    for (const store of this.around.accounts.stores()) {
      if (!(await this.giveAllOf(store))) isAll = false;
    }
    return isAll;
  }

  private async giveAllOf(store: BatchStore): Promise<boolean> {
    const read = (last?: StoredBatch): Promise<readonly StoredBatch[]> =>
      store.unfinished({ limit: PAGE, ...(last && { after: last.record.load }) });
    let isAll = true;
    try {
      for await (const page of pages(PAGE, read)) {
        for (const stored of page) {
          if (!(await this.give(stored))) isAll = false;
          if (this.around.stopping.aborted) return true;
        }
      }
      return isAll;
    } catch (error) {
      this.logger.error(`Batches that were being worked on do not go on yet: ${failureLabel(error)}`);
      return false;
    }
  }

  private async give(stored: StoredBatch): Promise<boolean> {
    const { batch, account, load } = stored.record;
    if (this.done.has(load)) return true;
    try {
      await giveBatch(stored, this.around);
    } catch (error) {
      // There is no such account any more, for example: nothing helps but another start.
      const isLater = !isPaymentsError(error) || error.retryable;
      this.logger.error(
        `The batch "${batch}" of the account "${account}" does not go on${isLater ? ' yet' : ''}: ${failureLabel(error)}`,
      );
      if (isLater) return false;
    }
    this.done.add(load);
    return true;
  }
}

async function giveBatch(stored: StoredBatch, around: BatchSurroundings): Promise<void> {
  const { record } = stored;
  const account = await around.accounts.open(record.account);
  // Processes of the other environment work on it.
  if (account.scope.environment !== record.environment) return;
  if (record.state === 'checking') {
    await giveChunks(account, stored, 'check', around);
    await endCheck(account, stored);
  }
  if (record.state === 'running') await giveRun(account, stored, around);
  if (record.state === 'paused') {
    const { round, pause } = detailsOf(record);
    const { batch, load } = record;
    if (pause) await giveWake({ ...account.scope, batch, load, round, chunk: 0 }, pause, around);
  }
}
