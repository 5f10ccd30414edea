import { PaymentsConfigError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { onPool, poolSizeOf } from '../sql/application-pool.js';
import { runnerBy } from '../sql/driver-result.js';
import { type CheckAnswer, runnerOnPool, takeOwn } from '../sql/own-statements.js';
import {
  type SqlDialect,
  type SqlExecutor,
  type SqlRunner,
  type SqlTransactionOptions,
} from '../sql/sql-executor.js';
import { closeRunner, RunnerGuard } from './guarded-runner.js';
import {
  type TypeOrmDataSource,
  type TypeOrmQueryRunner,
  type TypeOrmResult,
} from './typeorm-data-source.js';

/** The types of TypeORM that the package has statements for. */
const DIALECTS: Readonly<Record<string, SqlDialect>> = {
  postgres: 'postgres',
  mysql: 'mysql',
  mariadb: 'mysql',
};

/** For a pool of `pg`, which closes a connection if it gets an error. */
const CLOSED =
  'nestjs-payments closed the connection: a transaction was left open on it, or its server takes no writes.';

type IsolationLevel = Uppercase<NonNullable<SqlTransactionOptions['isolationLevel']>>;

/** What is read of a data source: its pool of `pg` or `mysql2`. A cluster of `mysql2` has one that does not tell. */
interface PooledDataSource extends TypeOrmDataSource {
  readonly driver?: { readonly master?: object; readonly pool?: object };
  readonly options: TypeOrmDataSource['options'] & ClusterOptions;
}
interface ClusterOptions {
  readonly poolSize?: unknown;
  readonly replication?: { readonly master?: { readonly poolSize?: unknown } };
}

/** What a runner has that its interface does not show. */
interface ConnectingRunner extends TypeOrmQueryRunner {
  readonly databaseConnection?: object;
  connect?(): Promise<unknown>;
}
interface RawResult extends TypeOrmResult {
  /** The answer of the driver. */
  readonly raw?: Parameters<CheckAnswer>[0];
}

/** What is read of an `EntityManager`. TypeORM 0.3 calls its data source a connection. */
interface ManagerParts {
  readonly queryRunner?: TypeOrmQueryRunner;
  readonly dataSource?: unknown;
  readonly connection?: unknown;
}

/**
 * Lets the package use the application's `DataSource` of TypeORM 0.3 or 1: its connections, and in a handler its
 * `EntityManager`, with everything that comes from it (`transaction.getRepository(Order)`, `transaction.transaction()`,
 * which makes a savepoint).
 *
 * COMMIT, ROLLBACK and the release of the connection are refused in a handler, and statements that still come when the
 * handlers have ended.
 *
 * @throws PaymentsConfigError if `dataSource` is no initialized `DataSource`, or its database is not supported.
 *
 * @example
 * ```ts
 * const storage = sqlStorage({ executor: fromTypeOrm(dataSource), transactional: true });
 * ```
 *
 * @publicApi
 */
export function fromTypeOrm(dataSource: TypeOrmDataSource): SqlExecutor {
  const dialect = dialectOf(dataSource);
  const { driver, options } = dataSource as PooledDataSource;
  const pool = driver?.master ?? driver?.pool;
  const connectionLimit = options.replication?.master?.poolSize ?? options.poolSize;
  const lending = lendingOf(dataSource, dialect);
  return {
    dialect,
    ...(pool ? onPool(pool) : onPool(dataSource, poolSizeOf({ config: { connectionLimit } }))),
    ...runnerOnPool(lending, runOn),
    transaction: async (work, { isolationLevel } = {}) => {
      const runner = await takeOwn(lending);
      await begin(runner, dialect, isolationLevel?.toUpperCase() as IsolationLevel | undefined);
      const guard = new RunnerGuard(runner, dialect);
      return guard.ending(guard.ends, () => work(guard.transaction(runOn(runner), runner.manager)));
    },
    wrapTransaction: (handle) => {
      const runner = runnerOf(handle, dataSource);
      return { ...runOn(runner), handle: runner.manager };
    },
  };
}

function dialectOf(dataSource: Partial<TypeOrmDataSource> | null | undefined): SqlDialect {
  if (typeof dataSource?.createQueryRunner !== 'function' || !dataSource.options) {
    throw new PaymentsConfigError(
      'fromTypeOrm(dataSource) needs a DataSource of TypeORM: inject DataSource, or write new DataSource({ type, … }).',
    );
  }
  const { type } = dataSource.options;
  const dialect = Object.hasOwn(DIALECTS, type) ? DIALECTS[type] : undefined;
  if (dialect === undefined) {
    throw new PaymentsConfigError(
      `fromTypeOrm(dataSource) has no statements for the database type ${type}: it must be ${Object.keys(DIALECTS).join(', ')}.`,
    );
  }
  if (!dataSource.isInitialized) {
    throw new PaymentsConfigError(
      'fromTypeOrm(dataSource) needs an initialized DataSource: write await dataSource.initialize() before it, or inject DataSource.',
    );
  }
  return dialect;
}

/** A runner has no connection before its first statement, unless it is asked for it. */
function lendingOf(dataSource: TypeOrmDataSource, dialect: SqlDialect) {
  return {
    dialect,
    take: async () => {
      const runner: ConnectingRunner = dataSource.createQueryRunner('master');
      if (dialect === 'postgres') await runner.connect?.();
      return runner;
    },
    clientOf: (runner: ConnectingRunner) => runner.databaseConnection,
    release: (runner: TypeOrmQueryRunner) => runner.release(),
    close: (runner: TypeOrmQueryRunner) => closeRunner(runner, new PaymentsStorageError(CLOSED)),
  };
}

async function begin(
  runner: TypeOrmQueryRunner,
  dialect: SqlDialect,
  level: IsolationLevel | undefined,
): Promise<void> {
  try {
    await runner.startTransaction(level);
    // A deadlock ends the transaction: what comes after it would be committed at once.
    if (dialect === 'mysql') await runner.query('SET autocommit = 0', undefined, true);
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined);
    await runner.release();
    throw error;
  }
}

/** `query()` of TypeORM gives rows, or rows and their number, by the kind of the statement: a structured result has both. */
function runOn(runner: TypeOrmQueryRunner, check: CheckAnswer = () => undefined): SqlRunner {
  return runnerBy(async (text, params) => {
    const result: RawResult = await runner.query(text, params && [...params], true);
    check(result.raw);
    return { rows: result.records, affectedRows: result.affected ?? 0 };
  });
}

function runnerOf(handle: unknown, dataSource: TypeOrmDataSource): TypeOrmQueryRunner {
  const { queryRunner, dataSource: source, connection } = (handle ?? {}) as ManagerParts;
  if (!queryRunner?.isTransactionActive) {
    throw new PaymentsConfigError(
      'TypeORM needs the EntityManager of an open transaction here: write dataSource.transaction((manager) => …) and give that manager.',
    );
  }
  if ((source ?? connection) !== dataSource) {
    throw new PaymentsConfigError(
      'The EntityManager is of another DataSource than fromTypeOrm() has: give one that belongs to the same.',
    );
  }
  return queryRunner;
}
