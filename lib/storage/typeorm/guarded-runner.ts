import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { OwnerContext } from '../sql/owner-context.js';
import { timeLimited } from '../sql/statement-timeout.js';
import { type SqlDialect } from '../sql/sql-executor.js';
import { LEFT_OPEN, type OwnEnds, TransactionGuard } from '../sql/transaction-guard.js';
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

const COMMIT = /^\s*COMMIT\b/i;
const FAILED_BEFORE_COMMIT =
  'A statement failed right before COMMIT, in a subscriber (beforeTransactionCommit), so nothing was committed: await it, and let its ' +
  'error through, or correct the statement.';

/** The nested transaction whose code runs. */
const inside = new OwnerContext<RunnerGuard, symbol>();

/** Guards the transaction of a runner, which only the package ends. */
export class RunnerGuard extends TransactionGuard {
  readonly ends: OwnEnds;
  private readonly parts: RunnerParts;
  /** What the package sent, and subscribers with it. */
  private readonly ownSent: Promise<unknown>[] = [];
  /** The innermost nested transaction that is open. */
  private nested: symbol | undefined;

  constructor(runner: TypeOrmQueryRunner, dialect: SqlDialect) {
    super(dialect);
    const parts = runner as unknown as RunnerParts;
    this.parts = parts;
    const release = parts.release.bind(runner);
    const send = parts.query.bind(runner);
    const stream = parts.stream.bind(runner);
    parts.query = (text, ...more) => this.run(text, () => send(text, ...more));
    parts.stream = (text, ...more) => this.run(text, () => stream(text, ...more));
    parts.release = () => this.refuseEnd();
    this.guardNested(parts.manager);
    this.ends = {
      commit: () => runner.commitTransaction(),
      rollback: async () => {
        // A nested transaction that is open takes the first of them.
        await runner.rollbackTransaction().catch(() => undefined);
        if (runner.isTransactionActive) await parts.query('ROLLBACK');
      },
      send,
      release,
      discard: (reason) => closeParts(parts, release, reason),
    };
  }

  override async close(): Promise<void> {
    await super.close();
    const { transactionDepth = 1 } = this.parts;
    if (transactionDepth > 1) throw new PaymentsStorageError(LEFT_OPEN);
  }

  override run<T>(text: string, send: () => Promise<T>): Promise<T> {
    if (this.isBeside()) return Promise.reject(this.refuseBeside());
    if (!this.isOwn) return super.run(text, send);
    if (COMMIT.test(text)) return this.afterOwn(() => super.run(text, send));
    const sent = super.run(text, send);
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
    return !this.isOwn && inside.get(this) !== this.nested;
  }

  /** A connection has one stack of savepoints: what comes beside a nested transaction would be undone with it. */
  private guardNested(manager: RunnerParts['manager']): void {
    const begin = manager.transaction.bind(manager);
    manager.transaction = async (...given) => {
      if (this.isBeside()) throw this.refuseBeside();
      const outer = this.nested;
      const own = Symbol('nested transaction');
      this.nested = own;
      try {
        return await inside.run(this, own, () => begin(...given));
      } finally {
        this.nested = outer;
      }
    };
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
