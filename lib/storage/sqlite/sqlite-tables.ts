import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { TABLES } from '../sql/portable-dialect.js';
import { refusalOfNewer, type StoredVersion, versionFit } from '../stored-version.js';
import { type SqliteDatabase } from './sqlite-engine.js';

/**
 * The changes of each version of the tables, and the lowest version that a build must know to use them. Never change a
 * released version: files have it. Texts compare byte by byte (BINARY, the default).
 */
const VERSIONS = [{ statements: firstVersion(), compatibleFrom: 1 }];

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
 * @throws PaymentsStorageError if the file is of a newer version that this build may not use.
 */
export function migrateFile(database: SqliteDatabase, file: string): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec(`CREATE TABLE IF NOT EXISTS ${TABLES.migrations} (
      version INTEGER PRIMARY KEY, compatible_from INTEGER NOT NULL, applied_at INTEGER NOT NULL)`);
    const found = readVersion(database);
    if (versionFit(found, VERSIONS.length) === 'newer') {
      throw new PaymentsStorageError(
        `The file ${file} holds version ${found.version} of the tables of nestjs-payments, which ${refusalOfNewer(found, VERSIONS.length)}.`,
      );
    }
    for (const [index, { statements, compatibleFrom }] of VERSIONS.entries()) {
      const version = index + 1;
      if (version <= found.version) continue;
      database.exec(statements);
      database
        .prepare(`INSERT INTO ${TABLES.migrations} VALUES (?, ?, ?)`)
        .run(version, compatibleFrom, Date.now());
    }
    database.exec('COMMIT');
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
