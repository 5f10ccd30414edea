import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { Pool } from 'pg';
import { letPass, type PayrollDesk } from './payroll.desk.js';

/** The journal of programs in other processes. */
export interface JournalPlace {
  readonly environment: NodeJS.ProcessEnv;
  /** Ages the journal by ten minutes; only while no program runs. */
  pass(): Promise<void>;
  close(): Promise<void>;
}

/** The PostgreSQL inside the program, with its files in the desk's folder. */
export async function embeddedJournal({ folder }: PayrollDesk): Promise<JournalPlace> {
  const place = join(folder, 'data', 'journal');
  await mkdir(place, { recursive: true });
  // Otherwise each program would first create them, which takes seconds.
  await (await PGlite.create(place)).close();
  return {
    environment: {},
    pass: async () => {
      const database = await PGlite.create(place);
      await letPass(database);
      await database.close();
    },
    close: () => Promise.resolve(),
  };
}

/** A database of its own on a server. */
export async function serverJournal(serverUrl: string): Promise<JournalPlace> {
  const name = `payroll_${randomBytes(6).toString('hex')}`;
  const server = new Pool({ connectionString: serverUrl, max: 1 });
  await server.query(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const database = new Pool({ connectionString: url.href, max: 1 });
  // Dropping the database may break a connection that is closing.
  database.on('error', () => undefined);
  return {
    environment: { DATABASE_URL: url.href },
    pass: () => letPass(database),
    close: async () => {
      await database.end();
      await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await server.end();
    },
  };
}
