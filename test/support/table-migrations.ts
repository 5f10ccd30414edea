import { type Pool } from 'pg';
import { type PostgresPool } from 'nestjs-payments/postgres';
import { migrateTables, type MigrationWaits } from '../../lib/storage/postgres/migrate-tables.js';
import { migrations } from '../../lib/storage/postgres/migrations.js';
import { tableNames } from '../../lib/storage/postgres/table-names.js';

/** Makes the package's tables of version 2 in a new schema. */
export async function makeSecondVersion(pool: Pool, schema: string): Promise<void> {
  const [first, second] = migrations(tableNames(schema));
  await pool.query(`CREATE SCHEMA ${schema};
    CREATE TABLE ${schema}.payments_migrations (version integer PRIMARY KEY, applied_at timestamptz DEFAULT now());
    INSERT INTO ${schema}.payments_migrations VALUES (1), (2);
    ${first?.statements ?? ''} ${second?.statements ?? ''}`);
}

/** `migratePayments()` with other waits: its own take half a minute. */
export function migrateWithWaits(
  pool: PostgresPool,
  schema: string,
  waits: Partial<MigrationWaits>,
): Promise<unknown> {
  return migrateTables(pool, tableNames(schema), { tell: () => undefined, ...waits });
}

/**
 * What the next build does when it is deployed: it adds what the rule of migrations allows, a table, an index, a column
 * that may be empty and one with a default, to the tables that this build uses.
 */
export function migrateAsNextBuild(pool: PostgresPool, schema: string): Promise<unknown> {
  const names = tableNames(schema);
  const own = migrations(names);
  const { journal, inbox, setAside, tombstones } = names;
  const next = {
    statements: `
      CREATE TABLE ${journal.replace('payments_journal', 'payments_later')} (id bigint PRIMARY KEY);
      CREATE INDEX ON ${journal} (account, updated_at);
      ALTER TABLE ${journal} ADD COLUMN note text;
      ALTER TABLE ${inbox} ADD COLUMN source text NOT NULL DEFAULT 'webhook';
      ALTER TABLE ${setAside} ADD COLUMN tags text[] NOT NULL DEFAULT '{}';
      ALTER TABLE ${tombstones} ADD COLUMN note text;
    `,
    compatibleFrom: own.length,
  };
  return migrateTables(pool, names, { tell: () => undefined }, [...own, next]);
}
