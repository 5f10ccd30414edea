import { AsyncLocalStorage } from 'node:async_hooks';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { timeLimited } from '../sql/statement-timeout.js';
import { type SqlDialect } from '../sql/sql-executor.js';
import { LEFT_OPEN, TransactionGuard } from '../sql/transaction-guard.js';
import { type TypeOrmQueryRunner } from './typeorm-data-source.js';

type Query = (text: string, ...more: unknown[]) => Promise<unknown>;
type Transaction = (...given: unknown[]) => Promise<unknown>;

/** What a runner has that its interface does not show. */
interface RunnerParts {
  query: Query;
  release: () => Promise<void>;
  stream: Query;
  readonly manager: { transaction: Transaction };
  /** How many transactions are open, one inside of the other; absent in old versions. */
  readonly transactionDepth?: number;
  /** PostgreSQL: closes the connection if there is an error. */
  readonly releasePostgresConnection?: (error: Error) => Promise<void>;
  /** MySQL. */
  readonly databaseConnection?: { readonly destroy?: () => void };
}

/** A nested transaction, and the guarded runner that it is of. */
interface Nested {
  readonly of: GuardedRunner;
}

const COMMIT = /^\s*COMMIT\b/i;
const FAILED_BEFORE_COMMIT =
  'A statement failed right before COMMIT, in a subscriber (beforeTransactionCommit), so nothing was committed: await it, and let its ' +
  'error through, or correct the statement.';

/** The nested transaction whose code runs. */
const inside = new AsyncLocalStorage<Nested>();

/** A runner whose transaction only the package ends. */
export class GuardedRunner {
  private readonly guard: TransactionGuard;
  private readonly parts: RunnerParts;
  private readonly send: Query;
  private readonly release: () => Promise<void>;
  /** What the package sent, and subscribers with it. */
  private readonly ownSent: Promise<unknown>[] = [];
  /** The innermost nested transaction that is open. */
  private nested: Nested | undefined;

  constructor(
    private readonly runner: TypeOrmQueryRunner,
    private readonly dialect: SqlDialect,
  ) {
    const guard = new TransactionGuard(dialect);
    this.guard = guard;
    const parts = runner as unknown as RunnerParts;
    this.parts = parts;
    this.release = parts.release.bind(runner);
    this.send = parts.query.bind(runner);
    const { send } = this;
    const stream = parts.stream.bind(runner);
    parts.query = (text, ...more) => this.run(text, () => send(text, ...more));
    parts.stream = (text, ...more) => this.run(text, () => stream(text, ...more));
    parts.release = () => guard.refuseEnd();
    this.guardNested(parts.manager);
  }

  /** Runs what the package sends itself. */
  own<T>(work: () => T): T {
    return this.guard.own(work);
  }

  /** Takes nothing more from the handlers. Rejects if nothing may be committed. */
  async close(): Promise<void> {
    await this.guard.close();
    const { transactionDepth = 1 } = this.parts;
    if (transactionDepth > 1) throw new PaymentsStorageError(LEFT_OPEN);
  }

  /** Rejects if nothing was committed, or if nobody knows. */
  async commit(): Promise<void> {
    await this.close();
    await timeLimited(
      this.own(() => this.runner.commitTransaction()),
      'the answer to COMMIT',
    );
    await this.returnConnection();
  }

  /** Rolls back, unless COMMIT was sent, and gives the connection back, or closes it if its state is unknown. */
  async rollback(reason: Error): Promise<void> {
    if (this.guard.isOver) {
      await this.discard(reason);
      return;
    }
    try {
      await this.guard.stop();
      await timeLimited(
        this.own(() => this.rollbackAll()),
        'the answer to ROLLBACK',
      );
    } catch (error) {
      await this.discard(error as Error);
      return;
    }
    await this.returnConnection();
  }

  private async rollbackAll(): Promise<void> {
    // A nested transaction that is open takes the first of them.
    await this.runner.rollbackTransaction().catch(() => undefined);
    if (this.runner.isTransactionActive) await this.parts.query('ROLLBACK');
  }

  private run<T>(text: string, send: () => Promise<T>): Promise<T> {
    if (this.isBeside()) return Promise.reject(this.guard.refuseBeside());
    if (!this.guard.isOwn) return this.guard.run(text, send);
    if (COMMIT.test(text)) return this.afterOwn(() => this.guard.run(text, send));
    const sent = this.guard.run(text, send);
    this.ownSent.push(sent);
    return sent;
  }

  /**
   * The application's subscribers write before COMMIT too, inside of what the package sends. A statement of theirs that failed
   * has undone the transaction, and COMMIT would be answered without an error.
   */
  private async afterOwn<T>(commit: () => Promise<T>): Promise<T> {
    for (let known = 0; known < this.ownSent.length;) {
      known = this.ownSent.length;
      // Their code may continue with another statement while one of them runs.
      const ended = await timeLimited(Promise.allSettled(this.ownSent), 'a statement of a subscriber');
      if (ended.some(({ status }) => status === 'rejected'))
        throw new PaymentsStorageError(FAILED_BEFORE_COMMIT);
    }
    // Nothing can come between: from here on everything else is refused.
    return commit();
  }

  /** Whether the caller is outside of the nested transaction that is open, or inside of one that has ended. */
  private isBeside(): boolean {
    if (this.guard.isOwn) return false;
    const current = inside.getStore();
    return (current?.of === this ? current : undefined) !== this.nested;
  }

  /** A connection has one stack of savepoints: what comes beside a nested transaction would be undone with it. */
  private guardNested(manager: RunnerParts['manager']): void {
    const begin = manager.transaction.bind(manager);
    manager.transaction = async (...given) => {
      if (this.isBeside()) throw this.guard.refuseBeside();
      const outer = this.nested;
      const own: Nested = { of: this };
      this.nested = own;
      try {
        return await inside.run(own, () => begin(...given));
      } finally {
        this.nested = outer;
      }
    };
  }

  private async returnConnection(): Promise<void> {
    try {
      if (this.dialect === 'mysql') await timeLimited(this.send('SET autocommit = 1'), 'the connection');
      await this.release();
    } catch (error) {
      await this.discard(error as Error).catch(() => undefined);
    }
  }

  private discard(error: Error): Promise<void> {
    return closeParts(this.parts, this.release, error);
  }
}

/** Closes the connection of a runner that is not guarded. */
export function closeRunner(runner: TypeOrmQueryRunner, error: Error): Promise<void> {
  return closeParts(runner as unknown as RunnerParts, () => runner.release(), error);
}

async function closeParts(parts: RunnerParts, release: () => Promise<void>, error: Error): Promise<void> {
  if (parts.releasePostgresConnection) {
    await parts.releasePostgresConnection(error);
    return;
  }
  parts.databaseConnection?.destroy?.();
  await release();
}
