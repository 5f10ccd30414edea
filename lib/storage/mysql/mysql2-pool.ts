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
  query(text: string, values?: Mysql2Value[]): Promise<[unknown, unknown]>;
  /** Runs a prepared statement. */
  execute(text: string, values: Mysql2Value[]): Promise<[unknown, unknown]>;
  /** Gives the connection back to the pool. */
  release(): void;
  /** Closes it instead. */
  destroy(): void;
}

/**
 * What the package gives as a parameter.
 *
 * @publicApi
 */
export type Mysql2Value = string | number | null;
