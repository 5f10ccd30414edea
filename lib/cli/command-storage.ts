import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hasSqlite } from '../common/has-sqlite.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { lockFolder } from '../sandbox/state/folder-lock.js';
import { fromMysql2 } from '../storage/mysql/from-mysql2.js';
import { type Mysql2Pool } from '../storage/mysql/mysql2-pool.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import { type PostgresPool } from '../storage/postgres/postgres-pool.js';
import { refusalOfNewer, versionFit } from '../storage/stored-version.js';
import { type Dialect, DIALECTS, type TablesPlace } from './migrate/dialects.js';
import {
  applicationsPackage,
  isInstalled,
  withMysqlPool,
  withPostgresPool,
} from './migrate/server-connection.js';
import { shellWord } from './shell-word.js';
import { UsageError } from './usage-error.js';
import { openPglite } from './pglite.js';

const SQLITE_FILE = 'payouts.db';
const PGLITE_FOLDER = 'payouts.pglite';
const PGLITE = /\.pglite\/?$/;
/** Where a folder of PGlite has its database. */
const PGLITE_DATA = 'data';
const CONNECTIONS = 8;
const OWNER_ALONE = 0o600;

/** Where the payments of a command are written down. */
interface CommandStorage {
  readonly storage: PaymentsStorage;
  /** For people; it never holds an address with a password. */
  readonly place: string;
}

/** What the command line and the environment say of it. */
interface StoragePlace {
  /** `DATABASE_URL`. */
  readonly url: string;
  /** `--database`. */
  readonly database: string | undefined;
  readonly schema: string | undefined;
  /** `--dotenv`: a command for the same storage repeats it. */
  readonly dotenv: string | undefined;
  readonly folder: string;
  /** Whether a file that is missing is made: a report in the wrong folder must not leave one behind. */
  readonly mayBeNew: boolean;
  /** For people: what to do if the file is missing, and must not be made. */
  readonly missing: (file: string) => string;
}

type Work<T> = (storage: CommandStorage) => Promise<T>;

/**
 * Opens the storage for a piece of work: a server, or a file that belongs to one process at a time.
 *
 * @throws UsageError if the options say nothing sensible; PaymentsConfigError if something is missing.
 */
export function withStorage<T>(place: StoragePlace, work: Work<T>): Promise<T> {
  const { url, database, schema, folder, dotenv } = place;
  if (database?.includes('://')) {
    throw new UsageError(
      '--database takes a path: set DATABASE_URL for a server, which no list of processes shows.',
    );
  }
  const server = database === undefined ? serverOf(url) : undefined;
  if (schema !== undefined && server?.option !== 'schema') {
    throw new UsageError('--schema has no meaning without PostgreSQL.');
  }
  if (server) return withServer(server, { url, schema, folder, dotenv, file: undefined }, work);
  const path = resolve(folder, database ?? usualPlace(place));
  if (!place.mayBeNew && !existsSync(path))
    throw new PaymentsConfigError(place.missing(database ?? SQLITE_FILE));
  return isPglite(path) ? withPglite(path, place, work) : withSqlite(path, work);
}

/** @throws UsageError if the address is one of another kind of database. */
function serverOf(url: string): Dialect | undefined {
  if (url === '') return undefined;
  const found = DIALECTS.find(({ protocols }) => protocols.some((protocol) => url.startsWith(protocol)));
  if (found) return found;
  throw new UsageError(
    'DATABASE_URL begins with neither postgres:// nor mysql://: write --database <path> for a file of the payouts alone.',
  );
}

/** A server, and what a command for it repeats. */
type ServerPlace = TablesPlace & Pick<StoragePlace, 'dotenv'>;

