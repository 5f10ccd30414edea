import { otherEnvironment } from '../../accounts/account-lookups.js';
import { PaymentsError } from '../../errors/payments-errors.js';
import { type StoredBatch } from '../../storage/batch-store.js';
import { type BatchAccount } from '../batch/batch-accounts.js';
import { detailsOf, isWorkedOn } from '../batch/batch-details.js';
import { type BatchJob } from '../engine/batch-engine.js';

const OWN_QUEUE =
  'give the processes of each environment and merchant a `prefix` or `queueName` of their own.';

/**
 * The batch of a job; undefined if it is of an earlier load or run, and nothing is left to do. A job that is dropped here would be
 * lost for the processes that it belongs to.
 *
 * @param account With the environment that its keys have now.
 * @throws PaymentsError with the code `BATCH_NOT_FOUND` if this process has no such batch.
 * @throws PaymentsAccountError if the batch waits for keys of its environment, which a resolver may return later.
 */
export async function batchOfJob(job: BatchJob, account: BatchAccount): Promise<StoredBatch | undefined> {
  const { batch, environment } = job;
  const { scope, store, hasResolver } = account;
  const isOther = scope.environment !== environment;
  if (isOther && !hasResolver) {
    throw new PaymentsError(
      'BATCH_NOT_FOUND',
      `The batch "${batch}" in the queue is of the ${environment} environment, and the account "${scope.account}" of this ` +
        `process is not: ${OWN_QUEUE}`,
    );
  }
  const itsScope = { account: scope.account, environment };
  const stored = await store.get({ ...itsScope, batch });
  if (!stored) {
    throw new PaymentsError(
      'BATCH_NOT_FOUND',
      `The storage of the account "${scope.account}" in this process has no batch "${batch}". It was purged, or processes with ` +
        `another storage use the same queue: ${OWN_QUEUE}`,
    );
  }
  if (!isOfRun(job, stored)) return undefined;
  if (!isOther) return stored;
  if (isWorkedOn(stored.record)) throw otherEnvironment(itsScope);
  return undefined;
}

/** Whether a job is of the run or check that its batch has now. A job that wakes a batch may have begun the next run. */
function isOfRun({ kind, load, round }: BatchJob, { record }: StoredBatch): boolean {
  if (record.load !== load) return false;
  const now = detailsOf(record).round;
  return now === round || (kind === 'wake' && now === round + 1);
}
