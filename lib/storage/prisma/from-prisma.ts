import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { CallbackGuard, rollBackOnPostgres } from '../sql/callback-guard.js';
import {
  type SqlDialect,
  type SqlExecutor,
  type SqlRunner,
  type SqlTransaction,
  type SqlTransactionOptions,
} from '../sql/sql-executor.js';
import { GuardedClient, IN_AN_ARRAY, NESTED, type OriginalClient } from './guarded-client.js';
import { type PrismaDatabase, type PrismaRunner } from './prisma-database.js';

/** The providers and the adapters of Prisma that the package has statements for. */
const DIALECTS: Readonly<Record<string, SqlDialect>> = { postgresql: 'postgres', mysql: 'mysql' };
const ADAPTERS = ['@prisma/adapter-pg', '@prisma/adapter-mariadb'];

const LEVELS = {
  'read uncommitted': 'ReadUncommitted',
  'read committed': 'ReadCommitted',
  'repeatable read': 'RepeatableRead',
  serializable: 'Serializable',
} as const satisfies Record<NonNullable<SqlTransactionOptions['isolationLevel']>, string>;
/** The package itself ends a transaction with its lease. Prisma would end it after five seconds; this is the longest timer. */
const TIMEOUT_MS = 2_147_483_647;
/** Longer than the package waits for a connection itself. */
const MAX_WAIT_MS = 30_000;
/** The transaction has ended, or its time was over. */
const CLOSED = 'P2028';

/** What the package reads of a client that its type does not show. */
interface ClientParts extends PrismaDatabase {
  readonly _originalClient: OriginalClient;
  readonly _activeProvider: string;
  readonly _engineConfig?: { readonly adapter?: { readonly adapterName?: string } };
}

/** A nested transaction has the same. */
type TransactionClient = PrismaRunner & {
  $transaction: Nest;
  /** Makes a call that belongs to the transaction. */
  readonly _createPrismaPromise?: unknown;
};
type Nest = (work: (inner: TransactionClient) => Promise<unknown>, options?: object) => Promise<unknown>;

/**
 * Lets the package use the application's `PrismaClient` of Prisma 7 on PostgreSQL (`@prisma/adapter-pg`) or MariaDB
 * (`@prisma/adapter-mariadb`): its connections, and in a handler its `Prisma.TransactionClient`, with the application's
 * extensions. `tx.$transaction((inner) => …)` makes a savepoint.
 *
 * COMMIT and ROLLBACK are refused in a handler, and calls that still come when the handlers have ended. So is a call
 * beside a nested transaction that is still open; nothing is committed then.
 *
 * Prisma does not say how large its pool is. If it is not ten, write `{ ...fromPrisma(prisma), poolSize: 40 }`: with
 * `transactional: true`, webhook deliveries hold half of it at most.
 *
 * @throws PaymentsConfigError if `prisma` is no `PrismaClient`, or its database is not supported.
 *
 * @example
 * ```ts
 * const storage = sqlStorage({ executor: fromPrisma(prisma), transactional: true });
 * ```
 *
 * @publicApi
 */
export function fromPrisma(prisma: PrismaDatabase): SqlExecutor {
  const { client, dialect } = checked(prisma);
  const guarded = GuardedClient.of(client);
  return {
    dialect,
    pool: client,
    ...runOn(client),
    transaction: (work, { isolationLevel } = {}) => {
      const guard = new CallbackGuard(dialect, NESTED);
      const run = (tx: PrismaRunner): ReturnType<typeof work> => {
        const own = unextended(tx, client);
        return guarded.begun(() =>
          readOnlyAfterwards(own, dialect, guard, () =>
            guard.during(() => work(guard.transaction(runOn(own), handleOf(tx as TransactionClient, guard)))),
          ),
        );
      };
      return guard.own(() =>
        guarded.begin(guard, () =>
          prisma.$transaction(run, {
            maxWait: MAX_WAIT_MS,
            timeout: TIMEOUT_MS,
            ...(isolationLevel && { isolationLevel: LEVELS[isolationLevel] }),
          }),
        ),
      );
    },
    wrapTransaction: (handle) => wrapped(handle, client),
  };
}

function checked(prisma: PrismaDatabase): { readonly client: OriginalClient; readonly dialect: SqlDialect } {
  const given = prisma as Partial<ClientParts> | null | undefined;
  const client = given?._originalClient;
  if (!hasKnownParts(client) || typeof given?.$transaction !== 'function' || !isRoot(given)) {
    throw new PaymentsConfigError(
      'fromPrisma(prisma) needs a PrismaClient of Prisma 7: inject PrismaService, or write new PrismaClient({ adapter }).',
    );
  }
  const { _activeProvider: provider = '', _engineConfig: config } = given;
  const dialect = Object.hasOwn(DIALECTS, provider) ? DIALECTS[provider] : undefined;
  if (dialect === undefined) {
    throw new PaymentsConfigError(
      `fromPrisma(prisma) has no statements for the provider ${provider}: it must be ${Object.keys(DIALECTS).join(' or ')}.`,
    );
  }
  const adapter = config?.adapter?.adapterName ?? 'none';
  if (ADAPTERS.includes(adapter)) return { client, dialect };
  throw new PaymentsConfigError(
    `fromPrisma(prisma) does not know the adapter of the PrismaClient (${adapter}): it must be ${ADAPTERS.join(' or ')}.`,
  );
}

