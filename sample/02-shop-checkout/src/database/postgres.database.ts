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
    const lost = ({ message }: Error): void => {
      new Logger('Database').warn(`A connection was lost: ${message}`);
    };
    this.pool.on('error', lost);
    // The pool does not hear of a connection that somebody uses, and an error that nobody hears ends the process.
    this.pool.on('connect', (client) => client.on('error', lost));
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
