import { existsSync } from 'node:fs';
import { TABLES } from '../sql/portable-dialect.js';
import { type Migration, migrationScript, type StorageTables } from '../storage-tables.js';
import { refuseNewer, type StoredVersion } from '../stored-version.js';
import { sqliteFailure } from './sqlite-connection.js';
import { openSqlite, type SqliteDatabase, type SqliteHandle } from './sqlite-engine.js';

/**
 * The changes of each version of the tables. Never change a released version: files have it. Texts compare byte by byte
 * (BINARY, the default).
 */
export const SQLITE_MIGRATIONS: readonly (Migration & Required<Pick<Migration, 'compatibleFrom'>>)[] = [
  { statements: firstVersion(), compatibleFrom: 1 },
  { statements: dailyCountVersion(), compatibleFrom: 1 },
  { statements: batchVersion(), compatibleFrom: 1 },
  { statements: reconciliationVersion(), compatibleFrom: 1 },
];

/** Builds of version 1 work on: they count nothing, and miss nothing. */
function dailyCountVersion(): string {
  return `
    CREATE TABLE ${TABLES.dailyCounts} (
      account TEXT NOT NULL, environment TEXT NOT NULL, family TEXT NOT NULL,
      day INTEGER NOT NULL, payments INTEGER NOT NULL, cents INTEGER NOT NULL,
      PRIMARY KEY (account, environment, family)
    );
  `;
}

/** Builds of version 1 and 2 work on: they have no batches. */
function batchVersion(): string {
  const { batches, batchEvents, batchLines, batchChunks, batchCounts } = TABLES;
  return `
    CREATE TABLE ${batches} (
      account TEXT NOT NULL, environment TEXT NOT NULL, name TEXT NOT NULL,
      batch_load TEXT NOT NULL UNIQUE, state TEXT NOT NULL, digest TEXT, details TEXT NOT NULL,
      version INTEGER NOT NULL, events INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
      PRIMARY KEY (account, environment, name)
    );
    CREATE INDEX ${batches}_digest ON ${batches} (account, environment, digest);
    CREATE INDEX ${batches}_state ON ${batches} (state, batch_load);

    CREATE TABLE ${batchEvents} (
      account TEXT NOT NULL, environment TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL,
      at INTEGER NOT NULL, action TEXT NOT NULL, actor TEXT NOT NULL, details TEXT NOT NULL,
      PRIMARY KEY (account, environment, name, number)
    );

    CREATE TABLE ${batchLines} (
      batch_load TEXT NOT NULL, line_number INTEGER NOT NULL, line_key TEXT NOT NULL,
      chunk INTEGER NOT NULL, state TEXT NOT NULL, cents INTEGER NOT NULL, recipient TEXT NOT NULL, content TEXT NOT NULL, result TEXT NOT NULL,
      updated_at INTEGER NOT NULL,
      PRIMARY KEY (batch_load, line_number),
      UNIQUE (batch_load, line_key)
    );
    CREATE INDEX ${batchLines}_states ON ${batchLines} (batch_load, state, chunk, line_number);
    CREATE INDEX ${batchLines}_recipients ON ${batchLines} (recipient, cents);

    CREATE TABLE ${batchChunks} (
      batch_load TEXT NOT NULL, chunk INTEGER NOT NULL, digest TEXT NOT NULL,
      first_line INTEGER NOT NULL, last_line INTEGER NOT NULL,
      PRIMARY KEY (batch_load, chunk)
    );

    CREATE TABLE ${batchCounts} (
      batch_load TEXT NOT NULL, state TEXT NOT NULL, line_count INTEGER NOT NULL, cents INTEGER NOT NULL,
      PRIMARY KEY (batch_load, state)
    );
  `;
}

/** Builds of version 1 to 3 work on: they have no reconciliation. */
function reconciliationVersion(): string {
  const { reconciliation } = TABLES;
  return `
    CREATE TABLE ${reconciliation} (
      account TEXT NOT NULL, environment TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
      state TEXT NOT NULL, details TEXT NOT NULL, version INTEGER NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
      PRIMARY KEY (account, environment, kind, id)
    );
    CREATE INDEX ${reconciliation}_states ON ${reconciliation} (account, environment, kind, state, id);
    CREATE INDEX ${reconciliation}_age ON ${reconciliation} (account, environment, kind, state, updated_at);
  `;
}

const FIRST_TABLE = `CREATE TABLE IF NOT EXISTS ${TABLES.migrations} (
  version INTEGER PRIMARY KEY, compatible_from INTEGER NOT NULL, applied_at INTEGER NOT NULL)`;

