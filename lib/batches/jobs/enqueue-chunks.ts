import { pages } from '../../common/pages.js';
import { type LineState, type StoredBatch } from '../../storage/batch-store.js';
import { type BatchAccount } from '../batch/batch-accounts.js';
import { type BatchDetails, detailsOf } from '../batch/batch-details.js';
import { sentIn } from '../batch/batch-progress.js';
import { type BatchJob } from '../engine/batch-engine.js';
import { type BatchContext } from '../batch/batch-context.js';
import { changeBatch } from '../batch/batch-change.js';
import { endCheck, endRun } from './end-batch.js';
import { lookUpAgain } from './open-lookups.js';

/** How many jobs are given to the engine at once. */
const PAGE = 1_000;

/** The states of the lines that a kind of job works on. */
export const WORKED_ON: Readonly<Record<'check' | 'pay', readonly LineState[]>> = {
  check: ['waiting'],
  pay: ['checked', 'sending'],
};

/** Gives the chunks with open lines to the engine. Doing it again adds nothing to what the engine has. */
async function enqueueChunks(
  { scope, store }: BatchAccount,
  { record }: StoredBatch,
  kind: 'check' | 'pay',
  { engine }: Pick<BatchContext, 'engine'>,
): Promise<void> {
  const { round } = detailsOf(record);
  const { batch, load } = record;
  const read = (last = 0): Promise<readonly number[]> =>
    store.chunksIn(load, WORKED_ON[kind], { after: last, limit: PAGE });
  for await (const chunks of pages(PAGE, read)) {
    const jobs = chunks.map((chunk): BatchJob => ({ kind, ...scope, batch, load, round, chunk }));
    await engine.add(jobs);
  }
}

/** Lets the engine check what is not checked, and ends the check if nothing is. */
export async function enqueueCheck(
  account: BatchAccount,
  stored: StoredBatch,
  context: Pick<BatchContext, 'engine'>,
): Promise<void> {
  const { record } = stored;
  // The process that began the check may have died before.
  if (detailsOf(record).looksAgain) await lookUpAgain(account.store, record);
  await enqueueChunks(account, stored, 'check', context);
  await endCheck(account, stored);
}

/**
 * Lets a batch that pauses continue; does nothing if it does not pause any more.
 *
 * @param mayResume Looks at what is stored now.
 */
export async function resumeBatch(
  account: BatchAccount,
  stored: StoredBatch,
  by: string,
  context: Pick<BatchContext, 'engine' | 'now'>,
  mayResume: (details: BatchDetails) => boolean = () => true,
): Promise<void> {
  const sentBefore = sentIn(await account.store.counts(stored.record.load));
  const resumed = await changeBatch(account, stored, ({ record }) => {
    const details = detailsOf(record);
    if (!mayResume(details)) return undefined;
    const run = { startedAt: context.now(), sentBefore, looksBefore: details.pause?.looks };
    return { action: 'resume', by, changes: { round: details.round + 1, pause: undefined, run } };
  });
  if (resumed) await enqueueRun(account, resumed, context);
}

/** Lets the engine pay what is open, and ends the run if nothing is: the last line may have been sent before it paused. */
export async function enqueueRun(
  account: BatchAccount,
  stored: StoredBatch,
  context: Pick<BatchContext, 'engine'>,
): Promise<void> {
  await enqueueChunks(account, stored, 'pay', context);
  await endRun(account, stored);
}
