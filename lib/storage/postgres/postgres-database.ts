import {
  type HeldKey,
  type RunScript,
  runSteps,
  type SqlDatabase,
  type SqlSession,
} from '../sql/sql-database.js';
import { autocommit, PooledConnection, type RunStatement } from './pooled-connection.js';
import { type PostgresPool } from './postgres-pool.js';
import { textLiteral, MOMENT } from './postgres-text.js';

/**
 * The application's pool of `pg` as a database.
 *
 * @param inbox Name of the inbox's table.
 */
export function postgresDatabase(pool: PostgresPool, inbox: string): SqlDatabase {
  return {
    run: scripts(autocommit(pool)),
    connect: async () => new PostgresSession(await PooledConnection.from(pool), inbox),
  };
}

/** Every operation in PostgreSQL is one statement, so it needs no transaction to be atomic. */
function scripts(run: RunStatement): RunScript {
  return (script) => runSteps(script, ({ text, values }) => run(text, values));
}

/** One connection of the pool. Finish and COMMIT are one message. */
class PostgresSession implements SqlSession {
  readonly run: RunScript;
  readonly handle: unknown;

  constructor(
    private readonly connection: PooledConnection,
    private readonly inbox: string,
  ) {
    this.run = scripts(connection.run);
    this.handle = connection.client;
  }

  begin({ fence }: HeldKey, leaseMs: number): Promise<unknown> {
    return this.connection.run(beginTransaction(fence, leaseMs));
  }

  finishAndCommit(held: HeldKey): Promise<unknown> {
    return this.connection.run(finishAndCommit(this.inbox, held));
  }

  block(): void {
    this.connection.block();
  }

  rollback(): Promise<unknown> {
    return this.connection.run('ROLLBACK');
  }

  release(how: 'usable' | 'unknown'): void {
    this.connection.release(how);
  }
}

/**
 * A setting that lasts until the end of the handler's transaction, to notice a transaction that the handler
 * ended.
 */
const MARK = 'nestjs_payments.claim';
/** A setting that does not exist: reading it makes plain SQL fail on purpose. */
const NOTHING_FINISHED = 'nestjs_payments.nothing_was_finished';

/**
 * Begins the transaction of a handler. The server ends it if it is idle for longer than the lease, so that
 * neither a hanging process nor a dead network holds its locks.
 */
function beginTransaction(fence: string, leaseMs: number): string {
  return `BEGIN;
    SET LOCAL idle_in_transaction_session_timeout = ${Math.ceil(leaseMs)};
    SET LOCAL ${MARK} = '${fence}'`;
}

/**
 * Finishes the entry and commits, in one round trip. If the claim is over, or this is not the begun
 * transaction, the first statement fails and PostgreSQL does not reach the COMMIT.
 *
 * A message of two statements takes no parameters, so it contains the values.
 */
function finishAndCommit(inbox: string, held: HeldKey): string {
  const [account, environment, kind, reference, fence] = [...held.values, held.fence].map(textLiteral);
  return `WITH ${MOMENT}, finished AS (
      UPDATE ${inbox} SET state = 'done', changed_at = now FROM moment
      WHERE account = ${account} AND environment = ${environment} AND kind = ${kind} AND reference = ${reference}
        AND fence = ${fence}::bigint AND state = 'running' AND current_setting('${MARK}', true) = ${fence}
      RETURNING 1
    )
    SELECT CASE WHEN EXISTS (SELECT FROM finished) THEN '' ELSE current_setting('${NOTHING_FINISHED}') END;
    COMMIT`;
}
