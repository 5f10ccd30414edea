import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { dropDatabase } from './drop-database.js';

/** A database beside that of the run. */
export interface OtherDatabase {
  readonly url: string;
  /** Drops it. Its connections have to be closed before. */
  drop(): Promise<void>;
}

/**
 * Creates a database for specs that take a lock which counts in a whole database, and would hold up all other specs, or that
 * need another kind of database.
 *
 * @param options What follows the name in `CREATE DATABASE`.
 */
export async function createOtherDatabase(connectionString: string, options = ''): Promise<OtherDatabase> {
  const name = `nestjs_payments_test_${randomBytes(6).toString('hex')}`;
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(`CREATE DATABASE ${name} ${options}`);
  await client.end();
  const url = Object.assign(new URL(connectionString), { pathname: name }).href;
  return { url, drop: () => dropDatabase(connectionString, name) };
}
