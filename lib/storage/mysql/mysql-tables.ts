import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { errorCodes } from '../sql/error-code.js';
import {
  type MigrationTry,
  MigrationTurn,
  type OtherMigration,
  type TellMigration,
} from '../sql/migration-turn.js';
import { TABLES } from '../sql/portable-dialect.js';
import { type SqlExecutor, type SqlRunner } from '../sql/sql-executor.js';
import { type Migration, migrationScript, singleStatements, type StorageTables } from '../storage-tables.js';
import { refuseNewer, type StoredVersion, versionFit } from '../stored-version.js';
import { checkValues } from './mysql-settings.js';

const OPTIONS = 'ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET = utf8mb4';
const FIRST_TABLE = `CREATE TABLE IF NOT EXISTS ${TABLES.migrations} (
  version INT NOT NULL PRIMARY KEY, compatible_from INT NOT NULL, applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP) ${OPTIONS}`;

/**
 * The changes of each version of the tables. Never change a released version: databases have it.
 *
 * MySQL commits every statement that changes tables by itself, so a migration may end in its middle: each statement must
 * do nothing if it was done before. Texts are bytes, because a text type would ignore blanks at the end and the case.
 */
export const MYSQL_MIGRATIONS: readonly (Migration & Required<Pick<Migration, 'compatibleFrom'>>)[] = [
  { statements: firstVersion(), compatibleFrom: 1 },
  { statements: dailyCountVersion(), compatibleFrom: 1 },
  { statements: batchVersion(), compatibleFrom: 1 },
  { statements: reconciliationVersion(), compatibleFrom: 1 },
];

/** Builds of version 1 work on: they count nothing, and miss nothing. */
function dailyCountVersion(): string {
  return `
    CREATE TABLE IF NOT EXISTS ${TABLES.dailyCounts} (
      account VARBINARY(255) NOT NULL, environment VARBINARY(16) NOT NULL, family VARBINARY(32) NOT NULL,
      day BIGINT NOT NULL, payments BIGINT NOT NULL, cents DECIMAL(38, 0) NOT NULL,
      PRIMARY KEY (account, environment, family)
    ) ${OPTIONS} COMMENT = 'nestjs-payments: what was counted towards limits.perDay, one row an account and family';
  `;
}

/** Builds of version 1 and 2 work on: they have no batches. */
function batchVersion(): string {
  const { batches, batchEvents, batchLines, batchChunks, batchCounts } = TABLES;
  return `
    CREATE TABLE IF NOT EXISTS ${batches} (
      account VARBINARY(255) NOT NULL, environment VARBINARY(16) NOT NULL, name VARBINARY(1024) NOT NULL,
      batch_load VARBINARY(32) NOT NULL, state VARBINARY(16) NOT NULL, digest VARBINARY(64), details LONGBLOB NOT NULL,
      version BIGINT NOT NULL, events BIGINT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
      PRIMARY KEY (account, environment, name),
      UNIQUE KEY ${batches}_load (batch_load),
      KEY ${batches}_digest (account, environment, digest),
      KEY ${batches}_state (state, batch_load)
    ) ${OPTIONS} COMMENT = 'nestjs-payments: batches of payouts';

    CREATE TABLE IF NOT EXISTS ${batchEvents} (
      account VARBINARY(255) NOT NULL, environment VARBINARY(16) NOT NULL, name VARBINARY(1024) NOT NULL,
      number BIGINT NOT NULL, at BIGINT NOT NULL, action BLOB NOT NULL, actor BLOB NOT NULL, details LONGBLOB NOT NULL,
      PRIMARY KEY (account, environment, name, number)
    ) ${OPTIONS} COMMENT = 'nestjs-payments: who did what with a batch';

    CREATE TABLE IF NOT EXISTS ${batchLines} (
      batch_load VARBINARY(32) NOT NULL, line_number BIGINT NOT NULL, line_key VARBINARY(64) NOT NULL,
      chunk BIGINT NOT NULL, state VARBINARY(16) NOT NULL, cents BIGINT NOT NULL, recipient VARBINARY(64) NOT NULL,
      content MEDIUMBLOB NOT NULL COMMENT 'personal data: whom the line pays',
      result MEDIUMBLOB NOT NULL COMMENT 'personal data: what its check found',
      updated_at BIGINT NOT NULL,
      PRIMARY KEY (batch_load, line_number),
      UNIQUE KEY ${batchLines}_one (batch_load, line_key),
      KEY ${batchLines}_states (batch_load, state, chunk, line_number),
      KEY ${batchLines}_recipients (recipient, cents)
    ) ${OPTIONS};

    CREATE TABLE IF NOT EXISTS ${batchChunks} (
      batch_load VARBINARY(32) NOT NULL, chunk BIGINT NOT NULL, digest VARBINARY(64) NOT NULL,
      first_line BIGINT NOT NULL, last_line BIGINT NOT NULL,
      PRIMARY KEY (batch_load, chunk)
    ) ${OPTIONS};

    CREATE TABLE IF NOT EXISTS ${batchCounts} (
      batch_load VARBINARY(32) NOT NULL, state VARBINARY(16) NOT NULL, line_count BIGINT NOT NULL,
      cents DECIMAL(38, 0) NOT NULL,
      PRIMARY KEY (batch_load, state)
    ) ${OPTIONS} COMMENT = 'nestjs-payments: how many lines of a batch are in each state';
  `;
}

