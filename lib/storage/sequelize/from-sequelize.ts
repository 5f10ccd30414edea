import { PaymentsConfigError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { onPool } from '../sql/application-pool.js';
import { CallbackGuard } from '../sql/callback-guard.js';
import {
  type SqlDialect,
  type SqlExecutor,
  type SqlRunner,
  type SqlTransaction,
} from '../sql/sql-executor.js';
import { DRIVER_RESULT_OF, mysql2Statement, runnerBy } from '../sql/driver-result.js';
import { type CheckAnswer, runnerOnPool, takeOwn } from '../sql/own-statements.js';
import { asked, type DriverConnection, guardDriver } from './guarded-driver.js';
import { type SequelizeInstance, type SequelizeTransaction } from './sequelize-instance.js';

/** The dialects of Sequelize that the package has statements for. */
const DIALECTS: Readonly<Record<string, SqlDialect>> = { postgres: 'postgres', mysql: 'mysql' };

/** Connections of its pool, unless the application says a number. */
const USUAL_POOL_SIZE = 5;

const NESTED =
  'Sequelize gives a nested transaction inside of another one the same savepoint, so the ROLLBACK of the outer one would keep its writes: ' +
  'take sequelize.transaction({ transaction }) out of the handler, or write SAVEPOINT as SQL (findOrCreate is fine).';
const ROLLED_BACK =
  'The webhook transaction ended while a handler ran: by transaction.rollback(), which Sequelize calls after a deadlock too. Take it out of the ' +
  'handler, and let the error of a deadlock through. To undo everything, throw an error.';

/** What the types of Sequelize do not show. */
interface SequelizeParts extends SequelizeInstance {
  readonly connectionManager: {
    getConnection(options?: object): Promise<DriverConnection>;
    releaseConnection(connection: DriverConnection): void;
    destroyConnection(connection: DriverConnection): Promise<void>;
  };
  readonly options?: { readonly pool?: { readonly max?: number } };
}
interface TransactionParts extends SequelizeTransaction {
  readonly connection: DriverConnection;
  readonly sequelize: unknown;
  /** How it ended. */
  finished?: string | undefined;
  /** Gives the connection back. */
  cleanup: () => void;
  /** Closes the connection. */
  forceCleanup: () => Promise<void>;
  /** What it was begun with: `where` in `findOrCreate`. */
  readonly options: { readonly where?: unknown };
  /** A nested transaction adds itself here before it begins. */
  readonly savepoints: { push: (nested: TransactionParts) => number };
}

/**
 * Lets the package use the application's Sequelize 6 on `pg` or `mysql2`: its pool, and in a handler its `Transaction`, which
 * models take as `{ transaction }`.
 *
 * COMMIT and ROLLBACK are refused in a handler, also as `transaction.commit()`, and statements that still come when the
 * handlers have ended. So are nested transactions: Sequelize gives one inside of another one the same savepoint, so the
 * ROLLBACK of the outer one would keep its writes. The one that `findOrCreate` begins is fine.
 *
 * @throws PaymentsConfigError if `sequelize` is no instance of Sequelize, or its database is not supported.
 *
 * @example
 * ```ts
 * const storage = sqlStorage({ executor: fromSequelize(sequelize), transactional: true });
 * ```
 *
 * @publicApi
 */
export function fromSequelize(sequelize: SequelizeInstance): SqlExecutor {
  const dialect = dialectOf(sequelize);
  const { connectionManager, options } = sequelize as SequelizeParts;
  takeFreeConnections(connectionManager, dialect);
  return {
    dialect,
    ...onPool(connectionManager, options?.pool?.max ?? USUAL_POOL_SIZE),
    ...runnerOnPool(lendingOf(connectionManager, dialect), (connection, check) =>
      runOn(() => connection, dialect, check),
    ),
    transaction: async (work, { isolationLevel } = {}) => {
      const options = isolationLevel && { isolationLevel: isolationLevel.toUpperCase() as never };
      const transaction = (await sequelize.transaction(options)) as TransactionParts;
      // Nested transactions are refused: savepoints that a handler writes itself are its own.
      const guard = new CallbackGuard(dialect);
      const { connection, commit, rollback } = boundEnds(transaction);
      const own = guardDriver(connection, guard);
      guardEnds(transaction, guard);
      try {
        await guard.begin(own);
        const runner = runOn(() => connection, dialect);
        const result = await guard.during(() => work(guard.transaction(runner, transaction)));
        await guard.own(commit);
        return result;
      } catch (error) {
        // After a COMMIT that failed, Sequelize has closed the connection.
        if (!guard.isOver) await guard.own(rollback).catch(() => undefined);
        throw error;
      }
    },
    wrapTransaction: (handle) => wrapped(handle, sequelize, dialect),
  };
}

function dialectOf(sequelize: Partial<SequelizeParts> | null | undefined): SqlDialect {
  if (typeof sequelize?.getDialect !== 'function' || !sequelize.connectionManager) {
    throw new PaymentsConfigError(
      'fromSequelize(sequelize) needs an instance of Sequelize 6: inject Sequelize, or write new Sequelize(url, options).',
    );
  }
  const name = sequelize.getDialect();
  const dialect = Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined;
  if (dialect !== undefined) return dialect;
  throw new PaymentsConfigError(
    `fromSequelize(sequelize) has no statements for the dialect ${name} of Sequelize: it must be ${Object.keys(DIALECTS).join(' or ')}, ` +
      'and mysql works with MariaDB too.',
  );
}

type Manager = SequelizeParts['connectionManager'];

function lendingOf(manager: Manager, dialect: SqlDialect, take = () => manager.getConnection()) {
  return {
    dialect,
    take,
    release: (connection: DriverConnection) => {
      manager.releaseConnection(connection);
    },
    close: (connection: DriverConnection) => manager.destroyConnection(connection),
  };
}

/** Those that take free connections, however many executors each gets. */
const takeFree = new WeakSet<Manager>();

/** Sequelize takes the connection of a transaction by itself. What the application takes stays as it is. */
function takeFreeConnections(manager: Manager, dialect: SqlDialect): void {
  if (takeFree.has(manager)) return;
  takeFree.add(manager);
  const take = manager.getConnection.bind(manager);
  manager.getConnection = (options) => takeOwn(lendingOf(manager, dialect, () => take(options)));
}

function runOn(
  connectionOf: () => DriverConnection,
  dialect: SqlDialect,
  check: CheckAnswer = () => undefined,
): SqlRunner {
  return runnerBy(async (text, params = []) => {
    const connection = connectionOf();
    const statement = dialect === 'mysql' ? mysql2Statement(text) : text;
    const answer = await asked(connection.query.bind(connection), statement, [...params]);
    check(answer as Parameters<CheckAnswer>[0]);
    return DRIVER_RESULT_OF[dialect]((dialect === 'mysql' ? [answer] : answer) as never);
  });
}

function boundEnds(transaction: TransactionParts) {
  const rollback = transaction.rollback.bind(transaction);
  return {
    connection: transaction.connection,
    commit: transaction.commit.bind(transaction),
    rollback: () => {
      // After a deadlock Sequelize believes that it has rolled back, and would keep the connection.
      transaction.finished = undefined;
      return rollback();
    },
  };
}

function guardEnds(transaction: TransactionParts, guard: CallbackGuard): void {
  const cleanup = transaction.cleanup.bind(transaction);
  const forceCleanup = transaction.forceCleanup.bind(transaction);
  Object.assign(transaction, {
    commit: () => guard.refuseEnd(),
    rollback: () => Promise.reject(guard.refusal(ROLLED_BACK)),
    // Sequelize calls them after its COMMIT and ROLLBACK.
    cleanup: () => {
      if (!guard.isOwn) throw guard.refusal();
      if (guard.isReadOnly) forceCleanup().catch(() => undefined);
      else cleanup();
    },
    forceCleanup: () => (guard.isOwn ? forceCleanup() : guard.refuseEnd()),
  } satisfies Partial<TransactionParts>);
  transaction.savepoints.push = (inner) => {
    // findOrCreate passes all its options on. It never ends its savepoint, so nothing can be lost with it.
    if (inner.options.where === undefined) throw guard.refusal(NESTED);
    guardEnds(inner, guard);
    return 1;
  };
}

function wrapped(handle: unknown, sequelize: SequelizeInstance, dialect: SqlDialect): SqlTransaction {
  const given = handle as Partial<TransactionParts> | null | undefined;
  if (!given?.connection || given.finished !== undefined) {
    throw new PaymentsConfigError(
      'Sequelize needs an open transaction here: write sequelize.transaction((transaction) => …) and give that transaction.',
    );
  }
  if (given.sequelize !== sequelize) {
    throw new PaymentsConfigError(
      'The transaction is of another Sequelize than fromSequelize() has: give one that belongs to the same.',
    );
  }
  const { connection } = given;
  const open = (): DriverConnection => {
    if (given.finished === undefined) return connection;
    throw new PaymentsStorageError('The transaction of Sequelize has ended: await enlist… before its end.');
  };
  return { ...runOn(open, dialect), handle };
}