async function withServer<T>(dialect: Dialect, place: ServerPlace, work: Work<T>): Promise<T> {
  await refuseOtherTables(dialect, place);
  const { url, schema, folder } = place;
  if (dialect.option === 'schema') {
    const { postgresStorage } = await import('nestjs-payments/postgres');
    const inSchema = schema !== undefined && { schema };
    const open = (pool: PostgresPool): Promise<T> =>
      work({ storage: postgresStorage({ pool, ...inSchema }), place: 'PostgreSQL of DATABASE_URL' });
    return withPostgresPool(url, folder, open, CONNECTIONS);
  }
  const { sqlStorage } = await import('nestjs-payments/sql');
  const open = (pool: Mysql2Pool): Promise<T> =>
    work({ storage: sqlStorage({ executor: fromMysql2(pool) }), place: 'the database of DATABASE_URL' });
  return withMysqlPool(url, folder, open, CONNECTIONS);
}

/** A server has other users, so this command does not change its tables. */
async function refuseOtherTables(dialect: Dialect, place: ServerPlace): Promise<void> {
  const { where, found } = await dialect.use(place, async (tables) => ({
    where: tables.place,
    found: await tables.found(),
  }));
  const fit = versionFit(found, dialect.needed);
  if (fit === 'usable') return;
  const options = (['schema', 'dotenv'] as const)
    .filter((name) => place[name] !== undefined)
    .map((name) => ` --${name} ${shellWord(place[name] ?? '')}`);
  throw new PaymentsConfigError(
    fit === 'newer'
      ? `${where} holds version ${found.version} of the tables, which ${refusalOfNewer(found, dialect.needed)}.`
      : `${where} holds no tables of this version of nestjs-payments: run npx nestjs-payments migrate${options.join('')}.`,
  );
}

async function withSqlite<T>(path: string, work: Work<T>): Promise<T> {
  const { sqliteStorage } = await import('nestjs-payments/sqlite');
  if (!hasSqlite()) throw noEmbedded();
  // It holds names and accounts. SQLite gives the files beside it the same rights.
  await written(path, () => {
    closeSync(openSync(path, 'a', OWNER_ALONE));
  });
  return work({ storage: sqliteStorage({ file: path }), place: path });
}

async function withPglite<T>(path: string, { folder }: StoragePlace, work: Work<T>): Promise<T> {
  if (!isInstalled('@electric-sql/pglite', folder)) throw noEmbedded();
  const lock = await written(path, () => {
    if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
    return lockFolder(path, { holder: 'nestjs-payments command', other: '--database' });
  });
  try {
    const { postgresStorage } = await import('nestjs-payments/postgres');
    const { pool, close } = await openPglite(join(path, PGLITE_DATA), (name) =>
      applicationsPackage(name, folder),
    );
    try {
      // A second process would spoil the files.
      const lost = lock.lost.then((error) => Promise.reject(error));
      return await Promise.race([
        work({ storage: postgresStorage({ pool, migrate: true }), place: path }),
        lost,
      ]);
    } finally {
      await close();
    }
  } finally {
    lock.release();
  }
}

/** What is there wins over what would be made today: a newer Node.js must not begin with an empty storage. */
function usualPlace({ folder, mayBeNew }: StoragePlace): string {
  const found = [SQLITE_FILE, PGLITE_FOLDER].filter((name) => existsSync(join(folder, name)));
  if (found.length > 1) {
    throw new UsageError(`There are ${found.join(' and ')} here: say with --database which one you mean.`);
  }
  if (found[0] !== undefined) return found[0];
  if (hasSqlite() || !mayBeNew) return SQLITE_FILE;
  if (isInstalled('@electric-sql/pglite', folder)) return PGLITE_FOLDER;
  throw noEmbedded();
}

/** Another folder is none: it would be filled with the files of a new database. */
function isPglite(path: string): boolean {
  return PGLITE.test(path) || existsSync(join(path, PGLITE_DATA, 'PG_VERSION'));
}

function noEmbedded(): PaymentsConfigError {
  return new PaymentsConfigError(
    'There is no place to write payouts down: set DATABASE_URL, or run Node.js 22.13 or newer for a file of SQLite, or ' +
      'npm install @electric-sql/pglite pg for PostgreSQL in a folder.',
  );
}

/** What cannot be written is a wrong place, and no crash. */
async function written<T>(path: string, write: () => T | Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new PaymentsConfigError(
      `${path} cannot be written (${String(code)}): write --database <path> in a folder that is yours, or set DATABASE_URL.`,
    );
  }
}
