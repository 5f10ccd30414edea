import { type HeldKey, type RunScript, type SqlStatement } from './sql-database.js';
import { type TellMigration } from './migration-turn.js';
import { type SqlExecutor, type SqlRunner, type SqlTransactionOptions } from './sql-executor.js';
import { type SqlStatements } from './sql-statements.js';

/** What the application gave as its transaction. The errors are those of the driver. */
export interface GivenTransaction {
  /** Runs operations on its connection. */
  readonly run: RunScript;
  /** The application's object for it. */
  readonly handle: unknown;
  /** Runs operations on the executor's own connections, with a time limit: the open transactions may have taken all of them. */
  readonly own: RunScript;
  /** See `SqlDatabase.join`. */
  readonly token: string;
}

/** What the storage sends to a database of one dialect through an executor. */
export interface ExecutorDialect {
  readonly statements: SqlStatements;
  /** The text of a statement that writes, with a time limit for its locks. */
  readonly limited?: (text: string) => string;
  /** The transaction of the handlers. */
  readonly transaction: SqlTransactionOptions;
  /** The transaction of an operation that is all or nothing; absent: that of the handlers. */
  readonly atomic?: SqlTransactionOptions;
  /** What follows on BEGIN. */
  readonly begin: (held: HeldKey, leaseMs: number) => readonly SqlStatement[];
  /**
   * What comes before COMMIT. The last one affects one row, unless the claim is over. Fails, or affects no row, if the
   * transaction of `begin` has ended.
   */
  readonly finish: (held: HeldKey) => readonly SqlStatement[];
  /** What the storage learns before its first operation. */
  readonly prepare?: (own: RunScript) => Promise<unknown>;
  /** Joins a transaction of the application, and gives what runs operations in it: see `SqlDatabase.join`. */
  readonly join: (given: GivenTransaction) => Promise<RunScript>;
  /** Rejects with a `PaymentsStorageError` if a setting of the connections would lose data, or keep the package from deleting it. */
  readonly checkSettings?: (executor: SqlRunner) => Promise<void>;
  /** Rejects with a `PaymentsStorageError` if the tables are missing, or of a version that this build cannot use. */
  readonly checkTables: (executor: SqlRunner) => Promise<void>;
  readonly migrate: (executor: SqlExecutor, tell: TellMigration) => Promise<unknown>;
  /** Converts an error without its texts, which repeat stored data. */
  readonly failure: (error: unknown) => Error;
  /** Whether the statement did nothing, and may succeed at the next try. */
  readonly mayRunAgain: (error: unknown) => boolean;
}
