/**
 * The part of a pool of `mysql2/promise` that the package uses.
 *
 * @publicApi
 */
export interface Mysql2Pool {
  /** Takes a connection out of the pool. */
  getConnection(): Promise<Mysql2Connection>;
}

/**
 * The part of a connection of `mysql2/promise` that the package uses.
 *
 * @publicApi
 */
export interface Mysql2Connection {
  /** Runs a statement as text. */
  query(statement: string | Mysql2Statement, values?: Mysql2Value[]): Promise<[unknown, unknown]>;
  /** Runs a prepared statement. */
  execute(statement: string | Mysql2Statement, values: Mysql2Value[]): Promise<[unknown, unknown]>;
  /** Gives the connection back to the pool. */
  release(): void;
  /** Closes it instead. */
  destroy(): void;
}

/**
 * A statement with options of its own, which count in place of those of the pool: what the application makes of its rows and
 * values would change those of the package.
 *
 * @publicApi
 */
export interface Mysql2Statement {
  /** The text. */
  readonly sql: string;
  /** False: a row is an object. */
  readonly rowsAsArray: boolean;
  /** False: the columns of all tables are in one object. */
  readonly nestTables: boolean;
  /** Leaves every value as the driver reads it. */
  typeCast(field: unknown, next: () => unknown): unknown;
}

/**
 * What the package gives as a parameter.
 *
 * @publicApi
 */
export type Mysql2Value = string | number | null;
