import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { isInTransaction, LeftOpenError, type Lending, takeFree } from '../sql/left-open.js';
import { timeLimited, FREE_CONNECTION } from '../sql/statement-timeout.js';
import { type RunScript, statementsOf } from '../sql/sql-database.js';
import { hasUndoneAll, mayRunAtOnce, storageFailure } from './postgres-failure.js';
import { type PostgresClient, type PostgresPool, type PostgresResult } from './postgres-pool.js';
import { type PreparedStatements } from './prepared-statements.js';
import { type NamedStatement, runBatch, runsBatches } from './statement-batch.js';

/** Each statement sees what others have committed before it, whatever the default level of the server is. */
export const BEGIN_READ_COMMITTED = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** Runs one statement. Rejects with a `PaymentsStorageError`. */
export type RunStatement = (text: string, values?: readonly unknown[]) => Promise<PostgresResult>;

/** The application's pool, and how its statements are sent; left out: as they are. */
export interface PreparingPool extends PostgresPool {
  readonly prepared?: PreparedStatements;
  /** Gets lines for the log. */
  readonly tell?: (line: string) => void;
}

/** One connection of the application's pool, until it is released. */
export class PooledConnection {
  private broken = false;
  private returned = false;

  private constructor(
    readonly client: PostgresClient,
    private readonly prepared?: PreparedStatements,
  ) {
    client.on('error', this.lost);
  }

  /** Takes a connection out of the pool that is in no transaction. Releases a connection that comes too late. */
  static async from(pool: PreparingPool): Promise<PooledConnection> {
    const connecting = freeClient(pool);
    try {
      return new PooledConnection(await timeLimited(connecting, FREE_CONNECTION), pool.prepared);
    } catch (error) {
      connecting.then(
        (client) => {
          client.release();
        },
        () => undefined,
      );
      throw storageFailure(error);
    }
  }

  readonly run: RunStatement = (text, values) =>
    this.ask(() => this.client.query(text, values && [...values]));

  /** Runs a statement outside of a transaction. Runs it again if concurrent transactions prevented it. */
  readonly runAlone: RunStatement = (text, values) =>
    this.askCommitted(async () => {
      try {
        return await (this.prepared && values
          ? this.prepared.query(this.client, text, values)
          : this.client.query(text, values && [...values]));
      } catch (error) {
        if (!mayRunAtOnce(error)) throw error;
        return this.runCommitted(text, values);
      }
    });

  /** At a level that has no serialization failures, whatever the default of the server is. */
  private async runCommitted(text: string, values: readonly unknown[] | undefined): Promise<PostgresResult> {
    await this.client.query(BEGIN_READ_COMMITTED);
    const result = await this.client.query(text, values && [...values]);
    await this.client.query('COMMIT');
    return result;
  }

  /**
   * Runs statements in one round trip and one transaction, after `first`. Undefined if nothing was done: one of them has failed,
   * or the client can run only one at a time.
   */
  async runTogether(
    statements: readonly NamedStatement[],
    first: NamedStatement,
  ): Promise<readonly PostgresResult[] | undefined> {
    const [only, ...more] = statements;
    if (!only) return [];
    if (more.length === 0) return [await this.runAlone(only.text, only.values)];
    if (!runsBatches(this.client)) return undefined;
    const results = await this.askCommitted(() =>
      runBatch(this.client, [first, ...statements]).catch((error: unknown) => {
        if (hasUndoneAll(error)) return undefined;
        throw error;
      }),
    );
    return results?.slice(1);
  }

  /** Asks outside of a transaction. Rejects if there was one: the server undoes it with the end of the connection. */
  private askCommitted<T>(work: () => Promise<T>): Promise<T> {
    return this.ask(async () => {
      const result = await work();
      if (isInTransaction(this.client)) throw new LeftOpenError();
      return result;
    });
  }

  private async ask<T>(work: () => Promise<T>): Promise<T> {
    if (this.broken || this.returned) throw new PaymentsStorageError('The connection to PostgreSQL is gone.');
    try {
      return await timeLimited(work(), 'an answer of PostgreSQL');
    } catch (error) {
      if (error instanceof PaymentsStorageError) this.broken = true;
      throw storageFailure(error);
    }
  }

  /** Releases the connection, once, or closes it if its state is unknown. */
  release(how: 'usable' | 'unknown'): void {
    if (this.returned) return;
    this.returned = true;
    this.client.release(this.broken || how === 'unknown');
    this.client.removeListener('error', this.lost);
  }

  /** Without a listener, a broken connection would end the process. */
  private readonly lost = (): void => {
    this.broken = true;
  };
}

/** Takes a client out of the pool that is in no transaction. */
export function freeClient(pool: PreparingPool): Promise<PostgresClient> {
  const lending: Lending<PostgresClient> = {
    dialect: 'postgres',
    take: () => pool.connect(),
    close: (client) => {
      client.release(true);
    },
  };
  return takeFree(lending, (line) => pool.tell?.(line));
}

/** Lends a connection, and closes it if the work fails: the server rolls back then. */
export async function withConnection<T>(
  pool: PreparingPool,
  work: (connection: PooledConnection) => Promise<T>,
): Promise<T> {
  const connection = await PooledConnection.from(pool);
  try {
    const result = await work(connection);
    connection.release('usable');
    return result;
  } finally {
    connection.release('unknown');
  }
}

/** Runs single statements, each on its own connection and committed at once. */
export function autocommit(pool: PreparingPool): RunStatement {
  return (text, values) => withConnection(pool, (connection) => connection.runAlone(text, values));
}

/** Runs operations that need no transaction of their own: they are one statement, or there is a transaction. */
export function scripts(run: RunStatement): RunScript {
  return async (script) => {
    const statements = statementsOf(script);
    for (let next = statements.next(); ;) {
      if (next.done) return next.value;
      next = statements.next(await run(next.value.text, next.value.values));
    }
  };
}
