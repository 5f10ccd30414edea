import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migratePayments } from 'nestjs-payments/postgres';
import { type Pool } from 'pg';
import { inTransaction } from './in-transaction.js';

const FOLDER = join(import.meta.dirname, '..', '..', 'migrations');
/** A number that nothing else in this database locks. */
const LOCK = 2_026_001;

/** Migrates the tables. Instances that start together take turns. */
export async function migrate(pool: Pool): Promise<void> {
  await migratePayments(pool);
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort();
  await inTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await client.query('CREATE TABLE IF NOT EXISTS shop_migrations (name text PRIMARY KEY)');
    const { rows } = await client.query<{ readonly name: string }>('SELECT name FROM shop_migrations');
    const done = new Set(rows.map(({ name }) => name));
    for (const name of names.filter((each) => !done.has(each))) {
      await client.query(await readFile(join(FOLDER, name), 'utf8'));
      await client.query('INSERT INTO shop_migrations VALUES ($1)', [name]);
    }
  });
}
