import { TransactionGuard } from '../sql/transaction-guard.js';
import { type Mysql2Connection } from './mysql2-pool.js';

type Run = (text: string | { readonly sql: string }, ...more: unknown[]) => Promise<[unknown, unknown]>;

/** What else of a connection would end its transaction. */
const ENDS = ['beginTransaction', 'commit', 'rollback', 'changeUser', 'end'] as const;
/** Without a promise, whose rejection nobody would await. */
const ENDS_AT_ONCE = ['release', 'destroy'] as const;

/** A connection whose transaction only the package ends. */
export class GuardedConnection {
  private readonly guard = new TransactionGuard('mysql');
  /** What handlers get: everything that the connection has, but its statements go through the guard. */
  readonly view: Mysql2Connection;

  constructor(private readonly connection: Mysql2Connection) {
    const { guard } = this;
    const run =
      (method: 'query' | 'execute'): Run =>
      (given, ...more) =>
        guard.run(typeof given === 'string' ? given : given.sql, () =>
          (connection[method] as unknown as Run).call(connection, given, ...more),
        );
    const throwEnd = (): never => {
      throw guard.refusal();
    };
    this.view = Object.assign(
      Object.create(connection) as Mysql2Connection,
      Object.fromEntries(ENDS.map((name) => [name, () => guard.refuseEnd()])),
      Object.fromEntries(ENDS_AT_ONCE.map((name) => [name, throwEnd])),
      { query: run('query'), execute: run('execute') },
    );
  }

  /** Rejects if nothing was committed, or if nobody knows. */
  async commit(): Promise<void> {
    this.guard.ending('commit');
    await this.view.query('COMMIT');
    this.connection.release();
  }

  /** Rolls back, unless COMMIT was sent, and gives the connection back, or closes it if its state is unknown. */
  async rollback(): Promise<void> {
    if (this.guard.isOver) {
      this.connection.destroy();
      return;
    }
    this.guard.ending('rollback');
    try {
      await this.view.query('ROLLBACK');
      this.connection.release();
    } catch {
      this.connection.destroy();
    }
  }
}
