import { join } from 'node:path';
import { type PGlite } from '@electric-sql/pglite';
import { Pool } from 'pg';
import { Database, type NotificationListener } from './database.js';
import { lockFolder } from './folder-lock.js';
import { PgliteSession } from './pglite.session.js';
import { PgliteSocket } from './pglite.socket.js';

/**
 * PostgreSQL inside this process, for trying things out, with one connection at a time. Everything else talks
 * to it through `pg`, as to a server.
 */
export class PgliteDatabase extends Database {
  readonly pool: Pool;

  private constructor(
    private readonly engine: PGlite,
    private readonly unlock: () => Promise<void>,
  ) {
    super();
    const session = new PgliteSession(engine);
    this.pool = new Pool({
      user: 'postgres',
      database: 'postgres',
      max: 1,
      idleTimeoutMillis: 0,
      stream: () => new PgliteSocket(session),
    });
  }

  /** @param directory The folder of the data; in memory if omitted. */
  static async open(directory: string | undefined): Promise<PgliteDatabase> {
    const { PGlite } = await import('@electric-sql/pglite');
    if (!directory) return new PgliteDatabase(await PGlite.create('memory://'), () => Promise.resolve());
    const unlock = await lockFolder(directory);
    try {
      return new PgliteDatabase(await PGlite.create(join(directory, 'postgres')), unlock);
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  async listen(channel: string, heard: NotificationListener): Promise<void> {
    await this.engine.listen(channel, heard);
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.engine.close();
    await this.unlock();
  }
}
