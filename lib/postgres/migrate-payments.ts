import { migrateTables } from './migrate-tables.js';
import { checkedPool, checkedSchema } from './postgres-options.js';
import { type PostgresPool } from './postgres-pool.js';
import { tableNames } from './table-names.js';

/**
 * Where the tables are to stand.
 *
 * @publicApi
 */
export interface MigratePaymentsOptions {
  /** Schema of the tables; made where it is missing. The same as in `postgresStorage()`. @default 'public' */
  readonly schema?: string;
}

/**
 * Brings the tables of the package to the version that this package needs: `payments_inbox`, `payments_set_aside`,
 * `payments_journal` and `payments_migrations`.
 *
 * Call it before the application starts, or at every start: what is there already stays, replicas that start together take
 * turns, and one that fails leaves nothing half done. It needs the right to create tables only where something is missing.
 *
 * A migration waits three seconds for the tables at most, because everybody else waits behind it: where a transaction of the
 * application holds them for longer, it lets go, and tries again four times within half a minute.
 *
 * Tables of a newer version stay as they are, so an older replica may call it during a deployment too.
 *
 * @throws PaymentsConfigError where an option is wrong, PaymentsStorageError where a newer version of the package made tables that
 * this one cannot use, or where it did not get the tables, and the error of `pg` where PostgreSQL refuses.
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
  { schema }: MigratePaymentsOptions = {},
): Promise<void> {
  const names = tableNames(checkedSchema('migratePayments()', schema));
  await migrateTables(checkedPool('migratePayments(pool)', pool), names);
}
