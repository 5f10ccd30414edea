import { Pool, type PoolConfig } from 'pg';
import {
  borrowPaymentsDatabase,
  endOtherConnections,
  type PaymentsDatabase,
} from '../support/payments-database.js';
import { postgresService } from '../support/services.js';

/** The package's tables, and pools of an application beside the one that looks at them. */
export interface PostgresDatabase extends PaymentsDatabase {
  /** A pool of the application, of the class of the pg that the ORMs have. It ends with the database. */
  readonly openPool: (config: PoolConfig) => Pool;
}

/** It may be the database of an earlier test. */
export async function borrowPostgres(): Promise<PostgresDatabase> {
  const database = await borrowPaymentsDatabase(postgresService.url);
  const pools: Pool[] = [];
  return {
    ...database,
    openPool: (config) => {
      const pool = new Pool({ ...database.pool.options, application_name: database.schema, ...config });
      pool.on('error', () => undefined);
      // The end of the spec kills connections that a test has left open: pg tells those who borrowed them, too.
      pool.on('connect', (client) => client.on('error', () => undefined));
      pools.push(pool);
      return pool;
    },
    close: async () => {
      // Not awaited: a pool waits for the connections that a test has left open.
      for (const pool of pools) pool.end().catch(() => undefined);
      await endOtherConnections(database);
      await database.close();
    },
  };
}
