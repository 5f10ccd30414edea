import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { answered } from '../sql/answered.js';
import { type RunScript, type SqlResult, type SqlScript, statementsOf } from '../sql/sql-database.js';
import { storageFailure } from './postgres-failure.js';
import { type PostgresClient, type PostgresPool, type PostgresResult } from './postgres-pool.js';

/** Runs one statement. Rejects with a `PaymentsStorageError`. */
export type RunStatement = (text: string, values?: readonly unknown[]) => Promise<PostgresResult>;

/** One connection of the application's pool, until it is released. */
export class PooledConnection {
  private broken = false;
  private returned = false;

  private constructor(readonly client: PostgresClient) {
    client.on('error', this.lost);
  }

  /** Takes a connection out of the pool. Releases a connection that comes too late. */
  static async from(pool: PostgresPool): Promise<PooledConnection> {
    const connecting = pool.connect();
    try {
      return new PooledConnection(await answered(connecting, 'a free connection of the pool'));
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

  readonly run: RunStatement = async (text, values) => {
    if (this.broken || this.returned) throw new PaymentsStorageError('The connection to PostgreSQL is gone.');
    try {
      return await answered(this.client.query(text, values && [...values]), 'an answer of PostgreSQL');
    } catch (error) {
      if (error instanceof PaymentsStorageError) this.broken = true;
      throw storageFailure(error);
    }
  };

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

/** Runs single statements, each on its own connection and committed at once. */
export function autocommit(pool: PostgresPool): RunStatement {
  return async (text, values) => {
    const connection = await PooledConnection.from(pool);
    try {
      const result = await connection.run(text, values);
      connection.release('usable');
      return result;
    } finally {
      connection.release('unknown');
    }
  };
}

/** Runs operations on the pool. One that is all or nothing has a transaction, any other one statement. */
export function pooledScripts(pool: PostgresPool): RunScript {
  const atOnce = scripts(autocommit(pool));
  return (script) => (script.atomic ? inTransaction(pool, script) : atOnce(script));
}

/** Each statement sees what others have committed before it, whatever the default level of the server is. */
async function inTransaction(pool: PostgresPool, script: SqlScript): Promise<SqlResult> {
  const connection = await PooledConnection.from(pool);
  try {
    await connection.run('BEGIN ISOLATION LEVEL READ COMMITTED');
    const result = await scripts(connection.run)(script);
    await connection.run('COMMIT');
    connection.release('usable');
    return result;
  } finally {
    // The server rolls back when the connection closes.
    connection.release('unknown');
  }
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
