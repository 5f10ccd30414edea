import { callOptionErrors, refuseUnknown } from '../../errors/option-errors.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { readAll } from '../../errors/wrong-options.js';
import { checkSwitches } from '../check-switches.js';
import { type PaymentsStorage } from '../payments-storage.js';
import { checkedSchema, poolWarnings } from '../postgres/postgres-options.js';
import { mysqlDialect } from '../mysql/mysql-dialect.js';
import { postgresDialect } from '../postgres/postgres-dialect.js';
import { tableNames } from '../postgres/table-names.js';
import { type ExecutorDialect } from '../sql/executor-dialect.js';
import { type SqlExecutor } from '../sql/sql-executor.js';
import { logMigration } from '../sql/log-migration.js';
import { logOnce } from '../sql/log-once.js';
import { ownExecutor } from '../sql/own-statements.js';
import { sqlParts } from '../sql/sql-parts.js';
import { tablesAtBoot } from '../sql/tables-at-boot.js';
import { executorDatabase } from './executor-database.js';

/**
 * Options of `sqlStorage`.
 *
 * @publicApi
 */
export interface SqlStorageOptions {
  /** The application's database: `fromTypeOrm(dataSource)`, or another executor. It is never closed. */
  readonly executor: SqlExecutor;
  /**
   * Gives every webhook handler an open transaction as `context.transaction`: the ORM's own object for it, for example an
   * `EntityManager`. The handler's writes there, the record that it ran and the outcome in the journal are committed
   * together or not at all.
   *
   * A handler holds a connection of the application's pool while it runs. Keep handlers short. Deliveries hold half of the
   * pool at most (`poolSize` of the executor). The others wait in order, for four seconds at most; then they are answered 503
   * and come again. @default false
   */
  readonly transactional?: boolean;
  /** Schema of the tables in PostgreSQL. The same as in `migrateSqlStorage()`. @default 'public' */
  readonly schema?: string;
  /**
   * Calls {@link migrateSqlStorage} at boot: the application does not start before the tables are there. If they cannot
   * be made, the boot rejects with a `PaymentsStorageError`, which names the code of the database and not its words. Its
   * role then needs the right to create tables. Without it, migrate when you deploy.
   * @default false
   */
  readonly migrate?: boolean;
}

/**
 * Options of `migrateSqlStorage`.
 *
 * @publicApi
 */
export type MigrateSqlStorageOptions = Pick<SqlStorageOptions, 'schema'>;

const OPTIONS = ['executor', 'transactional', 'schema', 'migrate'];
const HERE = 'sqlStorage({ executor })';

/**
 * Stores payments and webhooks in the application's own database, through what the application already uses to reach it.
 *
 * It needs the tables of `migrateSqlStorage()`, and reads their version while the application boots, which does not wait
 * for it. Without `transactional`, a repeated delivery is not handled twice, unless a
 * handler outlives its lease or the process dies between the handler's effect and its record: make the effect
 * idempotent. With it, what handlers write through `context.transaction` happens exactly once for one event,
 * whatever crashes.
 *
 * Entries never expire: call `PaymentsInbox.purge()` and `PaymentsJournal.purge()` from a scheduled job.
 *
 * @throws PaymentsConfigError if an option is missing, wrong or unknown.
 *
 * @example
 * ```ts
 * PaymentsModule.forRootAsync({
 *   inject: [DataSource],
 *   useFactory: (dataSource: DataSource) => ({
 *     ...options,
 *     storage: sqlStorage({ executor: fromTypeOrm(dataSource), transactional: true }),
 *   }),
 * });
 * ```
 *
 * ```ts
 * @OnPayment('payment.success')
 * async paid({ data }: PaymentWebhookEvent, { transaction }: PaymentEventContext<EntityManager>) {
 *   const order = await transaction.findOneByOrFail(Order, { reference: data.reference, amount: data.amount });
 *   await transaction.update(Order, { reference: order.reference }, { paid: true });
 * }
 * ```
 *
 * @publicApi
 */
