/**
 * The part of a `Kysely` instance that the package uses.
 *
 * @publicApi
 */
export interface KyselyDatabase {
  /** What compiles and runs queries. */
  getExecutor(): KyselyExecutor;
  /** Begins a transaction that is not a callback; Kysely has it from 0.28 on. */
  startTransaction(): unknown;
}

/**
 * The part of a `QueryExecutor` of Kysely that the package uses.
 *
 * @publicApi
 */
export interface KyselyExecutor {
  /** What is special about the database. */
  readonly adapter: object;
  /** What the application added. */
  readonly plugins: readonly object[];
  /** Makes SQL. */
  compileQuery(node: never, queryId: never): object;
  /** Lends a connection of the pool. */
  provideConnection<T>(consumer: (connection: KyselyConnection) => Promise<T>): Promise<T>;
}

/**
 * The part of a `DatabaseConnection` of Kysely that the package uses.
 *
 * @publicApi
 */
export interface KyselyConnection {
  /** Runs a query. */
  executeQuery(query: never): Promise<KyselyResult>;
  /** Runs a query whose rows come in parts. */
  streamQuery(query: never, chunkSize?: number): AsyncIterableIterator<KyselyResult>;
}

/**
 * The part of a `QueryResult` of Kysely that the package uses.
 *
 * @publicApi
 */
export interface KyselyResult {
  /** The rows. */
  readonly rows: unknown[];
  /** Number of affected rows. */
  readonly numAffectedRows?: bigint;
}
