import { type PostgresPool } from './postgres-pool.js';
import { sqlLiteral, type TableNames } from './table-names.js';
import { setTimeout as delay } from 'node:timers/promises';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { DRIVER_RESULT_OF, runnerBy } from '../sql/driver-result.js';
import { errorCodes } from '../sql/error-code.js';
import { type SqlRunner } from '../sql/sql-executor.js';
import { type Migration, singleStatements } from '../storage-tables.js';
import {
  type MigrationTry,
  MigrationTurn,
  type OtherMigration,
  type TellMigration,
} from '../sql/migration-turn.js';
import { refuseNewer, type StoredVersion, versionFit } from '../stored-version.js';
import { freeClient } from './pooled-connection.js';
import { firstTable, migrations, recordVersion } from './migrations.js';
import { ENCODING, readVersion, refuseChanged, refuseEncoding, versionIfAny } from './tables-version.js';

/** One lock number for all migrations of this package: the ASCII letters `pays`. */
const ADVISORY_LOCK = 0x70_61_79_73;

/** The tables are read beside another migration, which may hold them until its end. */
const LOOK_WITHIN = '100ms';

/** Another transaction holds the tables: the lock timed out, or both waited for each other. */
const BUSY: readonly unknown[] = ['55P03', '40P01'];

/** How a migration waits. */
export interface MigrationWaits {
  /** Gets what it waits for, if another migration runs. */
  readonly tell: TellMigration;
  /** How long it waits for a table. */
  readonly lockTimeout?: string;
  /** The pauses between its tries, if it got no table. */
  readonly pausesMs?: readonly number[];
  /**
   * After which silence of its process the server ends a migration. Otherwise one whose network broke would keep its lock
   * until TCP gives up, for hours.
   */
  readonly idleTimeout?: string;
}

const WAITS: Required<Omit<MigrationWaits, 'tell'>> = {
  lockTimeout: '3s',
  pausesMs: [1_000, 2_000, 4_000, 8_000],
  idleTimeout: '60s',
};

/**
 * Migrates the tables. A transaction that waits for a table lock makes all others wait behind it, readers
 * too. So it rolls back after a while and releases all its locks.
 */
export function migrateTables(
  pool: PostgresPool,
  names: TableNames,
  waits: MigrationWaits,
  versions?: readonly Migration[],
): Promise<StoredVersion> {
  return migrateInTransaction((work) => inTransaction(pool, waits.tell, work), names, waits, versions);
}

/** Calls a function with a transaction at READ COMMITTED, and commits what it did. */
type RunInTransaction = (work: (transaction: SqlRunner) => Promise<void>) => Promise<void>;

