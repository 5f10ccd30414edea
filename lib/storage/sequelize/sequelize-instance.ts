/**
 * The part of a `Sequelize` that the package uses.
 *
 * @publicApi
 */
export interface SequelizeInstance {
  /** The kind of database. */
  getDialect(): string;
  /** Begins a transaction that the caller ends. */
  transaction(options?: { readonly isolationLevel?: never }): Promise<SequelizeTransaction>;
}

/**
 * The part of a `Transaction` of Sequelize that the package uses.
 *
 * @publicApi
 */
export interface SequelizeTransaction {
  /** Commits it. */
  commit(): Promise<void>;
  /** Rolls it back. */
  rollback(): Promise<void>;
}
