import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe } from 'vitest';
import { Client } from 'pg';
import '../../../test/support/pglite-template.js';
import { dropDatabase } from '../../../test/support/drop-database.js';
import { describeWith, postgresService } from '../../../test/support/services.js';

/** Returns the DATABASE_URL within the specs; empty means PGlite in memory. */
export type DatabaseUrl = () => string;

/** The same specs on a PostgreSQL server, if there is one, and on PGlite. */
export function describeOnBoth(name: string, specs: (url: DatabaseUrl) => void): void {
  describeOnPostgres(name, specs);
  describe(`${name}, on PGlite`, () => {
    specs(() => '');
  });
}

/** On a PostgreSQL server, and on PGlite otherwise. */
export function describeOnOne(name: string, specs: (url: DatabaseUrl) => void): void {
  if (postgresService.reachable) describeOnPostgres(name, specs);
  else
    describe(`${name}, on PGlite`, () => {
      specs(() => '');
    });
}

/** Specs that need more than the one connection of PGlite. */
export function describeOnPostgres(name: string, specs: (url: DatabaseUrl) => void): void {
  describeWith([postgresService], `${name}, on PostgreSQL`, () => {
    const database = `shop_${randomBytes(6).toString('hex')}`;
    beforeAll(() => createDatabase(database));
    // Before the hooks of the specs, so that it runs after them.
    afterAll(() => dropDatabase(postgresService.url, database));
    specs(() => Object.assign(new URL(postgresService.url), { pathname: database }).href);
  });
}

async function createDatabase(name: string): Promise<void> {
  const client = new Client({ connectionString: postgresService.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
}
