import { randomBytes } from 'node:crypto';
import { type Client, Pool, type PoolConfig } from 'pg';
import { migratePayments } from 'nestjs-payments/postgres';

const TABLES = [
  'payments_inbox',
  'payments_set_aside',
  'payments_journal',
  'payments_tombstones',
  'payments_daily_counts',
  'payments_batches',
  'payments_batch_events',
  'payments_batch_lines',
  'payments_batch_chunks',
  'payments_batch_counts',
  'payments_reconciliation',
];

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
  /**
   * Closes the database and opens it as new: nothing is stored, no time has passed, the connections are new, and tables
   * of the application are gone. To make another one takes longer than most tests. Not for a spec that alters the tables.
   */
  reopen(): Promise<PaymentsDatabase>;
  /** Ends every connection, also one that is still lent. The schema goes with the database of this run. */
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
  const database = databaseIn(schema, { connectionString, ...config });
  await migratePayments(database.pool, { schema });
  await database.pool.query(`
    -- PGlite takes no settings from a connection that begins, and has one session for all.
    SET search_path = ${pathTo(schema)};
    CREATE TABLE clock (ahead interval NOT NULL);
    INSERT INTO clock VALUES ('0');
    CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT pg_catalog.clock_timestamp() + (SELECT ahead FROM "${schema}".clock)'`);
  return database;
}

const pathTo = (schema: string): string => `"${schema}",pg_catalog,public`;

function databaseIn(schema: string, config: PoolConfig): PaymentsDatabase {
  const clients = new Set<Client>();
  const pools: Pool[] = [];
  const options = `-c search_path=${pathTo(schema).replaceAll(' ', '\\ ')}`;
  const connect = (more: PoolConfig = {}): Pool => {
    const pool = new Pool({ options, ...config, ...more });
    pool.on('connect', (client) => clients.add(client as unknown as Client));
    pool.on('error', () => undefined);
    pools.push(pool);
    return pool;
  };
  const pool = connect();
  const clear = async (): Promise<void> => {
    await pool.query(TABLES.map((table) => `DELETE FROM ${table}`).join(';'));
  };
  const close = async (): Promise<void> => {
    // Not awaited: a pool waits for the connections that a test still holds.
    for (const open of pools) open.end().catch(() => undefined);
    await Promise.all([...clients].map((client) => client.end()));
  };
  return {
    pool,
    schema,
    options,
    connect,
    pass: async (ms) => {
      await pool.query(`UPDATE clock SET ahead = ahead + interval '${ms} milliseconds'`);
    },
    clear,
    reopen: async () => {
      await close();
      const reopened = databaseIn(schema, config);
      await reopened.clear();
      await reopened.pool.query(`
        UPDATE clock SET ahead = '0';
        DO $$ DECLARE name text; BEGIN
          FOR name IN SELECT tablename FROM pg_tables
            WHERE schemaname = '${schema}' AND tablename NOT LIKE 'payments\\_%' AND tablename <> 'clock'
          LOOP EXECUTE format('DROP TABLE %I CASCADE', name); END LOOP;
        END $$`);
      return reopened;
    },
    close,
  };
}
