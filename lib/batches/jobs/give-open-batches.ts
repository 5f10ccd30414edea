import { pages } from '../../common/pages.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { failureLabel } from '../../errors/payments-errors.js';
import { type StoredBatch } from '../../storage/batch-store.js';
import { detailsOf } from '../batch/batch-details.js';
import { type BatchSurroundings } from '../batch/batch-surroundings.js';
import { endCheck } from './end-batch.js';
import { giveChunks, giveRun } from './give-chunks.js';
import { giveWake } from './wake.js';

const PAGE = 100;

/**
 * Gives the work on all batches that are being checked or paid, or that pause until something happens, to the engine. An
 * engine that has it already keeps it once.
 */
export async function giveOpenBatches(around: BatchSurroundings): Promise<void> {
  const logger = new SafeLogger('PayoutBatches');
  for (const store of around.accounts.stores()) {
    const read = (last?: StoredBatch): Promise<readonly StoredBatch[]> =>
      store.unfinished({ limit: PAGE, ...(last && { after: last.record.load }) });
    for await (const page of pages(PAGE, read)) {
      for (const stored of page) {
        await giveBatch(stored, around).catch((error: unknown) => {
          const { batch, account } = stored.record;
          logger.error(
            `The batch "${batch}" of the account "${account}" does not go on: ${failureLabel(error)}`,
          );
        });
      }
      if (around.stopping.aborted) return;
    }
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
