import { PaymentsStorageError, isPaymentsError } from '../../errors/payments-errors.js';
import { BATCH } from '../sql/delete-in-batches.js';
import { databaseFailure, errorCodes, serverTrouble } from '../sql/error-code.js';
import { type ExecutorDialect } from '../sql/executor-dialect.js';
import { LeftOpenError } from '../sql/left-open.js';
import { wasLeftOpen } from '../sql/own-statements.js';
import { type PortableDialect } from '../sql/portable-dialect.js';
import { finishHeld } from '../sql/portable-inbox.js';
import { portableJournal } from '../sql/portable-journal.js';
import { portableStatements } from '../sql/portable-statements.js';
import { isReadOnlyServer } from '../sql/read-only-server.js';
import { raw, sql } from '../sql/sql-template.js';
import { NO_SAVEPOINT, OpenTransactions, PROBE } from './joined-transaction.js';
import { checkSettings } from './mysql-settings.js';
import { checkMysql, migrateMysql, NOT_MIGRATED } from './mysql-tables.js';

/** Less than the time limit of the answer, where MySQL reads a comment. */
const WAIT_FOR_ROWS = raw('FOR UPDATE /*M! WAIT 2 */');

/** What MySQL 8.4 and MariaDB write in their own way. */
const MYSQL: PortableDialect = {
  now: raw("TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000"),
  // IGNORE would hide other errors too.
  keepExisting: (table, [key = '']) => raw(`ON DUPLICATE KEY UPDATE ${key} = ${table}.${key}`),
  // MariaDB has no other name for the new row.
  takeOver: (_table, _keys, columns, more) => {
    const changes = columns.map((column) => `${column} = VALUES(${column})`).join(', ');
    return sql`ON DUPLICATE KEY UPDATE ${raw(changes)}${more ? sql`, ${more}` : raw('')}`;
  },
  batch: BATCH,
  // DELETE … ORDER BY … LIMIT would read and sort all rows that meet the condition, for each batch. In a transaction: at
  // REPEATABLE READ it would lock the room between them too.
  deleteFirst: (table, key, condition, order) => {
    const columns = raw(key.join(', '));
    return {
      atomic: true,
      steps: [
        sql`DELETE old FROM ${raw(table)} AS old JOIN (
            SELECT ${columns} FROM ${raw(table)} WHERE ${condition} ORDER BY ${raw(order)} LIMIT ${raw(`${BATCH}`)} ${WAIT_FOR_ROWS}
          ) AS oldest USING (${columns})`,
      ],
    };
  },
  lockRows: raw('FOR UPDATE SKIP LOCKED'),
  waitForRows: WAIT_FOR_ROWS,
};

/** A savepoint that lasts as long as the transaction of the handlers. */
const MARK = 'nestjs_payments_claim';
/** How long a statement waits for a row, and for a table that a dump has locked: less than the time limit of its answer. */
const LIMIT = '/*M! SET STATEMENT innodb_lock_wait_timeout = 2, lock_wait_timeout = 2 FOR */';
const WRITES = /^\s*(?:INSERT|UPDATE|DELETE)\b/;
/** A deadlock, and a row that changed since the transaction began: nothing was done. */
const DID_NOTHING = ['1213', '1020'];

/** For one storage: it remembers which database is its own. */
export function mysqlDialect(): ExecutorDialect {
  const { learn, join } = new OpenTransactions();
  return { ...MYSQL_DIALECT, prepare: learn, join };
}

/** MySQL and MariaDB, as an executor is used that knows nothing of the driver: what all storages share. */
export const MYSQL_DIALECT: Omit<ExecutorDialect, 'prepare' | 'join'> = {
  statements: {
    ...portableStatements(MYSQL),
    joinedJournal: () => portableJournal({ ...MYSQL, probe: PROBE }),
  },
  // MySQL reads the comment as one. There the server's own limits count.
  limited: (text) => (WRITES.test(text) ? `${LIMIT} ${text}` : text),
  // At REPEATABLE READ a statement would not see what was committed since the first one, and lock the gaps between rows.
  transaction: { isolationLevel: 'read committed' },
  begin: () => [{ text: `SAVEPOINT ${MARK}`, counts: true }],
  // The savepoint is gone if a statement that changes tables, a deadlock or the handler itself has ended the transaction.
  finish: (held) => [{ text: `RELEASE SAVEPOINT ${MARK}`, counts: true }, finishHeld(MYSQL, held)],
  checkSettings,
  checkTables: checkMysql,
  migrate: migrateMysql,
  failure: mysqlFailure,
  mayRunAgain: (error) => wasLeftOpen(error) || errorCodes(error).some((code) => DID_NOTHING.includes(code)),
};

const TAKES_NO_WRITES =
  'The database takes no writes: its server is a replica, or read-only. Give nestjs-payments connections that may write.';

/** Converts an error without its texts, which repeat stored data. */
function mysqlFailure(error: unknown): Error {
  if (isPaymentsError(error)) return error;
  if (wasLeftOpen(error)) return new LeftOpenError();
  const codes = errorCodes(error);
  const notMigrated = codes.find((code) => NOT_MIGRATED.includes(code));
  if (notMigrated !== undefined) {
    return new PaymentsStorageError(
      `The tables of nestjs-payments are missing or older than this version (${notMigrated}): call migrateSqlStorage(executor) when ` +
        'you deploy.',
    );
  }
  if (codes.includes(NO_SAVEPOINT)) {
    return new PaymentsStorageError(
      'The webhook transaction ended while a handler ran: by a deadlock whose error the handler did not let through, by a statement ' +
        'that changes tables, or by COMMIT. Nothing was recorded, and the delivery comes again.',
    );
  }
  const meaning = serverTrouble(codes) ?? (isReadOnlyServer(error) ? TAKES_NO_WRITES : undefined);
  if (meaning !== undefined) return new PaymentsStorageError(meaning);
  return new PaymentsStorageError(`The database did not do what it was asked: ${databaseFailure(error)}.`);
}
