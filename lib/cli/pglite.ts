import { type PostgresPool } from '../storage/postgres/postgres-pool.js';

/** The part of `@electric-sql/pglite` that is used. */
interface PgliteModule {
  readonly PGlite: { create(folder: string): Promise<{ readonly close: () => Promise<void> }> };
}

interface PgliteForPg {
  readonly createPgConfig: (database: unknown) => object;
}

interface PgModule {
  readonly Pool: new (config: object) => PostgresPool & { end(): Promise<unknown> };
}

/** A PostgreSQL inside this process. */
interface OpenPglite {
  readonly pool: PostgresPool;
  readonly close: () => Promise<void>;
}

/**
 * Opens the files of PGlite, or makes them.
 *
 * @param load Loads a package of the application.
 */
export async function openPglite(folder: string, load: (name: string) => unknown): Promise<OpenPglite> {
  const { PGlite } = load('@electric-sql/pglite') as PgliteModule;
  const { createPgConfig } = load('@electric-sql/pglite/node-postgres') as PgliteForPg;
  const { Pool } = load('pg') as PgModule;
  const database = await PGlite.create(folder);
  // One connection for the life of the process: PGlite has no other.
  const pool = new Pool({ ...createPgConfig(database), max: 1, idleTimeoutMillis: 0 });
  return {
    pool,
    close: async () => {
      await pool.end();
      await database.close();
    },
  };
}
