import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { migratePayments } from 'nestjs-payments/postgres';
import { Pool } from 'pg';
import { type Settings } from '../settings.js';
import { lockFolder } from './folder-lock.js';
import { SCHEMA } from './journal-schema.js';
import { createSentLines } from './sent-lines.js';

/** Where the journal of every payment is kept. */
export interface JournalDatabase {
  readonly pool: Pool;
  /** After the application has closed, because it writes until then. */
  close(): Promise<void>;
}

/** The database that is named, or a PostgreSQL inside this process with its files in the folder. */
export async function openJournal({ databaseUrl, folder, atOnce }: Settings): Promise<JournalDatabase> {
  const database =
    databaseUrl === undefined
      ? await openFolder(folder)
      : serverAt(new Pool({ connectionString: databaseUrl, max: atOnce }));
  try {
    await migratePayments(database.pool, { schema: SCHEMA });
    await createSentLines(database.pool);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function serverAt(pool: Pool): JournalDatabase {
  // An idle connection that breaks must not end a run: the next statement takes another one.
  pool.on('error', () => undefined);
  return { pool, close: () => pool.end() };
}

async function openFolder(folder: string): Promise<JournalDatabase> {
  const unlock = await lockFolder(folder);
  try {
    const database = await PGlite.create(join(folder, 'journal'));
    // One connection for as long as the process lives: there is no other to take its place.
    const pool = new Pool(Object.assign(createPgConfig(database), { max: 1, idleTimeoutMillis: 0 }));
    const close = async (): Promise<void> => {
      await pool.end();
      await database.close();
      await unlock();
    };
    return { pool, close };
  } catch (error) {
    await unlock();
    throw error;
  }
}
