import { portableBatches } from './portable-batches.js';
import { portableConflicts } from './portable-conflicts.js';
import { portableDailyCaps } from './portable-daily-caps.js';
import { type PortableDialect } from './portable-dialect.js';
import { portableInbox } from './portable-inbox.js';
import { portableJournal } from './portable-journal.js';
import { portableReconciliation } from './portable-reconciliation.js';
import { type SqlStatements } from './sql-statements.js';

/** All operations of a storage, in the words of one of the dialects that share their statements. */
export function portableStatements(dialect: PortableDialect): SqlStatements {
  return {
    inbox: portableInbox(dialect),
    journal: portableJournal(dialect),
    conflicts: portableConflicts(dialect),
    dailyCaps: portableDailyCaps(dialect),
    batches: portableBatches(dialect),
    reconciliation: portableReconciliation(dialect),
  };
}
