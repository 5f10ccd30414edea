import { checkedPool, checkedSchema } from './postgres-options.js';
import { type PostgresPool } from './postgres-pool.js';
import { tableNames, sqlLiteral, type TableNames } from './table-names.js';
import { setTimeout as delay } from 'node:timers/promises';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { errorCodes } from '../sql/error-code.js';
import { type SqlRunner } from '../sql/sql-executor.js';
import { type Migration, singleStatements } from '../storage-tables.js';
import { type StoredVersion } from '../stored-version.js';
import { firstTable, migrations, recordVersion } from './migrations.js';
import { readVersion, refuseNewer } from './tables-version.js';

/**
 * Options of `migratePayments`.
 *
 * @publicApi
 */
export interface MigratePaymentsOptions {
  /** Schema of the tables; created if missing. The same as in `postgresStorage()`. @default 'public' */
  readonly schema?: string;
}

/**
 * Migrates the package's tables to the version that this package needs: `payments_inbox`,
 * `payments_set_aside`, `payments_journal` and `payments_migrations`.
 *
 * Call it before the application starts, or at every start. Existing data stays, replicas that start together
 * take turns, and a failed migration changes nothing. It needs the right to create tables only if something
 * is missing.
 *
 * A migration waits at most three seconds for the tables, because all other statements wait behind it. If a
 * transaction of the application holds them longer, the migration rolls back, and tries again four times within half
 * a minute.
 *
 * It does not change tables of a newer version, so an older replica may call it during a deployment.
 *
 * @throws PaymentsConfigError if an option is wrong, PaymentsStorageError if this version cannot use the
 * tables of a newer one, or if other transactions hold the tables, and the error of `pg` if PostgreSQL
 * refuses.
 *
 * @example
 * ```ts
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * await migratePayments(pool);
 * ```
 *
 * @publicApi
 */
export async function migratePayments(
  pool: PostgresPool,
  { schema }: MigratePaymentsOptions = {},
): Promise<void> {
  const names = tableNames(checkedSchema('migratePayments()', schema));
  await migrateTables(checkedPool('migratePayments(pool)', pool), names);
}

/** One lock number for all migrations of this package: the ASCII letters `pays`. */
const ADVISORY_LOCK = 0x70_61_79_73;

/** Another transaction holds the tables: the lock timed out, or both waited for each other. */
const BUSY: readonly unknown[] = ['55P03', '40P01'];

/** How long a migration waits for the tables, and the pauses between its tries. */
export interface MigrationRetries {
  readonly lockTimeout: string;
  readonly pausesMs: readonly number[];
}

const RETRIES: MigrationRetries = { lockTimeout: '3s', pausesMs: [1_000, 2_000, 4_000, 8_000] };

/**
 * Migrates the tables. A transaction that waits for a table lock makes all others wait behind it, readers
 * too. So it rolls back after a while and releases all its locks.
 */
export function migrateTables(
  pool: PostgresPool,
  names: TableNames,
  retries?: MigrationRetries,
  versions?: readonly Migration[],
): Promise<StoredVersion> {
  return migrateInTransaction((work) => inTransaction(pool, work), names, retries, versions);
}

/** Calls a function with a transaction at READ COMMITTED, and commits what it did. */
type RunInTransaction = (work: (transaction: SqlRunner) => Promise<void>) => Promise<void>;

/** The same in a transaction that another one begins. Resolves to the version that it found when it was its turn. */
export async function migrateInTransaction(
  run: RunInTransaction,
  names: TableNames,
  { lockTimeout, pausesMs }: MigrationRetries = RETRIES,
  versions: readonly Migration[] = migrations(names),
): Promise<StoredVersion> {
  let found: StoredVersion = { version: 0 };
  for (const pauseMs of [...pausesMs, undefined]) {
    try {
      await run(async (transaction) => {
        found = await migrate(transaction, names, { lockTimeout, versions });
      });
      return found;
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (pauseMs !== undefined) await delay(pauseMs);
    }
  }
  throw new PaymentsStorageError(
    `The tables of nestjs-payments in the schema ${names.shownSchema} could not be migrated, and nothing was changed: other transactions ` +
      `held them through ${pausesMs.length + 1} tries of ${lockTimeout}. End the long transactions (pg_stat_activity shows them), ` +
      'or migrate when there is less traffic.',
  );
}

function isBusy(error: unknown): boolean {
  return errorCodes(error).some((code) => BUSY.includes(code));
}

async function inTransaction(
  pool: PostgresPool,
  work: (transaction: SqlRunner) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  const ignore = (): void => undefined;
  client.on('error', ignore);
  let committed = false;
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    await work({
      query: async <Row extends object>(text: string) => [...(await client.query(text)).rows] as Row[],
      execute: async (text) => ({ affectedRows: (await client.query(text)).rowCount ?? 0 }),
    });
    await client.query('COMMIT');
    committed = true;
  } finally {
    // Closing the connection rolls back, even if it does not answer any more.
    client.release(!committed);
    client.removeListener('error', ignore);
  }
}

async function migrate(
  transaction: SqlRunner,
  names: TableNames,
  { lockTimeout, versions }: { readonly lockTimeout: string; readonly versions: readonly Migration[] },
): Promise<StoredVersion> {
  // Only other migrations wait for this lock, so it needs no time limit. As a text: not every ORM reads a void.
  await transaction.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})::text AS locked`);
  await transaction.execute(`SET LOCAL lock_timeout = '${lockTimeout}'`);
  await makeFirstTable(transaction, names);
  const found = await readVersion((text) => transaction.query(text), names);
  refuseNewer(found, names, versions.length);
  for (const [index, made] of versions.entries()) {
    const version = index + 1;
    if (version <= found.version) continue;
    for (const text of singleStatements(made)) await transaction.execute(text);
    await transaction.execute(recordVersion(names, version, made));
  }
  return found;
}

/** Creates the table with the version of the tables, unless it exists. */
async function makeFirstTable(transaction: SqlRunner, names: TableNames): Promise<void> {
  const { schema, migrations: table } = names;
  const [found] = await transaction.query<{ readonly schema: string; readonly migrations: string }>(
    `SELECT (to_regnamespace(${sqlLiteral(schema)}) IS NOT NULL)::text AS schema,
            (to_regclass(${sqlLiteral(table)}) IS NOT NULL)::text AS migrations`,
  );
  if (found?.schema === 'false') await transaction.execute(`CREATE SCHEMA ${schema}`);
  if (found?.migrations === 'false') await transaction.execute(`CREATE TABLE ${firstTable(names)}`);
}
