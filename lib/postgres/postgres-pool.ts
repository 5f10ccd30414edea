/**
 * The part of a `Pool` of `pg` that the package uses.
 *
 * @publicApi
 */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
}

/**
 * The part of a `PoolClient` of `pg` that the package uses.
 *
 * @publicApi
 */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /** @param destroy True closes the connection. */
  release(destroy?: boolean): void;
  on(event: 'error', listener: () => void): unknown;
  removeListener(event: 'error', listener: () => void): unknown;
}

/**
 * What a statement did.
 *
 * @publicApi
 */
export interface PostgresResult {
  /** Every column as text: the package asks for nothing else, because applications change how `pg` reads numbers and dates. */
  readonly rows: readonly Readonly<Record<string, string | null>>[];
  readonly rowCount: number | null;
  /** What PostgreSQL says that it did, for example `COMMIT`. */
  readonly command: string;
}