export function sqlStorage(options: SqlStorageOptions): PaymentsStorage {
  const { transactional, schema, migrate, ...given } = checked(options);
  const executor = ownExecutor(given.executor, logOnce());
  const dialect = dialectOf(executor, HERE, schema);
  const database = executorDatabase(executor, dialect, async () => {
    await dialect.checkSettings?.(executor);
    if (migrate) await dialect.migrate(executor, logMigration);
    await dialect.checkTables(executor);
  });
  return {
    ...sqlParts(executor.dialect, database, dialect.statements, transactional),
    ...(transactional && {
      warnings: poolWarnings('sqlStorage({ executor, transactional: true })', executor.poolSize),
    }),
    open: async () => {
      if (migrate) return tablesAtBoot('sqlStorage({ executor, migrate: true })', database.prepare);
      // Transactions of the application may hold all connections later. If it fails, the first use tries again.
      database.prepare().catch(() => undefined);
    },
  };
}

/**
 * Migrates the package's tables to the version that this package needs.
 *
 * Call it before the application starts, or at every start. Existing data stays, replicas that start together take
 * turns, and a failed migration changes nothing. It does not change tables of a newer version, so an older replica may
 * call it during a deployment.
 *
 * It waits 30 minutes at most for the migration of another process, unless the tables need none. After two seconds, and
 * then once a minute, it logs which connection of the server that is.
 *
 * @throws PaymentsConfigError if an option is wrong or unknown, PaymentsStorageError if this version cannot use the tables of a
 * newer one, if other transactions hold the tables, or if another migration runs for 30 minutes, and the error of the
 * driver if the database refuses.
 *
 * @example
 * ```ts
 * const dataSource = await new DataSource({ type: 'postgres', url: process.env.DATABASE_URL }).initialize();
 * await migrateSqlStorage(fromTypeOrm(dataSource));
 * ```
 *
 * @publicApi
 */
export async function migrateSqlStorage(
  executor: SqlExecutor,
  options: MigrateSqlStorageOptions = {},
): Promise<void> {
  const where = 'migrateSqlStorage(executor)';
  refuseUnknown(options, ['schema'], callOptionErrors(where));
  const own = ownExecutor(checkedExecutor(where, executor), logMigration);
  await dialectOf(own, where, options.schema).migrate(own, logMigration);
}

function checked(options: Partial<SqlStorageOptions> | undefined) {
  // Alone: an executor in place of the options has names that are no options.
  const executor = checkedExecutor(HERE, options?.executor);
  const { transactional = false, migrate = false, schema } = options ?? {};
  readAll({
    switches: () => {
      checkSwitches(HERE, { transactional, migrate });
    },
    names: () => {
      refuseUnknown(options, OPTIONS, callOptionErrors(HERE));
    },
  });
  if (transactional) checkPool(executor);
  return { executor, transactional, migrate, schema };
}

function checkedExecutor(where: string, executor: unknown): SqlExecutor {
  const given = executor as Partial<SqlExecutor> | null | undefined;
  const methods = ['query', 'execute', 'transaction', 'wrapTransaction'] as const;
  if (methods.every((name) => typeof given?.[name] === 'function')) return given as SqlExecutor;
  throw new PaymentsConfigError(
    `${where} needs an executor: write for example fromTypeOrm(dataSource), from nestjs-payments/typeorm.`,
  );
}

/** What is wrong there would keep every delivery waiting. */
function checkPool({ pool = {}, poolSize = Infinity }: SqlExecutor): void {
  if (typeof pool !== 'object') {
    throw new PaymentsConfigError(
      `The pool of the executor of ${HERE} must be an object: give the pool itself, or leave it out.`,
    );
  }
  if (typeof poolSize === 'number' && poolSize >= 1) return;
  throw new PaymentsConfigError(
    `The poolSize of the executor of ${HERE} must be the number of connections of its pool, 1 or more: write for example ` +
      '{ ...fromKysely(db), poolSize: 20 }, or leave it out.',
  );
}

function dialectOf({ dialect }: SqlExecutor, where: string, schema: string | undefined): ExecutorDialect {
  switch (dialect) {
    case 'postgres':
      return postgresDialect(tableNames(checkedSchema(where, schema)), {
        migrate: 'migrateSqlStorage(executor)',
        storage: 'sqlStorage()',
      });
    case 'mysql':
      if (schema === undefined) return mysqlDialect();
      throw new PaymentsConfigError(
        `The option schema of ${where} is for PostgreSQL: MySQL's tables are in the database of the connection.`,
      );
    default:
      throw new PaymentsConfigError(
        `${where} has no statements for the dialect ${String(dialect)} of the executor: it must be postgres or mysql.`,
      );
  }
}
