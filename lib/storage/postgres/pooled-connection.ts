import { PaymentsStorageError, failureLabel, isPaymentsError } from '../../errors/payments-errors.js';
import { inTime } from '../../common/timing.js';
import { type PostgresClient, type PostgresPool, type PostgresResult } from './postgres-pool.js';

/** Time limit for a connection of the pool, and for the answer to each statement. */
const WITHIN_MS = 4_000;

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

export function answered<T>(work: Promise<T>, what: string): Promise<T> {
  const late = (): Error => new PaymentsStorageError(`Waited ${WITHIN_MS} ms in vain for ${what}.`);
  return inTime(work, performance.now() + WITHIN_MS, late);
}

/** Undefined schema, table and column. */
const NOT_MIGRATED = new Set(['3F000', '42P01', '42703']);
/** An earlier statement failed and aborted the transaction. */
const ABORTED = '25P02';
/** A setting does not exist: `finishAndCommit` finished nothing. */
const NOTHING_FINISHED = '42704';

/** Converts an error of the driver or of PostgreSQL without its texts, which repeat stored data. */
export function storageFailure(error: unknown): Error {
  if (isPaymentsError(error)) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (NOT_MIGRATED.has(code)) {
    return new PaymentsStorageError(
      `The tables of nestjs-payments are missing or older than this version (${code}): call migratePayments(pool) when you ` +
        'deploy, with the same `schema` as postgresStorage().',
    );
  }
  if (code === ABORTED) {
    return new PaymentsStorageError(
      'A statement in the transaction failed and the handler went on, so PostgreSQL undoes everything (25P02): let the error ' +
        'of the statement through, or put the statement behind a SAVEPOINT.',
    );
  }
  if (code === NOTHING_FINISHED) {
    return new PaymentsStorageError(
      'A handler ended the webhook transaction by itself: what it committed stays, nothing was recorded, and the delivery comes ' +
        'again. To prevent a second effect, take COMMIT and ROLLBACK out of what the handler runs.',
    );
  }
  return new PaymentsStorageError(`PostgreSQL did not do what it was asked: ${failureLabel(error)}.`);
}
