import { realpathSync } from 'node:fs';
import { PaymentsConfigError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { type SqliteHandle, withObjects } from './sqlite-engine.js';

/**
 * The application's own connection, if it has an open transaction on the file of the storage.
 *
 * @throws PaymentsConfigError
 */
export function checkedTransaction(transaction: unknown, file: string): SqliteHandle {
  const given = transaction as Partial<SqliteHandle> | null | undefined;
  if (typeof given?.exec !== 'function' || typeof given.prepare !== 'function') {
    throw new PaymentsConfigError(
      'The first argument of enlist… must be the DatabaseSync of node:sqlite whose transaction is open, or ' +
        'context.transaction in a handler, with transactional: true.',
    );
  }
  const handle = given as SqliteHandle;
  if (!isOfFile(handle, file)) {
    throw new PaymentsConfigError(
      'The transaction belongs to another file than the storage, so the payment would never be sent: enlist it in a ' +
        'transaction on the file of sqliteStorage({ file }).',
    );
  }
  if (!isInTransaction(handle)) {
    throw new PaymentsConfigError(
      "No transaction is open on this connection, so the payment would not belong to the application's rows: run BEGIN " +
        'IMMEDIATE before enlist…, and COMMIT after it.',
    );
  }
  if (countsChanges(handle)) {
    throw new PaymentsConfigError(
      'The connection has PRAGMA count_changes on, which hides what a statement changed: take it out.',
    );
  }
  return handle;
}

function countsChanges(handle: SqliteHandle): boolean {
  const [row] = withObjects(handle.prepare('PRAGMA count_changes')).all() as readonly {
    readonly count_changes?: number | bigint;
  }[];
  return Number(row?.count_changes ?? 0) !== 0;
}

function isOfFile(handle: SqliteHandle, file: string): boolean {
  const databases = withObjects(handle.prepare('PRAGMA database_list')).all() as readonly {
    readonly name: string;
    readonly file: string;
  }[];
  const main = databases.find(({ name }) => name === 'main')?.file;
  return main !== undefined && main !== '' && realpathSync(main) === realpathSync(file);
}

/** @throws PaymentsStorageError if the transaction has ended since it was joined. */
export function checkStillOpen(handle: SqliteHandle): void {
  if (isInTransaction(handle)) return;
  throw new PaymentsStorageError(
    'The transaction ended before the payment was written in it, so nothing was written: await enlist… before COMMIT and ROLLBACK ' +
      '(Promise.allSettled instead of Promise.all).',
  );
}

/** BEGIN fails inside of a transaction, and changes nothing there. */
function isInTransaction(handle: SqliteHandle): boolean {
  try {
    handle.exec('BEGIN');
  } catch {
    return true;
  }
  handle.exec('ROLLBACK');
  return false;
}
