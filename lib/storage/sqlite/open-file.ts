import { realpathSync } from 'node:fs';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { isBusy, SqliteConnection, sqliteFailure } from './sqlite-connection.js';
import { openSqlite, type SqliteHandle } from './sqlite-engine.js';
import { migrateFile } from './sqlite-tables.js';

/** What is open of a file. */
export interface OpenFile {
  /** The file itself: the path may lead through links, which may change. */
  readonly file: string;
  readonly connection: SqliteConnection;
  /** A transaction on a second file, which keeps other processes out. */
  readonly lock: SqliteHandle;
}

/**
 * Opens a file, and makes it and its tables if they are missing. If that fails, nothing stays open.
 *
 * @throws PaymentsStorageError if another storage has the file.
 */
export function openFile(path: string, now: () => number): OpenFile {
  const { file, lock } = lockFile(path);
  try {
    const connection = SqliteConnection.open(file, now);
    connection.ready(() => {
      migrateFile(connection.handle, path);
    });
    return { file, connection, lock };
  } catch (error) {
    lock.close();
    throw sqliteFailure(error, path);
  }
}

/**
 * Locks a second file, with a transaction that is open as long as this process lives: the tables themselves stay open to the
 * application's own connections. Makes the first file if it is missing.
 */
function lockFile(path: string): Pick<OpenFile, 'file' | 'lock'> {
  let lock: SqliteHandle | undefined;
  try {
    openSqlite(path).close();
    const file = realpathSync(path);
    lock = openSqlite(`${file}.lock`);
    lock.exec('BEGIN EXCLUSIVE');
    return { file, lock };
  } catch (error) {
    lock?.close();
    if (!isBusy(error)) throw sqliteFailure(error, path);
    throw new PaymentsStorageError(
      `The file ${path} is in use by another process, or by another sqliteStorage() of this one. SQLite is for one process: ` +
        'stop the other one, or use PostgreSQL or Redis for several.',
    );
  }
}
