/**
 * The part of a `Knex` instance that the package uses.
 *
 * @publicApi
 */
export interface KnexInstance {
  /** What sends statements. */
  readonly client: KnexClient;
  /** Runs a function in a transaction. */
  transaction<T>(
    work: (transaction: KnexTransaction) => Promise<T>,
    config?: { readonly isolationLevel?: string | undefined; readonly connection?: unknown },
  ): PromiseLike<T>;
}

/**
 * The part of a `Knex.Transaction` that the package uses.
 *
 * @publicApi
 */
export interface KnexTransaction {
  /** What sends statements on the connection of the transaction. */
  readonly client: KnexClient;
  /** Commits it. */
  readonly commit: unknown;
  /** Rolls it back. */
  readonly rollback: unknown;
  /** Whether it has ended. */
  isCompleted(): boolean;
}

/**
 * The part of a client of Knex that the package uses.
 *
 * @publicApi
 */
export interface KnexClient {
  /** The kind of database. */
  readonly dialect: string;
  /** The package that sends the statements. */
  readonly driverName: string;
  /** What the instance was made with; a transaction has the same object. */
  readonly config: object;
  /** Takes a connection of the pool, or that of the transaction. */
  acquireConnection(): Promise<unknown>;
  /** Gives a connection back. */
  releaseConnection(connection: unknown): Promise<unknown>;
  /** Sends a statement. */
  query(connection: unknown, statement: object): Promise<unknown>;
}