/** Builds of version 1 to 3 work on: they have no reconciliation. */
function reconciliationVersion(): string {
  const { reconciliation } = TABLES;
  return `
    CREATE TABLE IF NOT EXISTS ${reconciliation} (
      account VARBINARY(255) NOT NULL, environment VARBINARY(16) NOT NULL, kind VARBINARY(32) NOT NULL,
      id VARBINARY(128) NOT NULL, state VARBINARY(32) NOT NULL, details LONGBLOB NOT NULL,
      version BIGINT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
      PRIMARY KEY (account, environment, kind, id),
      KEY ${reconciliation}_states (account, environment, kind, state, id),
      KEY ${reconciliation}_age (account, environment, kind, state, updated_at)
    ) ${OPTIONS} COMMENT = 'nestjs-payments: balances, closes of days, and exceptions';
  `;
}

function firstVersion(): string {
  const { inbox, setAside, journal, tombstones } = TABLES;
  return `
    CREATE TABLE IF NOT EXISTS ${inbox} (
      account VARBINARY(255) NOT NULL, environment VARBINARY(16) NOT NULL, kind VARBINARY(32) NOT NULL,
      reference VARBINARY(1536) NOT NULL,
      event BLOB NOT NULL, fingerprint VARBINARY(64) NOT NULL, provider_reference VARBINARY(64),
      state VARBINARY(16) NOT NULL, fence VARBINARY(32) NOT NULL, attempt INT NOT NULL, finished MEDIUMBLOB NOT NULL,
      changed_at BIGINT NOT NULL, lease_until BIGINT NOT NULL,
      PRIMARY KEY (account, environment, kind, reference),
      KEY ${inbox}_done (account, environment, state, changed_at)
    ) ${OPTIONS} COMMENT = 'nestjs-payments: which webhook deliveries were handled';

    CREATE TABLE IF NOT EXISTS ${setAside} (
      id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
      account VARBINARY(255) NOT NULL, environment VARBINARY(16) NOT NULL, kind VARBINARY(32) NOT NULL,
      fingerprint VARBINARY(64) NOT NULL, event BLOB NOT NULL, reference BLOB NOT NULL,
      payload LONGBLOB NOT NULL COMMENT 'personal data: the webhook as it was sent',
      seen INT NOT NULL, first_seen_at BIGINT NOT NULL,
      UNIQUE KEY ${setAside}_one (account, environment, kind, fingerprint),
      KEY ${setAside}_pages (account, environment, id),
      KEY ${setAside}_age (account, environment, kind, first_seen_at)
    ) ${OPTIONS};

    CREATE TABLE IF NOT EXISTS ${journal} (
      id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
      account VARBINARY(255) NOT NULL, environment VARBINARY(16) NOT NULL, family VARBINARY(32) NOT NULL,
      reference VARBINARY(1536) NOT NULL, payment VARBINARY(32) NOT NULL, state VARBINARY(32) NOT NULL,
      attempt INT NOT NULL, intent VARBINARY(255) NOT NULL,
      record LONGBLOB NOT NULL COMMENT 'personal data: the request until its payment ended, and the answer',
      outcome VARBINARY(64), settled_by VARBINARY(64), keeps_key TINYINT NOT NULL, version BIGINT NOT NULL,
      created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, attempt_at BIGINT NOT NULL, lease_until BIGINT NOT NULL,
      UNIQUE KEY ${journal}_one (account, environment, family, reference),
      KEY ${journal}_pages (account, environment, family, state, created_at, id),
      KEY ${journal}_age (account, environment, state, updated_at)
    ) ${OPTIONS};

    CREATE TABLE IF NOT EXISTS ${tombstones} (
      account VARBINARY(255) NOT NULL, environment VARBINARY(16) NOT NULL, payment VARBINARY(32) NOT NULL,
      attempt INT NOT NULL, ended VARBINARY(64) NOT NULL, settled_by VARBINARY(64), left_at BIGINT NOT NULL,
      PRIMARY KEY (account, environment, payment),
      KEY ${tombstones}_age (account, environment, left_at)
    ) ${OPTIONS} COMMENT = 'nestjs-payments: hashes of the payments that the journal has forgotten';
  `;
}

/** Only other migrations of this database ask for this lock. MySQL forgets it at the end of the connection. */
const LOCK = "CONCAT('nestjs_payments.', SHA1(DATABASE()))";

/**
 * Makes what is missing. A migration that ends in its middle continues at the next call. Resolves to the version that it
 * found when it was its turn.
 */
