import { type BatchAccount } from '../batch/batch-accounts.js';
import { type BatchPause, continuesAlone, detailsOf } from '../batch/batch-details.js';
import { type BatchJob } from '../engine/batch-engine.js';
import { balanceProblem, coverOf } from '../policy/balance-rule.js';
import { windowProblem } from '../policy/window-rule.js';
import { type StoredBatch } from '../../storage/batch-store.js';
import { type BatchContext } from '../batch/batch-context.js';
import { SYSTEM } from './end-batch.js';
import { enqueueCheck, enqueueRun, resumeBatch } from './enqueue-chunks.js';

export const LOOK_AGAIN_MS = { balance: 60_000, gateway: 30_000 } as const;

/**
 * Lets the engine look later whether a batch that pauses may continue; does nothing if only a person resumes it.
 *
 * @param job `chunk` is how often it was looked at in this round: each look is a job of its own.
 */
export async function scheduleWake(
  job: Omit<BatchJob, 'kind'>,
  pause: BatchPause,
  { engine, policy, now }: BatchContext,
): Promise<void> {
  const { until } = pause;
  if (until === undefined || !continuesAlone(pause, policy)) return;
  const opensInMs = (windowProblem(now(), policy)?.opensAt ?? now()) - now();
  const delayMs = until === 'window' ? opensInMs : LOOK_AGAIN_MS[until];
  await engine.add([{ ...job, kind: 'wake' }], Math.max(1, delayMs));
}

/** Lets a batch continue that waited for something, if that is over. */
export async function wake(
  job: BatchJob,
  account: BatchAccount,
  stored: StoredBatch,
  context: BatchContext,
): Promise<void> {
  const { state } = stored.record;
  if (state === 'checking') await enqueueCheck(account, stored, context);
  // It waited for its keys, or an earlier run of this job has resumed it, and may have died before it gave all chunks to the engine.
  if (state === 'running') await enqueueRun(account, stored, context);
  if (state === 'paused') await endPause(job, account, stored, context);
}

/** Resumes a batch if what it pauses for is over. */
async function endPause(
  job: BatchJob,
  account: BatchAccount,
  stored: StoredBatch,
  context: BatchContext,
): Promise<void> {
  const { pause } = detailsOf(stored.record);
  if (!pause?.until) return;
  const isClosed = windowProblem(context.now(), context.policy) !== undefined;
  if (isClosed || (pause.until === 'balance' && !(await isCovered(account, job.load, context)))) {
    const until = isClosed ? 'window' : pause.until;
    await scheduleWake({ ...job, chunk: job.chunk + 1 }, { ...pause, until }, context);
    return;
  }
  // Somebody may have paused it meanwhile: then it waits for that person alone.
  await resumeBatch(
    account,
    stored,
    SYSTEM,
    context,
    (now) => now.round === job.round && now.pause?.until !== undefined,
  );
}

async function isCovered(
  { services, store }: BatchAccount,
  load: string,
  { policy }: BatchContext,
): Promise<boolean> {
  const [balance, counts] = await Promise.all([services.wallet.balance(), store.counts(load)]);
  return balanceProblem(coverOf(balance.available_balance, counts), policy) === undefined;
}
