import { Global, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { type PGlite } from '@electric-sql/pglite';
import { Pool, type PoolConfig } from 'pg';

const TABLES = `
  CREATE TABLE IF NOT EXISTS merchants (
    id text PRIMARY KEY, name text NOT NULL, keys text NOT NULL, disabled boolean NOT NULL DEFAULT false
  );
  CREATE TABLE IF NOT EXISTS products (
    merchant text REFERENCES merchants, id text, price numeric(14, 2) NOT NULL CHECK (price > 0),
    PRIMARY KEY (merchant, id)
  );
  CREATE TABLE IF NOT EXISTS orders (
    merchant text REFERENCES merchants, reference text, product text NOT NULL, amount numeric(14, 2) NOT NULL,
    status text NOT NULL, PRIMARY KEY (merchant, reference)
  );
  -- An older marketplace did not write down what was bought.
  ALTER TABLE orders ADD COLUMN IF NOT EXISTS product text NOT NULL DEFAULT '';
  -- Nor what the page sent.
  ALTER TABLE orders ADD COLUMN IF NOT EXISTS request text NOT NULL DEFAULT '';
  -- Nor when it asked for the money the last time.
  ALTER TABLE orders ADD COLUMN IF NOT EXISTS asked_at timestamptz NOT NULL DEFAULT now();
  CREATE INDEX IF NOT EXISTS waiting_orders ON orders (merchant) WHERE status = 'waiting';
`;

/** A PostgreSQL inside this process, if there is no server. */
const embedded: PGlite[] = [];

/** It has one connection, which its users take in turn. */
async function embeddedConfig(): Promise<PoolConfig> {
  const { PGlite } = await import('@electric-sql/pglite');
  const { createPgConfig } = await import('@electric-sql/pglite/node-postgres');
  const engine = await PGlite.create('memory://');
  embedded.push(engine);
  return Object.assign(createPgConfig(engine), { max: 1, idleTimeoutMillis: 0 });
}

@Global()
@Module({
  providers: [
    {
      provide: Pool,
      inject: [ConfigService],
      useFactory: async (config: ConfigService): Promise<Pool> => {
        const connectionString = config.get<string>('DATABASE_URL');
        const pool = new Pool(connectionString ? { connectionString, max: 20 } : await embeddedConfig());
        const lost = (error: Error): void => {
          new Logger('Database').error(`A connection was lost: ${error.message}`);
        };
        pool.on('error', lost);
        // The pool does not hear of a connection that somebody uses, and an error that nobody hears ends the process.
        pool.on('connect', (client) => client.on('error', lost));
        await pool.query(TABLES);
        return pool;
      },
    },
  ],
  exports: [Pool],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(private readonly pool: Pool) {}

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
    for (const engine of embedded.splice(0)) await engine.close();
  }
}
