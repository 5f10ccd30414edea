/**
 * What runs SQL in Prisma: a `PrismaClient` or a `Prisma.TransactionClient`.
 *
 * @publicApi
 */
export interface PrismaRunner {
  /** Runs a statement that gives rows. */
  $queryRawUnsafe(text: string, ...values: unknown[]): PromiseLike<unknown>;
  /** Runs a statement, and gives the number of affected rows. */
  $executeRawUnsafe(text: string, ...values: unknown[]): PromiseLike<number>;
}

/**
 * The part of a `PrismaClient` that the package uses.
 *
 * @publicApi
 */
export interface PrismaDatabase extends PrismaRunner {
  /** Begins an interactive transaction. */
  $transaction<T>(
    work: (transaction: PrismaRunner) => Promise<T>,
    options?: {
      readonly maxWait?: number;
      readonly timeout?: number;
      readonly isolationLevel?: 'ReadUncommitted' | 'ReadCommitted' | 'RepeatableRead' | 'Serializable';
    },
  ): Promise<T>;
}