function firstVersion(): string {
  const { inbox, setAside, journal, tombstones } = TABLES;
  return `
    CREATE TABLE ${inbox} (
      account TEXT NOT NULL, environment TEXT NOT NULL, kind TEXT NOT NULL, reference TEXT NOT NULL,
      event TEXT NOT NULL, fingerprint TEXT NOT NULL, provider_reference TEXT,
      state TEXT NOT NULL CHECK (state IN ('running', 'open', 'done')),
      fence TEXT NOT NULL, attempt INTEGER NOT NULL, finished TEXT NOT NULL,
      changed_at INTEGER NOT NULL, lease_until INTEGER NOT NULL,
      PRIMARY KEY (account, environment, kind, reference)
    );
    CREATE INDEX ${inbox}_done ON ${inbox} (account, environment, changed_at) WHERE state = 'done';

    CREATE TABLE ${setAside} (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      account TEXT NOT NULL, environment TEXT NOT NULL, kind TEXT NOT NULL, fingerprint TEXT NOT NULL,
      event TEXT NOT NULL, reference TEXT NOT NULL, payload TEXT NOT NULL,
      seen INTEGER NOT NULL, first_seen_at INTEGER NOT NULL,
      UNIQUE (account, environment, kind, fingerprint)
    );
    CREATE INDEX ${setAside}_pages ON ${setAside} (account, environment, id);
    CREATE INDEX ${setAside}_age ON ${setAside} (account, environment, kind, first_seen_at);

    CREATE TABLE ${journal} (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      account TEXT NOT NULL, environment TEXT NOT NULL, family TEXT NOT NULL, reference TEXT NOT NULL,
      payment TEXT NOT NULL, state TEXT NOT NULL, attempt INTEGER NOT NULL, intent TEXT NOT NULL, record TEXT NOT NULL,
      outcome TEXT, settled_by TEXT, keeps_key INTEGER NOT NULL, version INTEGER NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, attempt_at INTEGER NOT NULL, lease_until INTEGER NOT NULL,
      UNIQUE (account, environment, family, reference)
    );
    CREATE INDEX ${journal}_pages ON ${journal} (account, environment, family, state, created_at, id);
    CREATE INDEX ${journal}_age ON ${journal} (account, environment, state, updated_at);

    CREATE TABLE ${tombstones} (
      account TEXT NOT NULL, environment TEXT NOT NULL, payment TEXT NOT NULL,
      attempt INTEGER NOT NULL, ended TEXT NOT NULL, settled_by TEXT, left_at INTEGER NOT NULL,
      PRIMARY KEY (account, environment, payment)
    );
    CREATE INDEX ${tombstones}_age ON ${tombstones} (account, environment, left_at);
  `;
}

/**
 * Makes what is missing, all or nothing.
 *
 * @returns The version that it found.
 *
 * @throws PaymentsStorageError if the file is of a newer version that this build may not use.
 */
export function migrateFile(database: SqliteDatabase, file: string): StoredVersion {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec(FIRST_TABLE);
    const found = readVersion(database);
    refuseNewer(`The file ${file}`, found, SQLITE_MIGRATIONS.length);
    for (const [index, { statements, compatibleFrom }] of SQLITE_MIGRATIONS.entries()) {
      const version = index + 1;
      if (version <= found.version) continue;
      database.exec(statements);
      database
        .prepare(`INSERT INTO ${TABLES.migrations} VALUES (?, ?, ?)`)
        .run(version, compatibleFrom, Date.now());
    }
    database.exec('COMMIT');
    return found;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

function readVersion(database: SqliteDatabase): StoredVersion {
  const row = database
    .prepare(
      `SELECT version, compatible_from AS compatibleFrom FROM ${TABLES.migrations} ORDER BY version DESC LIMIT 1`,
    )
    .get();
  return row === undefined ? { version: 0 } : { ...(row as StoredVersion) };
}

/** The tables in a file. Reading their version does not make it. */
export function sqliteTables(file: string): StorageTables {
  const use = <T>(options: { readonly readOnly: boolean }, work: (database: SqliteHandle) => T): T => {
    let database: SqliteHandle | undefined;
    try {
      database = openSqlite(file, options);
      return work(database);
    } catch (error) {
      throw sqliteFailure(error, file);
    } finally {
      database?.close();
    }
  };
  return {
    place: `The file ${file}`,
    found: () => {
      if (!existsSync(file)) return { version: 0 };
      return use({ readOnly: true }, (database) =>
        hasTables(database) ? readVersion(database) : { version: 0 },
      );
    },
    migrate: () =>
      use({ readOnly: false }, (database) => {
        database.exec(
          `PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL`,
        );
        return migrateFile(database, file);
      }),
  };
}

/** How long a migration waits for the application's own writing. */
const BUSY_MS = 4_000;

function hasTables(database: SqliteDatabase): boolean {
  const found = database
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
    .get(TABLES.migrations);
  return found !== undefined;
}

/** What a person runs who migrates by hand. */
export function sqliteScript(from: number): string {
  return migrationScript(SQLITE_MIGRATIONS, from, {
    first: `${FIRST_TABLE};`,
    record: (version, { compatibleFrom }) =>
      `INSERT INTO ${TABLES.migrations} VALUES (${version}, ${String(compatibleFrom)}, strftime('%s', 'now') * 1000);`,
  });
}