function hasKnownParts(client: OriginalClient | undefined): client is OriginalClient {
  return (
    typeof client?._executeRequest === 'function' &&
    typeof client._engine.transaction === 'function' &&
    typeof client._createPrismaPromise === 'function'
  );
}

/** The client of a transaction has everything else. */
function isRoot(client: object): boolean {
  return typeof (client as { readonly $connect?: unknown }).$connect === 'function';
}

/**
 * A transaction without the extensions of the application, as the client is that runs single statements: one of them may send
 * reads to a replica, or change what it gets.
 */
function unextended(tx: PrismaRunner, client: OriginalClient): PrismaRunner {
  const { _createPrismaPromise: value } = tx as TransactionClient;
  if (typeof value !== 'function' || value === client._createPrismaPromise) {
    throw new PaymentsConfigError(
      'fromPrisma(prisma) does not know this version of Prisma: install Prisma 7.10.',
    );
  }
  return Object.create(client, { _createPrismaPromise: { value } }) as PrismaRunner;
}

function runOn(client: PrismaRunner): SqlRunner {
  return {
    query: async <Row extends object>(text: string, params: readonly unknown[] = []) =>
      (await client.$queryRawUnsafe(text, ...params)) as Row[],
    execute: async (text, params = []) => ({ affectedRows: await client.$executeRawUnsafe(text, ...params) }),
  };
}

/**
 * A deadlock ends the transaction in MySQL: what comes after it would be committed at once. It fails if all later
 * transactions of the connection may only read. Prisma ends the transaction and gives the connection back by itself, so
 * the setting is undone before: unlike that of autocommit, this commits nothing.
 */
async function readOnlyAfterwards<T>(
  tx: PrismaRunner,
  dialect: SqlDialect,
  guard: CallbackGuard,
  work: () => Promise<T>,
): Promise<T> {
  const execute = (text: string): PromiseLike<number> => tx.$executeRawUnsafe(text);
  if (dialect !== 'mysql') {
    return work().catch(async (error: unknown) => {
      await guard.own(() => rollBackOnPostgres(execute));
      throw error;
    });
  }
  await execute('SET SESSION TRANSACTION READ ONLY');
  try {
    return await work();
  } finally {
    await guard.own(async () => execute('SET SESSION TRANSACTION READ WRITE'));
  }
}

/** The same client. Everything that a nested transaction calls belongs to it, also through the client outside of it. */
function handleOf(tx: TransactionClient, guard: CallbackGuard): TransactionClient {
  const nest: Nest = (work, options) => {
    if (typeof work !== 'function') return Promise.reject(guard.fail(IN_AN_ARRAY));
    // Prisma would refuse some of it, but only to the handler.
    if (!guard.nested.admits('')) return Promise.reject(guard.refuseBeside());
    return guard.nested.begin(() => tx.$transaction((inner) => work(handleOf(inner, guard)), options));
  };
  return new Proxy(tx, {
    get: (target, name): unknown => (name === '$transaction' ? nest : Reflect.get(target, name)),
  });
}

function wrapped(handle: unknown, client: OriginalClient): SqlTransaction {
  const given = handle as Partial<ClientParts> | null | undefined;
  if (typeof given?.$queryRawUnsafe !== 'function' || !given._originalClient || isRoot(given)) {
    throw new PaymentsConfigError(
      'Prisma needs the client of an open transaction here: write prisma.$transaction(async (tx) => …) and give that tx.',
    );
  }
  if (given._originalClient !== client) {
    throw new PaymentsConfigError(
      'The transaction is of another PrismaClient than fromPrisma() has: give one that belongs to the same.',
    );
  }
  const runner = runOn(unextended(given as PrismaRunner, client));
  return {
    query: (text, params) => runner.query<never>(text, params).catch(endedMeanwhile),
    execute: (text, params) => runner.execute(text, params).catch(endedMeanwhile),
    handle,
  };
}

function endedMeanwhile(error: unknown): never {
  if ((error as { readonly code?: unknown } | null)?.code !== CLOSED) throw error;
  throw new PaymentsConfigError(
    'The transaction of Prisma has ended, or its timeout was over: await enlist… inside of prisma.$transaction(async (tx) => …).',
  );
}
