import { randomBytes } from 'node:crypto';
import { type Client, Pool, type PoolConfig } from 'pg';
import { migratePayments } from 'nestjs-payments/postgres';

/** The tables of the package in a schema of their own, and a pool to use them with. */
export interface PaymentsDatabase {
  readonly pool: Pool;
  readonly schema: string;
  /** The `options` of a connection that sees the time of this database. */
  readonly options: string;
  /** Another pool of the same database, as a second replica has one. Closed with the database. */
  connect(config?: PoolConfig): Pool;
  /** Lets `ms` pass for everybody who asks this database for the time. */
  pass(ms: number): Promise<void>;
  /** Forgets everything that is stored. */
  clear(): Promise<void>;
  /** Ends every connection, also one that is still lent, and takes the schema away. */
  close(): Promise<void>;
}

/**
 * Makes the tables. The server's own clock cannot be turned: here `clock_timestamp()` finds a function of the same name in
 * the schema of the test first, which is as far ahead as the test says.
 */
export async function openPaymentsDatabase(
  connectionString: string,
  config: PoolConfig = {},
): Promise<PaymentsDatabase> {
  const schema = `payments ${randomBytes(6).toString('hex')}`;
  const path = `"${schema}",pg_catalog,public`;
  const clients = new Set<Client>();
  const pools: Pool[] = [];
  const options = `-c search_path=${path.replaceAll(' ', '\\ ')}`;
  const connect = (more: PoolConfig = {}): Pool => {
    const pool = new Pool({ connectionString, options, ...config, ...more });
    pool.on('connect', (client) => clients.add(client as unknown as Client));
    pool.on('error', () => undefined);
    pools.push(pool);
    return pool;
  };
  const pool = connect();
  await migratePayments(pool, { schema });
  await pool.query(`
    -- PGlite takes no settings from a connection that begins, and has one session for all.
    SET search_path = ${path};
    CREATE TABLE clock (ahead interval NOT NULL);
    INSERT INTO clock VALUES ('0');
    CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT pg_catalog.clock_timestamp() + (SELECT ahead FROM "${schema}".clock)'`);
  return {
    pool,
    schema,
    options,
    connect,
    pass: async (ms) => {
      await pool.query(`UPDATE clock SET ahead = ahead + interval '${ms} milliseconds'`);
    },
    clear: async () => {
      await pool.query(
        'DELETE FROM payments_inbox; DELETE FROM payments_set_aside; DELETE FROM payments_journal; DELETE FROM payments_tombstones; DELETE FROM payments_daily_counts; DELETE FROM payments_batches; DELETE FROM payments_batch_events; DELETE FROM payments_batch_lines; DELETE FROM payments_batch_chunks; DELETE FROM payments_batch_counts; DELETE FROM payments_reconciliation',
      );
    },
    close: async () => {
      // Not awaited: a pool waits for the connections that a test still holds.
      for (const open of pools) open.end().catch(() => undefined);
      await Promise.all([...clients].map((client) => client.end()));
      const last = new Pool({ connectionString, max: 1 });
      await last.query(`DROP SCHEMA "${schema}" CASCADE`);
      await last.end();
    },
  };
}
