import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { onPool } from '../sql/application-pool.js';
import { DRIVER_RESULT_OF, mysql2Statement, runnerBy } from '../sql/driver-result.js';
import { type CheckAnswer, mysql2Lending, runnerOnPool } from '../sql/own-statements.js';
import { type SqlExecutor, type SqlRunner } from '../sql/sql-executor.js';
import { TransactionGuard } from '../sql/transaction-guard.js';
import { guardedView } from './guarded-connection.js';
import { type Mysql2Connection, type Mysql2Pool, type Mysql2Value } from './mysql2-pool.js';

/**
 * Lets the package use the application's pool of `mysql2/promise`, on MySQL or MariaDB. In a handler,
 * `context.transaction` is a connection of it (`PoolConnection`).
 *
 * COMMIT, ROLLBACK and `release()` are refused in a handler, and statements that still come when the handlers have ended.
 *
 * @throws PaymentsConfigError if `pool` is no pool of `mysql2/promise`.
 *
 * @example
 * ```ts
 * const storage = sqlStorage({ executor: fromMysql2(mysqlPool), transactional: true });
 * ```
 *
 * @publicApi
 */
export function fromMysql2(pool: Mysql2Pool): SqlExecutor {
  const given = checked(pool);
  const lending = mysql2Lending(given);
  return {
    dialect: 'mysql',
    ...onPool(given),
    ...runnerOnPool(lending, runOn),
    transaction: async (work, { isolationLevel } = {}) => {
      const connection = await given.getConnection();
      try {
        if (isolationLevel) {
          await connection.query(`SET TRANSACTION ISOLATION LEVEL ${isolationLevel.toUpperCase()}`);
        }
        await connection.query('START TRANSACTION');
        // A deadlock ends the transaction: what comes after it would be committed at once.
        await connection.query('SET autocommit = 0');
      } catch (error) {
        connection.destroy();
        throw error;
      }
      const guard = new TransactionGuard('mysql');
      const view = guardedView(connection, guard);
      const ends = {
        commit: () => view.query('COMMIT'),
        rollback: () => view.query('ROLLBACK'),
        send: (text: string) => connection.query(text),
        release: () => lending.release(connection, false),
        discard: () => lending.close(connection),
      };
      return guard.ending(ends, () => work(guard.transaction(runOn(view), view)));
    },
    wrapTransaction: (handle) => {
      const connection = checkedConnection(handle);
      return { ...runOn(connection), handle: connection };
    },
  };
}

function checked(pool: unknown): Mysql2Pool {
  const given = pool as (Partial<Mysql2Pool> & { readonly promise?: unknown }) | null | undefined;
  if (typeof given?.getConnection === 'function' && typeof given.promise !== 'function') {
    return given as Mysql2Pool;
  }
  throw new PaymentsConfigError(
    "fromMysql2(pool) needs a pool of mysql2/promise: write createPool(url) of 'mysql2/promise', or pool.promise() of the other one.",
  );
}

function checkedConnection(handle: unknown): Mysql2Connection {
  const given = handle as (Partial<Mysql2Connection> & Partial<Mysql2Pool>) | null | undefined;
  const isConnection =
    typeof given?.query === 'function' && typeof given.execute === 'function' && !given.getConnection;
  if (isConnection) return given as Mysql2Connection;
  throw new PaymentsConfigError(
    'mysql2 needs the connection of an open transaction here: write const connection = await pool.getConnection(), and ' +
      'connection.beginTransaction() before it.',
  );
}

/**
 * Lists, and pages of any length: each length would be one more statement that the server keeps for the connection, and it
 * keeps only so many for all of its clients.
 */
const VARIES = /\bIN \(\?|\), \(|\bWHEN \?|\bLIMIT\b/;

function runOn(connection: Mysql2Connection, check: CheckAnswer = () => undefined): SqlRunner {
  return runnerBy(async (text, params = []) => {
    const values = [...params] as Mysql2Value[];
    // Not every statement can be prepared: SAVEPOINT, for example. None of those has parameters.
    const isPrepared = values.length > 0 && !VARIES.test(text);
    const statement = mysql2Statement(text);
    const answer = await (isPrepared
      ? connection.execute(statement, values)
      : connection.query(statement, values));
    check(answer[0] as Parameters<CheckAnswer>[0]);
    return DRIVER_RESULT_OF.mysql(answer as never);
  });
}
