import { callOptionErrors, refuseUnknown } from '../../errors/option-errors.js';
import { logMigration } from '../sql/log-migration.js';
import { migrateTables } from './migrate-tables.js';
import { checkedPool, checkedSchema } from './postgres-options.js';
import { type PostgresPool } from './postgres-pool.js';
import { tableNames } from './table-names.js';

/**
 * Options of `migratePayments`.
 *
 * @publicApi
 */
export interface MigratePaymentsOptions {
  /** Schema of the tables; created if missing. The same as in `postgresStorage()`. @default 'public' */
  readonly schema?: string;
}

/**
 * Migrates the package's tables to the version that this package needs.
 *
 * Call it before the application starts, or at every start. Existing data stays, replicas that start together
 * take turns, and a failed migration changes nothing. It needs the right to create tables only if something
 * is missing.
 *
 * A migration waits at most three seconds for the tables, because all other statements wait behind it. If a
 * transaction of the application holds them longer, the migration rolls back, and tries again four times within half
 * a minute.
 *
 * It waits 30 minutes at most for the migration of another process, unless the tables need none. After two
 * seconds, and then once a minute, it logs which process of the server that is. PostgreSQL itself ends a
 * migration whose process says nothing for a minute.
 *
 * It does not change tables of a newer version, so an older replica may call it during a deployment.
 *
 * @throws PaymentsConfigError if an option is wrong or unknown, PaymentsStorageError if this version cannot use the
 * tables of a newer one, or if other transactions hold the tables, or another migration runs for 30 minutes,
 * and the error of `pg` if PostgreSQL refuses.
 *
 * @example
 * ```ts
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * await migratePayments(pool);
 * ```
 *
 * @publicApi
 */
export async function migratePayments(
  pool: PostgresPool,
  options: MigratePaymentsOptions = {},
): Promise<void> {
  refuseUnknown(options, ['schema'], callOptionErrors('migratePayments(pool)'));
  const { schema } = options;
  const names = tableNames(checkedSchema('migratePayments()', schema));
  await migrateTables(checkedPool('migratePayments(pool)', pool), names, { tell: logMigration });
}
