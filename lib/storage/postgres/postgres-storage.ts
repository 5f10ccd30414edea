import { checkSwitches } from '../check-switches.js';
import { type PaymentsStorage } from '../payments-storage.js';
import { callOptionErrors, refuseUnknown } from '../../errors/option-errors.js';
import { readAll } from '../../errors/wrong-options.js';
import { poolSizeOf } from '../sql/application-pool.js';
import { logMigration } from '../sql/log-migration.js';
import { logOnce } from '../sql/log-once.js';
import { sqlParts } from '../sql/sql-parts.js';
import { tablesAtBoot } from '../sql/tables-at-boot.js';
import { migrateTables } from './migrate-tables.js';
import { postgresDatabase } from './postgres-database.js';
import { postgresStatements } from './postgres-dialect.js';
import { OF_POOL } from './postgres-failure.js';
import { checkedPool, checkedSchema, poolWarnings } from './postgres-options.js';
import { type PostgresPool } from './postgres-pool.js';
import { tableNames } from './table-names.js';
import { PreparedStatements } from './prepared-statements.js';
import { checkVersion, withCheckedTables } from './tables-version.js';

/**
 * Options of `postgresStorage`.
 *
 * @publicApi
 */
export interface PostgresStorageOptions {
  /**
   * The application's pool of `pg`. The package never ends it: end it after `app.close()`, or in
   * `onApplicationShutdown` of a `@Global()` module that is imported before `PaymentsModule`, because the package still
   * writes running payments and webhooks while the application stops.
   */
  readonly pool: PostgresPool;
  /**
   * Gives every webhook handler an open transaction as `context.transaction` (a `PoolClient` of `pg`). The
   * handler's writes there, the record that it ran and the outcome in the journal are committed together or
   * not at all. Code that is injected takes part if its ORM uses the pool through {@link paymentsPool} or
   * {@link typeOrmDriver}; writes through another pool take no part. BEGIN and COMMIT in a handler, also those
   * of an ORM's own `transaction()`, begin and end a savepoint. COMMIT without BEGIN is refused.
   *
   * Every delivery holds one connection of the pool while its handlers run. A handler that pays or queries
   * the journal needs a second one, so deliveries hold half of the pool at most. The others wait in order, for
   * four seconds at most; then they are answered 503 and come again.
   * @default false
   */
  readonly transactional?: boolean;
  /** Schema of the tables, the same as in `migratePayments()`. @default 'public' */
  readonly schema?: string;
  /**
   * Calls {@link migratePayments} at boot: the application does not start before the tables are there. If they cannot
   * be made, the boot rejects with a `PaymentsStorageError`, which names the code of the database and not its words. Its
   * role then needs the right to create tables. Without it, migrate when you deploy.
   * @default false
   */
  readonly migrate?: boolean;
  /**
   * Prepares the statements that are asked often and alone, once for each connection: PostgreSQL plans them less often, and a
   * payment takes a third of the CPU that it took the server before. Left out: yes, if the connections end at the server itself
   * (behind a pooler such as PgBouncer they do not, which the package notices) and the journal is larger than 1 MB. True is for
   * a pooler that keeps prepared statements (PgBouncer from 1.21 on with `max_prepared_statements`); false for clients whose
   * `query` takes texts only. If a connection has lost them (`DISCARD ALL`), this process continues without.
   *
   * Prepared statements of payments and webhooks that wait for a connection at the same time share a round trip and a commit.
   * @default found out while it is used
   */
  readonly preparedStatements?: boolean;
}

const OPTIONS = ['pool', 'transactional', 'schema', 'migrate', 'preparedStatements'];

type CheckedOptions = Required<Omit<PostgresStorageOptions, 'preparedStatements'>> &
  Pick<PostgresStorageOptions, 'preparedStatements'>;

/**
 * Stores payments and webhooks in PostgreSQL, shared by all replicas. `migratePayments(pool)` creates the
 * tables. Only the server's clock counts. Each process checks the version of the tables
 * (`payments_migrations`) at its first use. It refuses older tables, and newer ones that this version may not
 * use, with a `PaymentsStorageError` before sending anything.
 *
 * Without `transactional`, a repeated delivery is not handled twice, unless a handler outlives its lease or
 * the process dies between the handler's effect and its record: make the effect idempotent. With it, effects
 * in the same database happen exactly once for one event, whatever crashes. Effects outside of it (mails, calls) are not
 * covered. A commit of the package is on the server's disk, even if `synchronous_commit` is off. Whether it
 * survives a fail-over to another server depends on that setting and on the application's replication.
 *
 * Entries never expire: call `PaymentsInbox.purge()` and `PaymentsJournal.purge()` from a scheduled job.
 *
 * @throws PaymentsConfigError if an option is missing, wrong or unknown.
 *
 * @example
 * ```ts
 * PaymentsModule.forRootAsync({
 *   inject: [Pool],
 *   useFactory: (pool: Pool) => ({ ...options, storage: postgresStorage({ pool, transactional: true }) }),
 * });
 * ```
 *
 * ```ts
 * @OnPayment('payment.success')
 * async paid({ data }: PaymentWebhookEvent, { transaction }: PaymentEventContext) {
 *   const client = transaction as PoolClient;
 *   const { rowCount } = await client.query(
 *     'UPDATE orders SET paid = true WHERE reference = $1 AND amount = $2',
 *     [data.reference, data.amount],
 *   );
 *   if (rowCount !== 1) throw new Error('No order has this reference and amount.');
 * }
 * ```
 *
 * @publicApi
 */
export function postgresStorage(options: PostgresStorageOptions): PaymentsStorage {
  const { pool, transactional, schema, migrate, preparedStatements } = checked(options);
  const names = tableNames(schema);
  const tables = withCheckedTables(
    pool,
    {
      check: (run) => checkVersion(async (text) => (await run(text)).rows, names, OF_POOL),
      tell: logOnce(),
      ...(migrate && { migrate: () => migrateTables(pool, names, { tell: logMigration }) }),
    },
    new PreparedStatements(preparedStatements, names),
  );
  const database = postgresDatabase(tables, names, pool);
  return {
    ...sqlParts('postgres', database, postgresStatements(names), transactional),
    ...(transactional && {
      warnings: poolWarnings('postgresStorage({ pool, transactional: true })', poolSizeOf(pool)),
    }),
    ...(migrate && { open: () => tablesAtBoot('postgresStorage({ pool, migrate: true })', tables.prepare) }),
  };
}

function checked(options: Partial<PostgresStorageOptions> | undefined): CheckedOptions {
  const where = 'postgresStorage({ pool })';
  // Alone: a pool in place of the options has many names that are no options.
  const pool = checkedPool(where, options?.pool);
  const { transactional = false, migrate = false, preparedStatements } = options ?? {};
  const switches = {
    transactional,
    migrate,
    ...(preparedStatements !== undefined && { preparedStatements }),
  };
  const { schema } = readAll({
    schema: () => checkedSchema(where, options?.schema),
    switches: () => {
      checkSwitches(where, switches);
    },
    names: () => {
      refuseUnknown(options, OPTIONS, callOptionErrors(where));
    },
  });
  return { pool, ...switches, schema };
}
