/**
 * A database that the package has statements for. `mysql` is MariaDB too.
 *
 * @publicApi
 */
export type SqlDialect = 'postgres' | 'mysql';

/**
 * What a statement changed.
 *
 * @publicApi
 */
export interface SqlExecuteResult {
  /** Number of rows that the statement inserted, deleted, or that the condition of its UPDATE met. */
  readonly affectedRows: number;
}

/**
 * Runs statements. Both methods take one statement with the placeholders of the database (`$1` in PostgreSQL, `?` in MySQL), and
 * reject with the error of the driver or of the ORM: the package looks for the database's code in `code` and in
 * what the error wraps.
 *
 * @publicApi
 */
export interface SqlRunner {
  /** Runs a statement that gives rows, under the names that the statement gives its columns: an ORM may rename them elsewhere. */
  query<Row extends object = Record<string, unknown>>(
    text: string,
    params?: readonly unknown[],
  ): Promise<Row[]>;
  /** Runs a statement that gives no rows. */
  execute(text: string, params?: readonly unknown[]): Promise<SqlExecuteResult>;
}

/**
 * A transaction.
 *
 * @publicApi
 */
export interface SqlTransaction extends SqlRunner {
  /**
   * The application's own object for the transaction, for example TypeORM's `EntityManager`. Handlers find it as
   * `context.transaction`.
   */
  readonly handle: unknown;
  /**
   * Called when the handlers have ended, before their delivery is recorded as done. From then on, refuses everything
   * that comes through `handle`; `query` and `execute` still work. Waits for what still runs, and rejects if any of it
   * failed, or if a nested transaction is open. Without it, a statement that a handler did not await may fail between
   * the record and COMMIT. The package then believes a COMMIT only after it has read that the delivery is done.
   */
  close?(): Promise<void>;
}

/**
 * Options of a transaction.
 *
 * @publicApi
 */
export interface SqlTransactionOptions {
  /** Isolation level of this transaction alone. Without it the database's default counts. */
  readonly isolationLevel?: 'read uncommitted' | 'read committed' | 'repeatable read' | 'serializable';
}

/**
 * How the package uses the database through what the application has: a data source, an ORM or a pool.
 * `fromTypeOrm()` makes one. Whatever has this shape is one too: `SqlExecutor` of `@nestjs/store-kit` has the same
 * methods, so an executor of this package fits where that one is asked for.
 *
 * @publicApi
 */
export interface SqlExecutor extends SqlRunner {
  /** Decides which statements the package sends. */
  readonly dialect: SqlDialect;
  /**
   * What its connections belong to, such as the application's pool. With `transactional: true`, executors of the same
   * one share what webhook deliveries may hold of it. Left out: the executor itself.
   */
  readonly pool?: object;
  /**
   * Most connections that its pool opens. With `transactional: true`, webhook deliveries hold half of them at most, and
   * the others wait in order. Left out or undefined: what `pool` itself says, or ten, the usual size. Where an
   * ORM does not tell, say it: `{ ...fromKysely(db), poolSize: 40 }`.
   */
  readonly poolSize?: number | undefined;
  /**
   * Calls `work` once with a transaction of its own on one connection. Commits when `work` resolves, and then resolves
   * to the same. Rolls back and rejects with the same error when `work` rejects. Rejects if the commit failed or its
   * answer was lost. The package keeps `work` open until the handlers of a webhook have ended, so nothing may limit
   * its time to less than `handlerTimeoutMs`.
   *
   * From the moment in which COMMIT or ROLLBACK is sent, nothing more that is run on the `handle` may reach the
   * database: there it would be committed by itself.
   */
  transaction<T>(
    work: (transaction: SqlTransaction) => Promise<T>,
    options?: SqlTransactionOptions,
  ): Promise<T>;
  /**
   * Runs statements in a transaction that the application began, for example in an `EntityManager` that it got from
   * `dataSource.transaction()`. The application ends it.
   *
   * @throws PaymentsConfigError if the object is no transaction of this executor's database.
   */
  wrapTransaction(handle: unknown): SqlTransaction;
}
