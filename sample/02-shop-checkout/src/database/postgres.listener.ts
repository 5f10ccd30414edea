import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { type NotificationListener } from './database.js';

const AGAIN_AFTER_MS = 1_000;

/** Listens to a channel on its own connection, and reconnects after a loss. */
export class PostgresListener {
  private readonly logger = new Logger('Database');
  private client: Client | undefined;
  private again: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly connectionString: string,
    private readonly channel: string,
    private readonly heard: NotificationListener,
  ) {}

  async connect(): Promise<void> {
    const client = new Client({ connectionString: this.connectionString, keepAlive: true });
    this.client = client;
    client.on('notification', ({ payload }) => {
      this.heard(payload);
    });
    // A broken connection emits an error here, and then ends.
    client.on('error', ({ message }) => {
      this.logger.warn(`No news of orders for a moment: ${message}`);
    });
    client.once('end', () => {
      if (!this.closed) this.connectLater();
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${client.escapeIdentifier(this.channel)}`);
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.again);
    await this.client?.end();
  }

  private connectLater(): void {
    this.again = setTimeout(() => {
      this.connect().then(
        () => {
          this.heard(undefined);
        },
        () => undefined, // its `end` has scheduled the next try
      );
    }, AGAIN_AFTER_MS);
  }
}