/** The same in a transaction that another one begins. Resolves to the version that it found when it was its turn. */
export async function migrateInTransaction(
  run: RunInTransaction,
  names: TableNames,
  given: MigrationWaits,
  versions: readonly Migration[] = migrations(names),
): Promise<StoredVersion> {
  const waits = { ...WAITS, ...given };
  const { lockTimeout, pausesMs, tell } = waits;
  const turn = new MigrationTurn(`the schema ${names.shownSchema}`, tell);
  const attempt = (): Promise<MigrationTry<StoredVersion>> => tryOnce(run, names, waits, versions);
  for (const pauseMs of [...pausesMs, undefined]) {
    try {
      return await turn.run(attempt);
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
  tell: TellMigration,
  work: (transaction: SqlRunner) => Promise<void>,
): Promise<void> {
  const client = await freeClient({ connect: () => pool.connect(), tell });
  const ignore = (): void => undefined;
  client.on('error', ignore);
  let committed = false;
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    await work(runnerBy(async (text) => DRIVER_RESULT_OF.postgres((await client.query(text)) as never)));
    await client.query('COMMIT');
    committed = true;
  } finally {
    // Closing the connection rolls back, even if it does not answer any more.
    client.release(!committed);
    client.removeListener('error', ignore);
  }
}

/** Migrates, unless another migration runs and there is something to do. */
async function tryOnce(
  run: RunInTransaction,
  names: TableNames,
  waits: Required<MigrationWaits>,
  versions: readonly Migration[],
): Promise<MigrationTry<StoredVersion>> {
  let tried: MigrationTry<StoredVersion> = { behind: undefined };
  await run(async (transaction) => {
    await transaction.query(
      `SELECT set_config('lock_timeout', '${waits.lockTimeout}', true) AS locks,
        set_config('idle_in_transaction_session_timeout', '${waits.idleTimeout}', true) AS idle`,
    );
    const isTurn = await takeLock(transaction);
    tried = isTurn
      ? { done: await migrate(transaction, names, versions) }
      : { behind: await otherMigration(transaction) };
  });
  if ('done' in tried) return tried;
  const found = await versionBeside(run, names);
  if (versionFit(found, versions.length) === 'older') return tried;
  refuseNewer(`The schema ${names.shownSchema}`, found, versions.length);
  return { done: found };
}

/** What other migrations have committed; 0 also if one of them holds the table of the versions, or a sequence is lost. */
async function versionBeside(run: RunInTransaction, names: TableNames): Promise<StoredVersion> {
  let found: StoredVersion = { version: 0 };
  try {
    await run(async (transaction) => {
      await transaction.query(`SELECT set_config('lock_timeout', '${LOOK_WITHIN}', true) AS locks`);
      const stored = await versionIfAny((text) => transaction.query(text), names);
      const { fences, versions } = await sequencesOf(transaction, names);
      if (fences === 'true' && versions === 'true') found = stored;
    });
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
  return found;
}

async function takeLock(transaction: SqlRunner): Promise<boolean> {
  // As a text, because not every ORM reads a boolean alike.
  const [lock] = await transaction.query<{ readonly is_taken?: string }>(
    `SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK})::text AS is_taken`,
  );
  refuseChanged(lock?.is_taken);
  return lock?.is_taken === 'true';
}

/** Who has the lock. Only a role that may see the other one's sessions learns since when. */
async function otherMigration(transaction: SqlRunner): Promise<OtherMigration | undefined> {
  const [other] = await transaction.query<{ readonly pid: string; readonly since: string | null }>(
    `SELECT held.pid::text AS pid, floor(extract(epoch FROM session.xact_start))::bigint::text AS since
     FROM pg_locks AS held LEFT JOIN pg_stat_activity AS session ON session.pid = held.pid
     WHERE held.locktype = 'advisory' AND held.granted AND held.classid = 0 AND held.objid = ${ADVISORY_LOCK} AND held.objsubid = 1
       AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  if (!other) return undefined;
  const { pid, since } = other;
  const began = since === null ? '' : `, since ${new Date(Number(since) * 1_000).toISOString()}`;
  return { who: `process ${pid} of PostgreSQL${began}`, howToEnd: `SELECT pg_terminate_backend(${pid})` };
}

async function migrate(
  transaction: SqlRunner,
  names: TableNames,
  versions: readonly Migration[],
): Promise<StoredVersion> {
  await makeFirstTable(transaction, names);
  const found = await readVersion((text) => transaction.query(text), names);
  refuseNewer(`The schema ${names.shownSchema}`, found, versions.length);
  if (found.version > 0) await makeLostSequences(transaction, names);
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
  const [found] = await transaction.query<{
    readonly encoding: string;
    readonly schema: string;
    readonly migrations: string;
  }>(
    `SELECT ${ENCODING} AS encoding, (to_regnamespace(${sqlLiteral(schema)}) IS NOT NULL)::text AS schema,
            (to_regclass(${sqlLiteral(table)}) IS NOT NULL)::text AS migrations`,
  );
  refuseEncoding(found?.encoding);
  if (found?.schema === 'false') await transaction.execute(`CREATE SCHEMA ${schema}`);
  if (found?.migrations === 'false') await transaction.execute(`CREATE TABLE ${firstTable(names)}`);
}

/**
 * Creates sequences that the tables have lost: a dump of tables by their names leaves them out. They continue after the
 * highest number that the tables have.
 */
async function makeLostSequences(transaction: SqlRunner, names: TableNames): Promise<void> {
  const { fences, versions, inbox, journal, batches } = names;
  const found = await sequencesOf(transaction, names);
  const make = async (sequence: string, numbers: string): Promise<void> => {
    await transaction.execute(`CREATE SEQUENCE ${sequence}`);
    await transaction.query(
      `SELECT setval(${sqlLiteral(sequence)}, coalesce(max(used), 0) + 1, false)::text AS set FROM (${numbers}) AS numbers (used)`,
    );
  };
  if (found.fences === 'false') await make(fences, `SELECT fence FROM ${inbox}`);
  const ofBatches = found.batches === 'true' ? ` UNION ALL SELECT version FROM ${batches}` : '';
  if (found.versions === 'false') await make(versions, `SELECT version FROM ${journal}${ofBatches}`);
}

/** Which sequences there are, and whether there is a table of batches. */
async function sequencesOf(
  transaction: SqlRunner,
  { fences, versions, batches }: TableNames,
): Promise<Partial<Record<'fences' | 'versions' | 'batches', string>>> {
  const [found] = await transaction.query<Record<'fences' | 'versions' | 'batches', string>>(
    `SELECT (to_regclass(${sqlLiteral(fences)}) IS NOT NULL)::text AS fences,
            (to_regclass(${sqlLiteral(versions)}) IS NOT NULL)::text AS versions,
            (to_regclass(${sqlLiteral(batches)}) IS NOT NULL)::text AS batches`,
  );
  return found ?? {};
}
