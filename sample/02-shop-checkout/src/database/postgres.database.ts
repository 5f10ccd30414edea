import { Logger } from '@nestjs/common';
import { Pool } from 'pg';
import { Database, type NotificationListener } from './database.js';
import { PostgresListener } from './postgres.listener.js';

/** A PostgreSQL server. */
export class PostgresDatabase extends Database {
  readonly pool: Pool;
  private readonly listeners: PostgresListener[] = [];

  constructor(private readonly connectionString: string) {
    super();
    // Each delivery holds one connection while its handlers run.
    this.pool = new Pool({ connectionString, max: 20 });
    this.pool.on('error', ({ message }) => {
      new Logger('Database').warn(`An idle connection was lost: ${message}`);
    });
  }

  async listen(channel: string, heard: NotificationListener): Promise<void> {
    const listener = new PostgresListener(this.connectionString, channel, heard);
    this.listeners.push(listener);
    await listener.connect();
  }

  async close(): Promise<void> {
    await Promise.all(this.listeners.map((listener) => listener.close()));
    await this.pool.end();
  }
}
