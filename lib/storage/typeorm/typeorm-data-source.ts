/**
 * The part of a `DataSource` of TypeORM that the package uses.
 *
 * @publicApi
 */
export interface TypeOrmDataSource {
  /** Whether it has its connections. */
  readonly isInitialized: boolean;
  /** What it was made with. */
  readonly options: {
    /** The kind of database. */
    readonly type: string;
  };
  /** Makes what runs statements on one connection. */
  createQueryRunner(mode?: 'master'): TypeOrmQueryRunner;
}

/**
 * The part of a `QueryRunner` of TypeORM that the package uses.
 *
 * @publicApi
 */
export interface TypeOrmQueryRunner {
  /** The manager whose statements run on this connection. */
  readonly manager: object;
  /** Whether a transaction is open. */
  readonly isTransactionActive: boolean;
  /** Begins a transaction. */
  startTransaction(
    isolationLevel?: 'READ UNCOMMITTED' | 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE',
  ): Promise<void>;
  /** Commits it. */
  commitTransaction(): Promise<void>;
  /** Rolls it back. */
  rollbackTransaction(): Promise<void>;
  /** Runs one statement. */
  query(text: string, parameters: unknown[] | undefined, useStructuredResult: true): Promise<TypeOrmResult>;
  /** Gives the connection back to the pool. */
  release(): Promise<void>;
}

/**
 * The part of a `QueryResult` of TypeORM that the package uses.
 *
 * @publicApi
 */
export interface TypeOrmResult {
  /** The rows. */
  readonly records: unknown[];
  /** Number of affected rows. */
  affected?: number | null;
}
