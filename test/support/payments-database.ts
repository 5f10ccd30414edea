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

/** By connection string, the schemas that tests have closed. To make another one takes longer than most tests. */
const closed = new Map<string, string[]>();

/**
 * A database for a test that leaves the tables of the package as they are. It is as new; its tables may be those of an
 * earlier test.
 */
export async function lendPaymentsDatabase(connectionString: string): Promise<PaymentsDatabase> {
  const schemas = closed.get(connectionString) ?? [];
  closed.set(connectionString, schemas);
  const schema = schemas.pop();
  const database =
    schema === undefined
      ? await openPaymentsDatabase(connectionString)
      : await asNew(databaseIn(schema, { connectionString }));
  let isLent = true;
  return {
    ...database,
    close: async () => {
      await database.close();
      if (isLent) schemas.push(database.schema);
      isLent = false;
    },
  };
}

async function asNew(database: PaymentsDatabase): Promise<PaymentsDatabase> {
  const { schema } = database;
  await database.clear();
  await database.pool.query(`
    UPDATE clock SET ahead = '0';
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables
        WHERE schemaname = '${schema}' AND tablename NOT LIKE 'payments\\_%' AND tablename <> 'clock'
      LOOP EXECUTE format('DROP TABLE %I CASCADE', name); END LOOP;
      FOR name IN SELECT oid::regprocedure FROM pg_proc
        WHERE pronamespace = '"${schema}"'::regnamespace AND proname <> 'clock_timestamp'
      LOOP EXECUTE 'DROP FUNCTION ' || name; END LOOP;
    END $$`);
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
  return {
    pool,
    schema,
    options,
    connect,
    pass: async (ms) => {
      await pool.query(`UPDATE clock SET ahead = ahead + interval '${ms} milliseconds'`);
    },
    clear: async () => {
      await pool.query(TABLES.map((table) => `DELETE FROM ${table}`).join(';'));
    },
    close: async () => {
      // Not awaited: a pool waits for the connections that a test still holds.
      for (const open of pools) open.end().catch(() => undefined);
      await Promise.all([...clients].map((client) => client.end()));
    },
  };
}
