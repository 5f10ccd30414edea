import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { type SqlDialect } from '../sql/sql-executor.js';
import { TransactionGuard } from '../sql/transaction-guard.js';
import { type TypeOrmQueryRunner } from './typeorm-data-source.js';

type Query = (text: string, ...more: unknown[]) => Promise<unknown>;

/** What a runner has that its interface does not show. */
interface RunnerParts {
  query: Query;
  release: () => Promise<void>;
  stream: (...given: unknown[]) => Promise<unknown>;
  /** PostgreSQL: closes the connection if there is an error. */
  readonly releasePostgresConnection?: (error: Error) => Promise<void>;
  /** MySQL. */
  readonly databaseConnection?: { readonly destroy?: () => void };
}

/** A runner whose transaction only the package ends. */
export class GuardedRunner {
  private readonly guard: TransactionGuard;
  private readonly parts: RunnerParts;
  /** Gives the connection back. */
  readonly release: () => Promise<void>;

  constructor(
    private readonly runner: TypeOrmQueryRunner,
    dialect: SqlDialect,
  ) {
    const guard = new TransactionGuard(dialect);
    this.guard = guard;
    const parts = runner as unknown as RunnerParts;
    this.parts = parts;
    this.release = parts.release.bind(runner);
    const query = parts.query.bind(runner);
    const stream = parts.stream.bind(runner);
    parts.query = (text, ...more) => guard.run(text, () => query(text, ...more));
    parts.stream = (...given) => (guard.isOver ? guard.refuseLate() : stream(...given));
    parts.release = () => guard.refuseEnd();
  }

  /** Rejects if nothing was committed, or if nobody knows. */
  async commit(): Promise<void> {
    this.guard.ending('commit');
    await this.runner.commitTransaction();
    if (!this.runner.isTransactionActive) return;
    throw new PaymentsStorageError(
      'A handler returned in the middle of a nested transaction, whose first half would be committed: await every transaction that ' +
        'a handler begins.',
    );
  }

  /** Rolls back, unless COMMIT was sent, and gives the connection back, or closes it if its state is unknown. */
  async rollback(reason: Error): Promise<void> {
    if (this.guard.isOver) {
      await this.discard(reason);
      return;
    }
    this.guard.ending('rollback');
    // A nested transaction that is open takes the first of them.
    await this.runner.rollbackTransaction().catch(() => undefined);
    try {
      if (this.runner.isTransactionActive) await this.parts.query('ROLLBACK');
      await this.release();
    } catch (error) {
      await this.discard(error as Error);
    }
  }

  private async discard(error: Error): Promise<void> {
    if (this.parts.releasePostgresConnection) {
      await this.parts.releasePostgresConnection(error);
      return;
    }
    this.parts.databaseConnection?.destroy?.();
    await this.release();
  }
}
