import { failureLabel } from '../errors/failure-label.js';
import { isPaymentsError } from '../errors/payments.error.js';
import { PaymentsStorageError } from '../errors/payments-storage.error.js';

/** Undefined schema, table and column. */
const NOT_MIGRATED = new Set(['3F000', '42P01', '42703']);
/** The transaction was aborted by a failed statement before. */
const ABORTED = '25P02';
/** A setting that does not exist: how `finishAndCommit` says that it finished nothing. */
const NOTHING_FINISHED = '42704';

/** An error of the driver or of PostgreSQL without its texts: they repeat what was to be stored. */
export function storageFailure(error: unknown): Error {
  if (isPaymentsError(error)) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (NOT_MIGRATED.has(code)) {
    return new PaymentsStorageError(
      `The tables of nestjs-payments are missing or older than this version (${code}): call migratePayments(pool) when you ` +
        'deploy, with the same `schema` as postgresStorage().',
    );
  }
  if (code === ABORTED) {
    return new PaymentsStorageError(
      'A statement in the transaction failed and the handler went on, so PostgreSQL undoes everything (25P02): let the error ' +
        'of the statement through, or put the statement behind a SAVEPOINT.',
    );
  }
  if (code === NOTHING_FINISHED) {
    return new PaymentsStorageError(
      'A handler ended the webhook transaction by itself: what it committed stays, nothing was recorded, and the delivery comes ' +
        "again. To prevent a second effect, take COMMIT and ROLLBACK out of the handler, and an ORM's transaction() on " +
        'context.transaction, which sends them (SAVEPOINT and ROLLBACK TO are fine).',
    );
  }
  return new PaymentsStorageError(`PostgreSQL did not do what it was asked: ${failureLabel(error)}.`);
}
