import { createRequire } from 'node:module';
import { join } from 'node:path';
import { failureLabel, isPaymentsError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { type PostgresPool } from '../../storage/postgres/postgres-pool.js';

/** The part of a `Pool` of `pg` that the command uses. */
interface Pool extends PostgresPool {
  end(): Promise<void>;
  on(event: 'error', listener: () => void): unknown;
}

interface PgModule {
  readonly Pool: new (config: {
    readonly connectionString: string;
    readonly max: number;
    readonly connectionTimeoutMillis: number;
  }) => Pool;
}

const CONNECT_MS = 10_000;

/** What the codes of Node.js and of PostgreSQL mean for who reads the output. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at the address of DATABASE_URL',
  ENOTFOUND: 'the host of DATABASE_URL has no address',
  EAI_AGAIN: 'the host of DATABASE_URL has no address',
  ETIMEDOUT: 'the server of DATABASE_URL does not answer',
  ERR_INVALID_URL:
    'DATABASE_URL is no address: write postgres://user:password@host:5432/database, with special characters as %40',
  '28P01': 'the server refuses the password of DATABASE_URL',
  '28000': 'the server refuses the user of DATABASE_URL, or asks for TLS: add ?sslmode=verify-full',
  '3D000': 'the database of DATABASE_URL does not exist',
  '42501':
    'the role of DATABASE_URL may not do that: hand the output of npx nestjs-payments migrate --sql to somebody who may',
  '42P07':
    'a table, sequence or index with a name of the package exists already, and is not its own: choose another --schema',
};

/** Opens a pool with the application's own `pg`, and ends it after the work. No error repeats a part of the address. */
export async function withPostgresPool<T>(
  connectionString: string,
  folder: string,
  work: (pool: PostgresPool) => Promise<T>,
): Promise<T> {
  const { Pool } = applicationsPg(folder);
  let pool: Pool | undefined;
  try {
    pool = new Pool({ connectionString, max: 1, connectionTimeoutMillis: CONNECT_MS });
    pool.on('error', () => undefined);
    return await work(pool);
  } catch (error) {
    throw withoutSecrets(error);
  } finally {
    await pool?.end();
  }
}

function applicationsPg(folder: string): PgModule {
  try {
    return createRequire(join(folder, 'package.json'))('pg') as PgModule;
  } catch {
    throw new PaymentsStorageError(
      'The package pg is not installed here: run the command in the folder of the application, or npm install pg.',
    );
  }
}

/** The texts of drivers and servers repeat addresses, users and rows. */
function withoutSecrets(error: unknown): Error {
  if (isPaymentsError(error)) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const problem = PROBLEMS[code] ?? `PostgreSQL did not do what it was asked: ${failureLabel(error)}`;
  return new PaymentsStorageError(`${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`);
}
