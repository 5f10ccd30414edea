import { join } from 'node:path';
import { Global, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { Pool } from 'pg';
import { lockFolder } from './folder-lock.js';

/** The schema of the package's tables. */
export const SCHEMA = 'payroll';

/** The pool, and what else is closed after it. */
class Database {
  constructor(
    readonly pool: Pool,
    private readonly closeRest: () => Promise<void>,
  ) {
    // A broken connection must not end a run: the next statement takes another one.
    const lost = ({ message }: Error): void => {
      new Logger('Database').warn(`A connection was lost: ${message}`);
    };
    pool.on('error', lost);
    // The pool does not hear of a connection that somebody uses.
    pool.on('connect', (client) => client.on('error', lost));
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.closeRest();
  }
}

/** The named server, or a PostgreSQL inside this process with its files in a folder. */
async function openDatabase(config: ConfigService): Promise<Database> {
  const connectionString = config.get<string>('DATABASE_URL');
  if (connectionString) {
    return new Database(new Pool({ connectionString, max: 10 }), () => Promise.resolve());
  }
  const folder = config.get<string>('PAYROLL_FOLDER') || 'payroll-data';
  const { PGlite } = await import('@electric-sql/pglite');
  const { createPgConfig } = await import('@electric-sql/pglite/node-postgres');
  const unlock = await lockFolder(folder);
  try {
    const engine = await PGlite.create(join(folder, 'postgres'));
    // One connection for the life of the process: PGlite has no other.
    const pool = new Pool(Object.assign(createPgConfig(engine), { max: 1, idleTimeoutMillis: 0 }));
    return new Database(pool, () => engine.close().then(unlock));
  } catch (error) {
    await unlock();
    throw error;
  }
}

@Global()
@Module({
  providers: [
    { provide: Database, inject: [ConfigService], useFactory: openDatabase },
    { provide: Pool, inject: [Database], useFactory: ({ pool }: Database) => pool },
  ],
  exports: [Pool],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(private readonly database: Database) {}

  /** After the batches have written how their last lines ended. */
  onApplicationShutdown(): Promise<void> {
    return this.database.close();
  }
}
