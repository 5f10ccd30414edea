import { memoryStorage, type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { type ApplicationTransaction } from 'nestjs-payments/testing';
import { openPaymentsDatabase } from '../support/payments-database.js';
import { connectRedis, forget, ownPrefix, TimeTravellingRedis } from '../support/redis.js';
import { withTransactions } from './memory-transactions.js';

/** Where the stories keep their payments. */
export interface ModelStorage {
  /** Whether payments can be enlisted in a transaction. */
  readonly enlists: boolean;
  /**
   * An empty storage for one story.
   *
   * @param journalSize With more payments the storage makes room, if it can.
   */
  begin(journalSize: number | undefined): Promise<StoryStorage>;
  close(): Promise<void>;
}

export interface StoryStorage {
  readonly storage: PaymentsStorage;
  /** Whether it forgets payments by itself. */
  readonly makesRoom: boolean;
  /** Begins a transaction of the merchant; absent if the storage has none. */
  begin?(): Promise<ApplicationTransaction> | ApplicationTransaction;
  /** Lets time pass for every caller that asks the storage for it. */
  pass(ms: number): Promise<void>;
  /** Nothing is asked of it any more. */
  end(): Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

export function inMemory(): ModelStorage {
  return {
    enlists: true,
    begin: (journalSize) => {
      let passedMs = 0;
      const now = (): number => Date.now() + passedMs;
      const storage = memoryStorage({ now, ...(journalSize !== undefined && { maxEntries: journalSize }) });
      return Promise.resolve({
        ...withTransactions(storage),
        makesRoom: journalSize !== undefined,
        pass: (ms) => {
          passedMs += ms;
          return Promise.resolve();
        },
        end: nothing,
      });
    },
    close: nothing,
  };
}

/** In a schema of its own. */
export async function onPostgres(url: string): Promise<ModelStorage> {
  const database = await openPaymentsDatabase(url);
  const { pool, schema } = database;
  return {
    enlists: true,
    begin: async () => {
      await database.clear();
      return {
        storage: postgresStorage({ pool, schema, preparedStatements: true }),
        makesRoom: false,
        begin: async () => {
          const client = await pool.connect();
          await client.query('BEGIN');
          const end = async (how: string): Promise<void> => {
            await client.query(how);
            client.release();
          };
          return { handle: client, commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') };
        },
        pass: (ms) => database.pass(ms),
        end: nothing,
      };
    },
    close: () => database.close(),
  };
}

/** Under a prefix of its own for each story. */
export function onRedis(url: string): ModelStorage {
  const client = connectRedis(url);
  return {
    enlists: false,
    begin: () => {
      const travelling = new TimeTravellingRedis(client);
      const keyPrefix = ownPrefix();
      return Promise.resolve({
        storage: redisStorage({ client: travelling, keyPrefix }),
        makesRoom: false,
        pass: (ms) => {
          travelling.pass(ms);
          return Promise.resolve();
        },
        end: () => forget(client, keyPrefix),
      });
    },
    close: () => {
      client.disconnect();
      return Promise.resolve();
    },
  };
}
