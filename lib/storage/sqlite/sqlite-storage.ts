import { callOptionErrors, refuseUnknown } from '../../errors/option-errors.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { readAll } from '../../errors/wrong-options.js';
import { checkSwitches } from '../check-switches.js';
import { type PaymentsStorage } from '../payments-storage.js';
import { portableStatements } from '../sql/portable-statements.js';
import { sqlParts } from '../sql/sql-parts.js';
import { SQLITE } from './sqlite-dialect.js';
import { sqliteModule } from './sqlite-engine.js';
import { SqliteFile } from './sqlite-file.js';

/**
 * Options of `sqliteStorage`.
 *
 * @publicApi
 */
export interface SqliteStorageOptions {
  /**
   * Path of the file. It is made if it is missing; its folder must exist. The application may keep its own tables in
   * it, but in this process only `node:sqlite` may open it: another copy of SQLite, such as `better-sqlite3`, does not
   * see the locks, and overwrites what was committed. Two files stand beside it while it is open: `-wal` and `-shm`. A
   * third one, `.lock`, keeps a second process out.
   */
  readonly file: string;
  /**
   * Gives every webhook handler an open transaction as `context.transaction` (a `DatabaseSync` of `node:sqlite`). The
   * handler's writes there, the record that it ran and the outcome in the journal are committed together or not at all.
   *
   * SQLite has one writer. While a handler runs, all other writers wait, for four seconds at most. Keep handlers
   * short. A payment that a handler makes is refused: it could not be written down before it is sent.
   * @default false
   */
  readonly transactional?: boolean;
  /** The time in milliseconds since 1970, for tests. @default Date.now */
  readonly now?: () => number;
}

const OPTIONS = ['file', 'transactional', 'now'];
const HERE = 'sqliteStorage({ file })';

/**
 * Stores payments and webhooks in a file, for an application that runs as one process and has no database server. Needs
 * Node.js 22.13 or newer. It makes its tables itself, and keeps a second process out.
 *
 * Every commit is on the disk before it is answered (WAL, `synchronous = FULL`). Without `transactional`, a repeated
 * delivery is not handled twice, unless a handler outlives its lease or the process dies between the handler's effect
 * and its record: make the effect idempotent. With it, effects in the same file happen exactly once for
 * one event, whatever crashes.
 *
 * Entries never expire: call `PaymentsInbox.purge()` and `PaymentsJournal.purge()` from a scheduled job.
 *
 * The file is opened when the application starts, or at the first use. The start rejects with a `PaymentsStorageError` if
 * another process has the file, if a newer version made it, or if it cannot be opened.
 *
 * @throws PaymentsConfigError if an option is missing, wrong or unknown, or this Node.js has no SQLite.
 *
 * @example
 * ```ts
 * PaymentsModule.forRoot({ ...options, storage: sqliteStorage({ file: 'data/payments.db' }) });
 * ```
 *
 * ```ts
 * @OnPayment('payment.success')
 * paid({ data }: PaymentWebhookEvent, { transaction }: PaymentEventContext) {
 *   const database = transaction as SqliteDatabase;
 *   const pay = database.prepare('UPDATE orders SET paid = 1 WHERE reference = ? AND amount = ?');
 *   if (pay.run(data.reference, data.amount).changes !== 1) throw new Error('No order has this reference and amount.');
 * }
 * ```
 *
 * @publicApi
 */
export function sqliteStorage(options: SqliteStorageOptions): PaymentsStorage {
  const { file, transactional, now } = checked(options);
  // What is not there is missed at once, and not at the first payment.
  sqliteModule();
  const database = new SqliteFile(file, now);
  return {
    ...sqlParts('sqlite', database, portableStatements(SQLITE), transactional),
    open: () =>
      new Promise((resolve) => {
        database.open();
        resolve();
      }),
    close: () => {
      database.close();
      return Promise.resolve();
    },
  };
}

function checked(options: Partial<SqliteStorageOptions> | undefined): Required<SqliteStorageOptions> {
  const { transactional = false, now = Date.now } = options ?? {};
  const { file } = readAll({
    file: () => checkedFile(options?.file),
    transactional: () => {
      checkSwitches(HERE, { transactional });
    },
    names: () => {
      refuseUnknown(options, OPTIONS, callOptionErrors(HERE));
    },
  });
  return { file, transactional, now };
}

function checkedFile(file: unknown): string {
  if (typeof file !== 'string' || file.trim() === '' || file.includes('\0')) {
    throw new PaymentsConfigError(`${HERE} needs the path of a file: write for example 'data/payments.db'.`);
  }
  if (file === ':memory:' || file.startsWith('file:')) {
    throw new PaymentsConfigError(
      `The option file of ${HERE} must be a path, not ${file.slice(0, 8)}: write 'data/payments.db', or memoryStorage() for one that forgets.`,
    );
  }
  return file;
}
