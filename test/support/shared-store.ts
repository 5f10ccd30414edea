import { Redis } from 'ioredis';
import { type Pool } from 'pg';
import { type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { openPaymentsDatabase, type PaymentsDatabase } from './payments-database.js';
import { connectRedis, forget, ownPrefix, TimeTravellingRedis } from './redis.js';
import { postgresService, redisService } from './services.js';
import { SeverableProxy } from './severable-proxy.js';

/** One store, as a process behind a network reaches it, and as another process does. */
export interface SharedStore {
  readonly proxy: SeverableProxy;
  readonly throughProxy: () => PaymentsStorage;
  readonly direct: PaymentsStorage;
  pass(ms: number): Promise<void> | void;
  close(): Promise<void>;
}

async function onPostgres(): Promise<SharedStore> {
  const database: PaymentsDatabase = await openPaymentsDatabase(postgresService.url);
  const proxy = await SeverableProxy.before(postgresService.url);
  const { schema } = database;
  const storageOn = (pool: Pool): PaymentsStorage => postgresStorage({ pool, schema });
  return {
    proxy,
    throughProxy: () => storageOn(database.connect({ connectionString: proxy.url })),
    direct: storageOn(database.pool),
    pass: (ms) => database.pass(ms),
    close: async () => {
      await proxy.close();
      await database.close();
    },
  };
}

async function onRedis(): Promise<SharedStore> {
  const client = connectRedis();
  const travelling = new TimeTravellingRedis(client);
  const proxy = await SeverableProxy.before(redisService.url);
  const keyPrefix = ownPrefix();
  const clients: Redis[] = [];
  return {
    proxy,
    throughProxy: () => {
      const behind = new Redis(proxy.url, { maxRetriesPerRequest: 0 });
      behind.on('error', () => undefined);
      clients.push(behind);
      return redisStorage({ client: behind, keyPrefix });
    },
    direct: redisStorage({ client: travelling, keyPrefix }),
    pass: (ms) => {
      travelling.pass(ms);
    },
    close: async () => {
      for (const behind of clients) behind.disconnect();
      await proxy.close();
      await forget(client, keyPrefix);
      client.disconnect();
    },
  };
}

/** The stores that outlive a process: name, service, and how to open one. */
export const SHARED_STORES = [
  ['PostgreSQL', postgresService, onPostgres],
  ['Redis', redisService, onRedis],
] as const;
