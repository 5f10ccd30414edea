import { PaymentsStorageError, failureLabel, isPaymentsError } from '../../errors/payments-errors.js';
import { inTime } from '../../common/timing.js';
import { type PostgresClient, type PostgresPool, type PostgresResult } from './postgres-pool.js';

/** Time limit for a connection of the pool, and for the answer to each statement. */
const WITHIN_MS = 4_000;

/** Runs one statement. Rejects with a `PaymentsStorageError`. */
export type RunStatement = (text: string, values?: readonly unknown[]) => Promise<PostgresResult>;

/** One connection of the application's pool, until it is released. */
export class PooledConnection {
  private readonly releaseClient: PostgresClient['release'];
  private query: PostgresClient['query'] = (text, values) => this.client.query(text, values);
  private broken = false;
  private returned = false;

  private constructor(readonly client: PostgresClient) {
    this.releaseClient = client.release.bind(client);
    // A handler that released it would pass the open transaction to the next user.
    client.release = () => {
      throw new PaymentsStorageError(
        'The connection of the webhook transaction is given back after the handlers: take release() out of the handler.',
      );
    };
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
      return await answered(this.query(text, values && [...values]), 'an answer of PostgreSQL');
    } catch (error) {
      if (error instanceof PaymentsStorageError) this.broken = true;
      throw storageFailure(error);
    }
  };

  /**
   * Refuses all further statements of the client, which would commit outside of the transaction. Only for a
   * connection that is closed afterwards.
   */
  block(): void {
    this.query = this.client.query.bind(this.client);
    this.client.query = () =>
      Promise.reject(
        new PaymentsStorageError(
          'The webhook transaction is over because a handler failed: await everything that a handler began, before its error ' +
            'is thrown (Promise.allSettled in the place of Promise.all).',
        ),
      );
  }

  /** Releases the connection, once, or closes it if its state is unknown. */
  release(how: 'usable' | 'unknown'): void {
    if (this.returned) return;
    this.returned = true;
    this.releaseClient(this.broken || how === 'unknown');
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

function answered<T>(work: Promise<T>, what: string): Promise<T> {
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
        "again. To prevent a second effect, take COMMIT and ROLLBACK out of the handler, and an ORM's transaction() on " +
        'context.transaction, which sends them (SAVEPOINT and ROLLBACK TO are fine).',
    );
  }
  return new PaymentsStorageError(`PostgreSQL did not do what it was asked: ${failureLabel(error)}.`);
}
