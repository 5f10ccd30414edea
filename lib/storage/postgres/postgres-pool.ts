/**
 * The part of a `Pool` of `pg` that the package uses.
 *
 * @publicApi
 */
export interface PostgresPool {
  /** Takes a connection out of the pool. */
  connect(): Promise<PostgresClient>;
}

/**
 * The part of a `PoolClient` of `pg` that the package uses.
 *
 * @publicApi
 */
export interface PostgresClient {
  /** Runs one statement. */
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /**
   * Returns the connection to the pool.
   *
   * @param destroy True closes it instead.
   */
  release(destroy?: boolean): void;
  /** Listens for the loss of the connection. */
  on(event: 'error', listener: () => void): unknown;
  /** Stops listening. */
  removeListener(event: 'error', listener: () => void): unknown;
}

/**
 * The result of a statement.
 *
 * @publicApi
 */
export interface PostgresResult {
  /**
   * Every column as text: the package requests only text, because applications change how `pg` parses numbers
   * and dates.
   */
  readonly rows: readonly Readonly<Record<string, string | null>>[];
  /** Number of affected rows; null if the statement counts none. */
  readonly rowCount: number | null;
}