export function migrateMysql(executor: SqlExecutor, tell: TellMigration): Promise<StoredVersion> {
  return new MigrationTurn('the database', tell).run(() => tryOnce(executor));
}

/** Migrates, unless another migration runs and there is something to do. */
async function tryOnce(executor: SqlExecutor): Promise<MigrationTry<StoredVersion>> {
  let tried: MigrationTry<StoredVersion> = { behind: undefined };
  // For its connection: MySQL commits the tables one by one.
  await executor.transaction(async (connection) => {
    // Also the record of a version, before the others get the lock.
    await connection.execute('SET autocommit = 1');
    // An executor may have the connection refuse what comes after the transaction.
    await connection.execute('SET SESSION TRANSACTION READ WRITE');
    const [lock] = await connection.query<{ readonly held: unknown }>(`SELECT GET_LOCK(${LOCK}, 0) AS held`);
    // The server had no memory for it, for example. Nobody holds it then.
    if (lock?.held === null)
      throw new PaymentsStorageError('The database could not give the lock of a migration.');
    if (Number(lock?.held) !== 1) {
      tried = { behind: await otherMigration(connection) };
      return;
    }
    try {
      tried = { done: await migrate(connection) };
    } finally {
      await connection.query(`SELECT RELEASE_LOCK(${LOCK}) AS released`);
    }
  });
  if ('done' in tried) return tried;
  const found = await foundVersion(executor);
  if (versionFit(found, MYSQL_MIGRATIONS.length) === 'older') return tried;
  refuseNewer('The database', found, MYSQL_MIGRATIONS.length);
  return { done: found };
}

/** Who has the lock. */
async function otherMigration(connection: SqlRunner): Promise<OtherMigration | undefined> {
  const [lock] = await connection.query<{ readonly holder: unknown }>(
    `SELECT IS_USED_LOCK(${LOCK}) AS holder`,
  );
  const holder = Number(lock?.holder);
  return holder ? { who: `connection ${holder} of the database`, howToEnd: `KILL ${holder}` } : undefined;
}

async function migrate(connection: SqlRunner): Promise<StoredVersion> {
  await connection.execute(FIRST_TABLE);
  const found = await readVersion(connection);
  refuseNewer('The database', found, MYSQL_MIGRATIONS.length);
  for (const [index, made] of MYSQL_MIGRATIONS.entries()) {
    const version = index + 1;
    if (version <= found.version) continue;
    for (const text of singleStatements(made)) await connection.execute(text);
    await connection.execute(recordVersion(version, made));
  }
  return found;
}

function recordVersion(version: number, { compatibleFrom = version }: Migration): string {
  return `INSERT INTO ${TABLES.migrations} (version, compatible_from) VALUES (${version}, ${compatibleFrom})
  ON DUPLICATE KEY UPDATE version = version`;
}

/** What a person runs who migrates by hand. */
export function mysqlScript(from: number): string {
  return migrationScript(MYSQL_MIGRATIONS, from, {
    first: `${FIRST_TABLE};`,
    record: (version, made) => `${recordVersion(version, made)};`,
    how: 'MySQL commits each statement: if it ends in the middle, run all of it again.',
  });
}

/** The tables in the database of the connection. */
export function mysqlTables(executor: SqlExecutor): StorageTables {
  return {
    place: 'The database',
    found: () => foundVersion(executor),
    migrate: (tell) => migrateMysql(executor, tell),
  };
}

async function readVersion(runner: SqlRunner): Promise<StoredVersion> {
  const [row] = await runner.query<{ readonly version: unknown; readonly compatible_from: unknown }>(
    `SELECT version, compatible_from FROM ${TABLES.migrations} ORDER BY version DESC LIMIT 1`,
  );
  return row ? { version: Number(row.version), compatibleFrom: Number(row.compatible_from) } : { version: 0 };
}

/** Table and column that do not exist. */
export const NOT_MIGRATED = ['1146', '1054'];

/** The version of the existing tables; 0 if there are none. */
function foundVersion(runner: SqlRunner): Promise<StoredVersion> {
  return readVersion(runner).catch((error: unknown) => {
    if (errorCodes(error).some((code) => NOT_MIGRATED.includes(code))) return { version: 0 };
    throw error;
  });
}

/**
 * Checks the tables, and how their columns are read.
 *
 * @throws PaymentsStorageError if the tables are missing, or of a version that this build cannot use, or if the connections
 * change what they read from them.
 */
export async function checkMysql(runner: SqlRunner): Promise<void> {
  const found = await foundVersion(runner);
  const needed = MYSQL_MIGRATIONS.length;
  refuseNewer('The database', found, needed);
  if (versionFit(found, needed) === 'usable') return checkValues(runner);
  throw new PaymentsStorageError(
    `The database holds version ${found.version} of the tables of nestjs-payments, and this version of the package needs ` +
      `${needed}: call migrateSqlStorage(executor) when you deploy.`,
  );
}
