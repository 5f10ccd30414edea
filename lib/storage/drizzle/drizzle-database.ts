/**
 * The part of a database of `drizzle-orm/node-postgres` that the package uses.
 *
 * @publicApi
 */
export interface DrizzleDatabase {
  /** The application's pool of `pg`. */
  readonly $client: DrizzlePool;
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
 * The result of a statement.
 *
 * @publicApi
 */
export interface DrizzleResult {
  /** The rows. */
  readonly rows: unknown[];
  /** Number of affected rows. */
  readonly rowCount: number | null;
}
