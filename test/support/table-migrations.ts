import { type Pool } from 'pg';
import { type PostgresPool } from 'nestjs-payments/postgres';
import { migrateTables, type MigrationRetries } from '../../lib/storage/postgres/migrate-payments.js';
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
export function migrateWithWaits(pool: PostgresPool, schema: string, waits: MigrationRetries): Promise<void> {
  return migrateTables(pool, tableNames(schema), waits);
}
