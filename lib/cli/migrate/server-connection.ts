import { createRequire } from 'node:module';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { withDeadline } from '../../common/timing.js';
import { failureLabel, isPaymentsError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { type Mysql2Pool } from '../../storage/mysql/mysql2-pool.js';
import { type PostgresPool } from '../../storage/postgres/postgres-pool.js';
import { UsageError } from '../usage-error.js';

/** A pool that the command opens and ends. */
interface OwnPool {
  end(): Promise<unknown>;
  on(event: 'error', listener: () => void): unknown;
  /** `connect` of `pg`, `connection` of `mysql2`. */
  on(event: 'connect' | 'connection', listener: (connection: DriverConnection) => void): unknown;
}

/** A connection of `pg`, which has another one inside, or of `mysql2`. */
interface DriverConnection {
  readonly connection?: { readonly stream?: DriverSocket };
  readonly stream?: DriverSocket;
  on(event: 'error', listener: () => void): unknown;
}

interface DriverSocket {
  destroy(): void;
}

interface PgModule {
  readonly Pool: new (config: object) => PostgresPool & OwnPool;
}

interface Mysql2Module {
  createPool(config: object): Mysql2Pool & OwnPool;
}

const CONNECT_MS = 10_000;
const END_MS = 2_000;
const PASSWORD = 'the server refuses the user or the password of DATABASE_URL';
const DATABASE = 'the database of DATABASE_URL does not exist';
const SILENT =
  'the server of DATABASE_URL does not answer: check host and port, and whether a firewall is between';
const RIGHTS =
  'the role of DATABASE_URL may not do that: hand the output of npx nestjs-payments migrate --sql to somebody who may';

/** What the codes of Node.js, of PostgreSQL and of mysql2 mean for who reads the output. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at the address of DATABASE_URL',
  ENOTFOUND: 'the host of DATABASE_URL has no address',
  EAI_AGAIN: 'the host of DATABASE_URL has no address',
  ETIMEDOUT: SILENT,
  ERR_INVALID_URL:
    'DATABASE_URL is no address: write postgres://user:password@host:5432/database, with special characters as %40',
  '28P01': PASSWORD,
  '28000': 'the server refuses the user of DATABASE_URL, or asks for TLS: add ?sslmode=verify-full',
  '3D000': DATABASE,
  '42501': RIGHTS,
  '42P07':
    'a table, sequence or index with a name of the package exists already, and is not its own: choose another --schema',
  ER_ACCESS_DENIED_ERROR: PASSWORD,
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: PASSWORD,
  ER_BAD_DB_ERROR: DATABASE,
  ER_DBACCESS_DENIED_ERROR: RIGHTS,
  ER_TABLEACCESS_DENIED_ERROR: RIGHTS,
};

/** The same for errors of `pg` that have no code. */
const WITHOUT_CODE: Readonly<Record<string, string>> = {
  'The server does not support SSL connections':
    'DATABASE_URL asks for TLS, and the server has none: turn TLS on there, or take sslmode out of DATABASE_URL if nobody else can read the network between',
  'Connection terminated unexpectedly':
    'the server of DATABASE_URL, or something before it, closed the connection: look into its log',
  'Connection terminated due to connection timeout': SILENT,
  'timeout exceeded when trying to connect': SILENT,
};

/** What the codes of a host and its port mean. */
const OF_HOST: Readonly<Record<string, string>> = {
  EACCES:
    'this machine forbids the connection to the server of DATABASE_URL: check its firewall and its routes',
};
/** What the codes of a file mean. One that cannot be connected to is a socket. */
const OF_SOCKET: Readonly<Record<string, string>> = {
  ENOENT: 'nothing listens at the address of DATABASE_URL',
  EACCES: 'the socket of DATABASE_URL cannot be opened: its permissions exclude this user',
};
const OF_FILE: Readonly<Record<string, string>> = {
  ENOENT: 'a certificate file that DATABASE_URL names does not exist',
  EACCES: 'a certificate file that DATABASE_URL names cannot be read: its permissions exclude this user',
  EISDIR: 'a certificate file that DATABASE_URL names is a folder',
};

/** Opens a pool with the application's own `pg`, and ends it after the work. */
export function withPostgresPool<T>(
  connectionString: string,
  folder: string,
  work: (pool: PostgresPool) => Promise<T>,
  max = 1,
): Promise<T> {
  const { Pool } = applicationsPackage('pg', folder) as PgModule;
  return withPool(() => new Pool({ connectionString, max, connectionTimeoutMillis: CONNECT_MS }), work);
}

/** The same with the application's own `mysql2`. */
export function withMysqlPool<T>(
  uri: string,
  folder: string,
  work: (pool: Mysql2Pool) => Promise<T>,
  connectionLimit = 1,
): Promise<T> {
  const mysql2 = applicationsPackage('mysql2/promise', folder) as Mysql2Module;
  return withPool(() => mysql2.createPool({ uri, connectionLimit, connectTimeout: CONNECT_MS }), work);
}

/** No error repeats a part of the address. */
async function withPool<Pool extends OwnPool, T>(
  open: () => Pool,
  work: (pool: Pool) => Promise<T>,
): Promise<T> {
  let pool: Pool | undefined;
  const connections: DriverConnection[] = [];
  try {
    pool = open();
    pool.on('error', () => undefined);
    for (const event of ['connect', 'connection'] as const)
      pool.on(event, (connection) => connections.push(connection));
    return await work(pool);
  } catch (error) {
    throw withoutSecrets(error);
  } finally {
    if (pool) await endPool(pool, connections);
  }
}

/** A server that has fallen silent closes no connection, and each open one would keep the process alive forever. */
async function endPool(pool: OwnPool, connections: readonly DriverConnection[]): Promise<void> {
  const destroyAll = (): void => {
    for (const one of connections) {
      one.on('error', () => undefined);
      (one.connection ?? one).stream?.destroy();
    }
  };
  // Nothing waits for it if every connection is closed before.
  setTimeout(destroyAll, END_MS).unref();
  await withDeadline(pool.end(), performance.now() + END_MS);
}

/** @throws PaymentsStorageError that says how to install it. */
export function applicationsPackage(name: string, folder: string): unknown {
  try {
    return createRequire(join(folder, 'package.json'))(name);
  } catch {
    const packageName = name.split('/', name.startsWith('@') ? 2 : 1).join('/');
    throw new PaymentsStorageError(
      `The package ${packageName} is not installed here: run the command in the folder of the application, or npm install ${packageName}.`,
    );
  }
}

/** Whether the application has a package. */
export function isInstalled(name: string, folder: string): boolean {
  try {
    createRequire(join(folder, 'package.json')).resolve(name);
    return true;
  } catch {
    return false;
  }
}

function meaningsFor(error: unknown): Readonly<Record<string, string>> {
  // Node.js tries all addresses of a host. Only a host has several.
  if (error instanceof AggregateError || (error instanceof Error && 'port' in error)) return OF_HOST;
  const ofFile = error instanceof Error && 'syscall' in error && error.syscall !== 'connect';
  return ofFile ? OF_FILE : OF_SOCKET;
}

/** The texts of drivers and servers repeat addresses, users and rows. */
function withoutSecrets(error: unknown): Error {
  if (isPaymentsError(error) || error instanceof UsageError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const text = error instanceof Error ? error.message : '';
  const problem =
    PROBLEMS[code] ??
    meaningsFor(error)[code] ??
    WITHOUT_CODE[text] ??
    `the database did not do what it was asked: ${failureLabel(error)}`;
  return new PaymentsStorageError(`${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`);
}
