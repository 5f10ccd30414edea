/**
 * The part of a `MikroORM` that the package uses.
 *
 * @publicApi
 */
export interface MikroOrmInstance {
  /** The global `EntityManager`. */
  readonly em: MikroOrmEntityManager;
}

/**
 * The part of an `EntityManager` of MikroORM that the package uses.
 *
 * @publicApi
 */
export interface MikroOrmEntityManager {
  /** Makes another one with an identity map of its own. */
  fork(options?: object): MikroOrmEntityManager;
  /** Runs a function in a transaction, and flushes before its COMMIT. */
  transactional<T>(
    work: (manager: MikroOrmEntityManager) => Promise<T>,
    options?: { readonly isolationLevel?: string },
  ): Promise<T>;
  /** What sends the statements of its transaction, if it is in one. */
  getTransactionContext(): unknown;
  /** The connection of the ORM. */
  getConnection(type?: 'write'): object;
  /** Writes the changes of its entities. */
  flush(): Promise<void>;
}
