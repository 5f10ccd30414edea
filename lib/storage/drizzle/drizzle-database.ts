/**
 * The part of a database of `drizzle-orm/node-postgres` or `drizzle-orm/mysql2` that the package uses.
 *
 * @publicApi
 */
export interface DrizzleDatabase {
  /** The application's pool of `pg` or `mysql2`. */
  readonly $client: DrizzlePool | DrizzleMysqlPool;
  /** Runs a function in a transaction. */
  transaction<T>(
    work: (transaction: object) => Promise<T>,
    config?: {
      /** Isolation level of this transaction alone. */
      readonly isolationLevel?: 'read uncommitted' | 'read committed' | 'repeatable read' | 'serializable';
    },
  ): Promise<T>;
}

/**
 * The part of a pool of `pg` that the package uses.
 *
 * @publicApi
 */
export interface DrizzlePool {
  /** Takes a connection out of the pool. */
  connect(): Promise<unknown>;
  /** Runs a statement. */
  query(text: string, values?: unknown[]): Promise<DrizzleResult>;
}

/**
 * The part of a pool of `mysql2` that the package uses, with promises or with callbacks.
 *
 * @publicApi
 */
export interface DrizzleMysqlPool {
  /** Takes a connection out of the pool. */
  getConnection: unknown;
  /** Gives the pool with promises, if this is the other one. */
  promise?: unknown;
}

/**
 * The result of a statement in PostgreSQL.
 *
 * @publicApi
 */
export interface DrizzleResult {
  /** The rows. */
  readonly rows: unknown[];
  /** Number of affected rows. */
  readonly rowCount: number | null;
}
