import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { migratePayments } from 'nestjs-payments/postgres';
import { Pool } from 'pg';
import { type Settings } from '../settings.js';
import { lockFolder } from './folder-lock.js';
import { SCHEMA } from './journal-schema.js';
import { createSentLines } from './sent-lines.js';

/** The database of the journal. */
export interface JournalDatabase {
  readonly pool: Pool;
  /** Call it after the application has closed, which writes until then. */
  close(): Promise<void>;
}

/** Opens the named database, or a PostgreSQL inside this process with its files in the folder. */
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
  // A broken idle connection must not end a run: the next statement takes another one.
  pool.on('error', () => undefined);
  return { pool, close: () => pool.end() };
}

async function openFolder(folder: string): Promise<JournalDatabase> {
  const unlock = await lockFolder(folder);
  try {
    const database = await PGlite.create(join(folder, 'journal'));
    // One connection for the life of the process: PGlite has no other.
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
