import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { timeLimited } from '../sql/statement-timeout.js';
import { TransactionGuard, withMembers } from '../sql/transaction-guard.js';
import { type Mysql2Connection } from './mysql2-pool.js';

type Text = string | { readonly sql: string };
type Run = (text: Text, ...more: unknown[]) => Promise<[unknown, unknown]>;

/** What a connection has that its type does not show. */
interface ConnectionParts {
  readonly query: Run;
  readonly execute: Run;
  readonly prepare: (text: Text) => Promise<Prepared>;
}

interface Prepared {
  execute(parameters?: unknown): Promise<[unknown, unknown]>;
  close(): Promise<void>;
}

/** What else of a connection would end its transaction. */
const ENDS = ['beginTransaction', 'commit', 'rollback', 'changeUser', 'end', Symbol.asyncDispose] as const;
/** Without a promise, whose rejection nobody would await. */
const ENDS_AT_ONCE = ['release', 'destroy', 'close'] as const;

/** A connection whose transaction only the package ends. */
export class GuardedConnection {
  private readonly guard = new TransactionGuard('mysql');
  /** What handlers get: everything that the connection has, but its statements go through the guard. */
  readonly view: Mysql2Connection;

  constructor(private readonly connection: Mysql2Connection) {
    const guarded = guardedMethods(connection as unknown as ConnectionParts, this.guard);
    this.view = withMembers(connection, guarded);
  }

  /** Runs what the package sends itself. */
  own<T>(work: () => T): T {
    return this.guard.own(work);
  }

  /** Takes nothing more from the handlers. Rejects if nothing may be committed. */
  close(): Promise<void> {
    return this.guard.close();
  }

  /** Rejects if nothing was committed, or if nobody knows. */
  async commit(): Promise<void> {
    await this.guard.close();
    await this.last('COMMIT');
    await this.returnConnection();
  }

  /** Rolls back, unless COMMIT was sent, and gives the connection back, or closes it if its state is unknown. */
  async rollback(): Promise<void> {
    if (this.guard.isOver) {
      this.connection.destroy();
      return;
    }
    try {
      await this.guard.stop();
      await this.last('ROLLBACK');
    } catch {
      this.connection.destroy();
      return;
    }
    await this.returnConnection();
  }

  private last(text: 'COMMIT' | 'ROLLBACK'): Promise<unknown> {
    return timeLimited(
      this.guard.own(() => this.view.query(text)),
      `the answer to ${text}`,
    );
  }

  private async returnConnection(): Promise<void> {
    try {
      await timeLimited(this.connection.query('SET autocommit = 1'), 'the connection');
      this.connection.release();
    } catch {
      this.connection.destroy();
    }
  }
}

function guardedMethods(connection: ConnectionParts, guard: TransactionGuard): object {
  const textOf = (given: Text): string => (typeof given === 'string' ? given : given.sql);
  const run =
    (method: 'query' | 'execute'): Run =>
    (given, ...more) =>
      guard.run(textOf(given), () => connection[method](given, ...more));
  const prepare = (given: Text): Promise<Prepared> =>
    guard.run(textOf(given), async () => {
      const prepared = await connection.prepare(given);
      return {
        execute: (parameters) => guard.run(textOf(given), () => prepared.execute(parameters)),
        close: () => prepared.close(),
      };
    });
  const throwEnd = (): never => {
    throw guard.refusal();
  };
  return {
    ...Object.fromEntries(ENDS.map((name) => [name, () => guard.refuseEnd()])),
    ...Object.fromEntries(ENDS_AT_ONCE.map((name) => [name, throwEnd])),
    query: run('query'),
    execute: run('execute'),
    prepare,
    get connection(): never {
      throw new PaymentsStorageError(
        "The driver's own connection would go around the webhook transaction: use query(), execute() and prepare() of context.transaction.",
      );
    },
  };
}
