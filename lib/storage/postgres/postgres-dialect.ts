import { type ExecutorDialect } from '../sql/executor-dialect.js';
import { type HeldKey, type SqlStatement } from '../sql/sql-database.js';
import { type SqlStatements } from '../sql/sql-statements.js';
import { batchStatements } from './batch-statements.js';
import { conflictStatements } from './conflict-statements.js';
import { dailyCapStatements } from './daily-cap-statements.js';
import { inboxStatements } from './inbox-statements.js';
import { joinedJournalStatements, journalStatements } from './journal-statements.js';
import { joinOpen } from './joined-token.js';
import { migrateInTransaction } from './migrate-tables.js';
import { mayRunAgain, storageFailure, type StorageCalls } from './postgres-failure.js';
import { MARK, MOMENT } from './postgres-text.js';
import { reconciliationStatements } from './reconciliation-statements.js';
import { type TableNames } from './table-names.js';
import { checkVersion } from './tables-version.js';

/** All operations of a storage, in the words of PostgreSQL. */
export function postgresStatements(names: TableNames): SqlStatements {
  return {
    inbox: inboxStatements(names),
    journal: journalStatements(names),
    joinedJournal: joinedJournalStatements(names),
    conflicts: conflictStatements(names),
    dailyCaps: dailyCapStatements(names),
    batches: batchStatements(names),
    reconciliation: reconciliationStatements(names),
  };
}

/** PostgreSQL, as an executor is used that knows nothing of `pg`: one statement each, with parameters. */
export function postgresDialect(names: TableNames, calls: StorageCalls): ExecutorDialect {
  return {
    statements: postgresStatements(names),
    transaction: {},
    atomic: { isolationLevel: 'read committed' },
    begin: ({ fence }, leaseMs) => [beginHandlers(fence, leaseMs)],
    finish: (held) => [finishClaim(names.inbox, held)],
    join: joinOpen,
    checkTables: (executor) => checkVersion((text) => executor.query(text), names, calls),
    migrate: (executor, tell) =>
      migrateInTransaction(
        (work) => executor.transaction(work, { isolationLevel: 'read committed' }),
        names,
        { tell },
      ),
    failure: (error) => storageFailure(error, calls),
    mayRunAgain,
  };
}

/**
 * The server ends the transaction if it is idle for longer than the lease, so that neither a hanging process nor a dead
 * network holds its locks.
 */
function beginHandlers(fence: string, leaseMs: number): SqlStatement {
  return {
    text: `SELECT set_config('idle_in_transaction_session_timeout', $1::text, true) AS idle,
      set_config('${MARK}', $2::text, true) AS mark`,
    values: [String(Math.ceil(leaseMs)), fence],
  };
}

function finishClaim(inbox: string, { values, fence }: HeldKey): SqlStatement {
  return {
    text: `WITH ${MOMENT} UPDATE ${inbox} SET state = 'done', changed_at = now FROM moment
      WHERE account = $1 AND environment = $2 AND kind = $3 AND reference = $4 AND fence = $5::bigint
        AND state = 'running' AND current_setting('${MARK}', true) = ($5::bigint)::text`,
    values: [...values, fence],
    counts: true,
  };
}
