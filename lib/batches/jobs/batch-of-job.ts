import { PaymentsError } from '../../errors/payments-errors.js';
import { type StoredBatch } from '../../storage/batch-store.js';
import { type BatchAccount } from '../batch/batch-accounts.js';
import { continuesAlone, detailsOf } from '../batch/batch-details.js';
import { type BatchJob } from '../engine/batch-engine.js';
import { type ResolvedBatchPolicy } from '../policy/batch-policy.js';

const OWN_QUEUE =
  'give the processes of each environment and merchant a `prefix` or `queueName` of their own.';

/**
 * The batch of a job; undefined if nothing is left to do, for example because it is of an earlier load or run. A job that is dropped
 * here would be lost for the processes that it belongs to.
 *
 * @param account With the environment that its keys have now. If a resolver returned them, that may be another one than that of the
 * batch.
 * @throws PaymentsError with the code `BATCH_NOT_FOUND` if this process has no such batch.
 */
export async function batchOfJob(
  job: BatchJob,
  account: BatchAccount,
  policy: Pick<ResolvedBatchPolicy, 'resumeAfterTopUp'>,
): Promise<StoredBatch | undefined> {
  const { batch, environment } = job;
  const { scope, store, hasResolver } = account;
  if (scope.environment !== environment && !hasResolver) {
    throw new PaymentsError(
      'BATCH_NOT_FOUND',
      `The batch "${batch}" in the queue is of the ${environment} environment, and the account "${scope.account}" of this ` +
        `process is not: ${OWN_QUEUE}`,
    );
  }
  const stored = await store.get({ account: scope.account, environment, batch });
  if (!stored) {
    throw new PaymentsError(
      'BATCH_NOT_FOUND',
      `The storage of the account "${scope.account}" in this process has no batch "${batch}". It was purged, or processes with ` +
        `another storage use the same queue: ${OWN_QUEUE}`,
    );
  }
  return isToDo(job, stored, policy) ? stored : undefined;
}

/** Whether a job is of the run or check that its batch has now, and that is not over. */
function isToDo(
  { kind, load, round }: BatchJob,
  { record }: StoredBatch,
  policy: Pick<ResolvedBatchPolicy, 'resumeAfterTopUp'>,
): boolean {
  const { state } = record;
  const { round: now, pause } = detailsOf(record);
  if (record.load !== load) return false;
  // An earlier run of the job has resumed the batch, and may have died before it gave all chunks to the engine.
  if (kind === 'wake' && state === 'running' && now === round + 1) return true;
  if (now !== round) return false;
  if (state === 'paused') return kind !== 'check' && pause !== undefined && continuesAlone(pause, policy);
  return (kind !== 'pay' && state === 'checking') || (kind !== 'check' && state === 'running');
}
