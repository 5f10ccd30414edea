import { migrations } from './migrations.js';
import { checkedPool, checkedSchema } from './postgres-options.js';
import { type PostgresClient, type PostgresPool } from './postgres-pool.js';
import { sqlLiteral, type TableNames, tableNames } from './table-names.js';

/** One number for all migrations of this package; the ASCII letters `pays`. */
const ADVISORY_LOCK = 0x70_61_79_73;

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
 * @throws PaymentsConfigError where an option is wrong, and the error of `pg` where PostgreSQL refuses.
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
  const client = await checkedPool('migratePayments(pool)', pool).connect();
  const ignore = (): void => undefined;
  client.on('error', ignore);
  let committed = false;
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    await client.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`);
    await migrate(client, names);
    await client.query('COMMIT');
    committed = true;
  } finally {
    // Closing the connection undoes what was not committed, also where it does not answer any more.
    client.release(!committed);
    client.removeListener('error', ignore);
  }
}

async function migrate(client: PostgresClient, names: TableNames): Promise<void> {
  const done = await versionOf(client, names);
  for (const [index, statements] of migrations(names).entries()) {
    const version = index + 1;
    if (version <= done) continue;
    await client.query(statements);
    await client.query(`INSERT INTO ${names.migrations} (version) VALUES (${version})`);
  }
}

/** The version of the tables that stand; 0 where there are none yet. */
async function versionOf(client: PostgresClient, { schema, migrations: table }: TableNames): Promise<number> {
  const found = await client.query(
    `SELECT (to_regnamespace(${sqlLiteral(schema)}) IS NOT NULL)::text AS schema,
            (to_regclass(${sqlLiteral(table)}) IS NOT NULL)::text AS migrations`,
  );
  if (found.rows[0]?.['schema'] === 'false') await client.query(`CREATE SCHEMA ${schema}`);
  if (found.rows[0]?.['migrations'] === 'false') {
    await client.query(
      `CREATE TABLE ${table} (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())`,
    );
  }
  const last = await client.query(`SELECT coalesce(max(version), 0)::text AS version FROM ${table}`);
  return Number(last.rows[0]?.['version']);
}
