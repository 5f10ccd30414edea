import { randomBytes } from 'node:crypto';
import { type Client, Pool, type PoolConfig } from 'pg';
import { migratePayments } from 'nestjs-payments/postgres';
import { type ApplicationTransaction } from 'nestjs-payments/testing';

const ENDED_WITHIN_MS = 5_000;
/** For the `options` of a connection: many at one row may wait longer for it than the library lets them. */
export const PATIENT_LOCKS = '-c nestjs_payments.lock_within=60000';
/** The tables of the package that hold something to forget: all but the list of their versions. */
export const PAYMENTS_TABLES = [
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
  /** Begins a transaction of the application. */
  begin(): Promise<ApplicationTransaction>;
  /** Lets `ms` pass for every caller that asks this database for the time. */
  pass(ms: number): Promise<void>;
  /** Forgets everything that is stored. */
  clear(): Promise<void>;
  /** Ends every connection, also one that is still lent. The schema goes with its database at the end of the run. */
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

/** By connection string, the schemas that tests have given back. To make another one takes longer than most tests. */
const givenBack = new Map<string, string[]>();

/**
 * A database for a test that leaves the tables of the package as they are: no other columns, indexes, triggers or
 * statistics. It may be that of an earlier test: nothing is stored and no time has passed, but sequences continue.
 */
export async function borrowPaymentsDatabase(
  connectionString: string,
  config: PoolConfig = {},
): Promise<PaymentsDatabase> {
  const schemas = givenBack.get(connectionString) ?? [];
  givenBack.set(connectionString, schemas);
  const schema = schemas.pop();
  const database =
    schema === undefined
      ? await withoutStatistics(await openPaymentsDatabase(connectionString, config))
      : await asNew(databaseIn(schema, { connectionString, ...config }));
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

/** The rows that tests delete are no reason to plan later statements in another way. */
async function withoutStatistics(database: PaymentsDatabase): Promise<PaymentsDatabase> {
  await database.pool.query(
    PAYMENTS_TABLES.map((table) => `ALTER TABLE ${table} SET (autovacuum_enabled = false)`).join(';'),
  );
  return database;
}

async function asNew(database: PaymentsDatabase): Promise<PaymentsDatabase> {
  const { schema } = database;
  await endOtherConnections(database);
  await database.clear();
  await database.pool.query(`
    UPDATE clock SET ahead = '0';
    DO $$ DECLARE name text; own_function text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables
        WHERE schemaname = '${schema}' AND tablename NOT LIKE 'payments\\_%' AND tablename <> 'clock'
      LOOP EXECUTE format('DROP TABLE %I CASCADE', name); END LOOP;
      FOR own_function IN SELECT oid::regprocedure FROM pg_proc
        WHERE pronamespace = '"${schema}"'::regnamespace AND proname <> 'clock_timestamp'
      LOOP EXECUTE 'DROP FUNCTION ' || own_function; END LOOP;
    END $$`);
  return database;
}

/** Ends all connections of a database but the one that asks, also those that pools and processes of a test left behind. */
export async function endOtherConnections({
  pool,
  schema,
}: Pick<PaymentsDatabase, 'pool' | 'schema'>): Promise<void> {
  await pool.query(
    `SELECT pg_terminate_backend(pid, ${ENDED_WITHIN_MS}) FROM pg_stat_activity
     WHERE application_name = $1 AND pid <> pg_backend_pid()`,
    [schema],
  );
}

const pathTo = (schema: string): string => `"${schema}",pg_catalog,public`;

function databaseIn(schema: string, config: PoolConfig): PaymentsDatabase {
  const clients = new Set<Client>();
  const pools: Pool[] = [];
  const set = (setting: string): string => `-c ${setting.replaceAll(' ', '\\ ')}`;
  const options = `${set(`search_path=${pathTo(schema)}`)} ${set(`application_name=${schema}`)}`;
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
    begin: async () => {
      const handle = await pool.connect();
      await handle.query('BEGIN');
      const end = async (how: string): Promise<void> => {
        await handle.query(how);
        handle.release();
      };
      return { handle, commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') };
    },
    pass: async (ms) => {
      await pool.query(`UPDATE clock SET ahead = ahead + interval '${ms} milliseconds'`);
    },
    clear: async () => {
      await pool.query(PAYMENTS_TABLES.map((table) => `DELETE FROM ${table}`).join(';'));
    },
    close: async () => {
      // Not awaited: a pool waits for the connections that a test still holds.
      for (const open of pools) open.end().catch(() => undefined);
      await Promise.all([...clients].map((client) => client.end()));
    },
  };
}
