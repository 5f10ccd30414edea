import { randomBytes } from 'node:crypto';
import { type PaymentsStorage } from '../payments-storage.js';
import { SqlBatches } from './sql-batches.js';
import { SqlConflicts } from './sql-conflicts.js';
import { type SqlDatabase } from './sql-database.js';
import { SqlInbox } from './sql-inbox.js';
import { SqlJournal } from './sql-journal.js';
import { SqlReconciliation } from './sql-reconciliation.js';
import { type SqlStatements } from './sql-statements.js';

/** Short, because PostgreSQL keeps all tokens of a transaction in one setting. */
function newToken(): string {
  return randomBytes(8).toString('hex');
}

/** The parts of a storage on one database. */
export function sqlParts(
  name: string,
  database: SqlDatabase,
  statements: SqlStatements,
  transactional: boolean,
): PaymentsStorage {
  const { join } = database;
  const within =
    join &&
    (async (transaction: unknown): Promise<SqlJournal> => {
      const token = newToken();
      const run = await join(transaction, token);
      const journal = statements.joinedJournal?.(token) ?? statements.journal;
      return new SqlJournal(run, journal, { isJoined: true });
    });
  return {
    name,
    inbox: new SqlInbox(database, statements, transactional),
    journal: new SqlJournal(database.run, statements.journal, { within, dailyCaps: statements.dailyCaps }),
    conflicts: new SqlConflicts(database.run, statements.conflicts),
    ...(statements.batches && { batches: new SqlBatches(database.run, statements.batches) }),
    ...(statements.reconciliation && {
      reconciliation: new SqlReconciliation(database.run, statements.reconciliation),
    }),
  };
}
