import { PaymentsConfigError } from '../../errors/payments-errors.js';
import {
  type SqlDialect,
  type SqlExecutor,
  type SqlRunner,
  type SqlTransaction,
  type SqlTransactionOptions,
} from '../sql/sql-executor.js';
import { CallbackGuard, type OwnConnection, rollBackOnPostgres } from '../sql/callback-guard.js';
import { runnerBy } from '../sql/driver-result.js';
import { runnerIn } from '../sql/own-statements.js';
import { isReadOnlyServer } from '../sql/read-only-server.js';
import {
  type KyselyConnection,
  type KyselyDatabase,
  type KyselyExecutor,
  type KyselyResult,
} from './kysely-database.js';

/** The adapters of Kysely's dialects that the package has statements for. */
const DIALECTS: Readonly<Record<string, SqlDialect>> = {
  PostgresAdapter: 'postgres',
  MysqlAdapter: 'mysql',
};
/** How a transaction begins. */
const BEGIN: Readonly<Record<SqlDialect, (level: IsolationLevel) => readonly string[]>> = {
  postgres: (level) => [level ? `begin isolation level ${level}` : 'begin'],
  mysql: (level) => [...(level ? [`set transaction isolation level ${level}`] : []), 'begin'],
};
/** What Kysely says of a transaction that has ended. */
const ENDED = /Transaction is already (?:committed|rolled back)/;

type IsolationLevel = SqlTransactionOptions['isolationLevel'];

/** A query as Kysely compiles it. */
interface Compiled {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly query: object;
  readonly queryId: object;
}

interface Connection {
  readonly executeQuery: (query: Compiled) => Promise<KyselyResult>;
  readonly streamQuery: (query: Compiled, chunkSize?: number) => AsyncIterableIterator<KyselyResult>;
}

type Compile = (node: object, queryId: object) => Compiled;

type KyselyClass = new (config: object) => {
  startTransaction(): { execute(): Promise<object> };
};

/**
 * Lets the package use the application's Kysely 0.28 or newer on PostgreSQL or MySQL: its pool, and in a handler a `ControlledTransaction` with
 * the application's plugins, which has `savepoint(name)` and fits where a `Transaction` is asked for.
 *
 * COMMIT and ROLLBACK are refused in a handler, also as `trx.commit()`, and statements that still come when the
 * handlers have ended.
 *
 * Kysely does not say how large its pool is. If it is not ten, write `{ ...fromKysely(db), poolSize: 40 }`: with
 * `transactional: true`, webhook deliveries hold half of it at most.
 *
 * @throws PaymentsConfigError if `db` is no instance of Kysely, or its database is not supported.
 *
 * @example
 * ```ts
 * const storage = sqlStorage({ executor: fromKysely(kysely), transactional: true });
 * ```
 *
 * @publicApi
 */
export function fromKysely(db: KyselyDatabase): SqlExecutor {
  const dialect = dialectOf(db);
  return {
    dialect,
    pool: db,
    ...runnerIn((work) =>
      db.getExecutor().provideConnection(async (lent) => {
        const connection = plain(lent);
        try {
          return await work(runOn(connection));
        } catch (error) {
          if (dialect === 'mysql' && isReadOnlyServer(error))
            await ownConnection(connection, dialect).close();
          throw error;
        }
      }),
    ),
    transaction: (work, { isolationLevel } = {}) =>
      db.getExecutor().provideConnection(async (lent) => {
        const guard = new CallbackGuard(dialect);
        const unguarded = plain(lent);
        const connection = guarded(unguarded, guard);
        const send = (text: string): Promise<unknown> =>
          guard.own(() => connection.executeQuery(compiled(text)));
        const own = ownConnection(unguarded, dialect);
        try {
          for (const text of BEGIN[dialect](isolationLevel)) await own.send(text);
        } catch (error) {
          // The server may carry it out anyway.
          await own.close();
          throw error;
        }
        try {
          await guard.begin(own);
          const result = await guard.during(async () =>
            work(guard.transaction(runOn(connection), await handleOf(db, connection, guard))),
          );
          await send('commit');
          return result;
        } catch (error) {
          // Refused if it was the COMMIT that failed: then there is nothing to roll back.
          await send('rollback').catch(() => undefined);
          throw error;
        }
      }),
    wrapTransaction: (handle) => wrapped(handle, db),
  };
}

function dialectOf(db: Partial<KyselyDatabase> | null | undefined): SqlDialect {
  if (typeof db?.getExecutor !== 'function' || typeof db.startTransaction !== 'function') {
    throw new PaymentsConfigError(
      'fromKysely(db) needs an instance of Kysely 0.28 or newer: write new Kysely({ dialect }).',
    );
  }
  const name = db.getExecutor().adapter.constructor.name;
  const dialect = Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined;
  if (dialect !== undefined) return dialect;
  throw new PaymentsConfigError(
    `fromKysely(db) has no statements for the database of ${name}: write new Kysely({ dialect }) with PostgresDialect or MysqlDialect, ` +
      'and let a bundler keep the names of classes (keepNames).',
  );
}

function compiled(sql: string, parameters: readonly unknown[] = []): Compiled {
  return { sql, parameters, query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] }, queryId: {} };
}

function plain(connection: KyselyConnection): Connection {
  return {
    executeQuery: (query) => connection.executeQuery(query as never),
    streamQuery: (query, chunkSize) => connection.streamQuery(query as never, chunkSize),
  };
}

/** Kysely does not show the connection of the driver, which alone could close it at once. */
function ownConnection({ executeQuery }: Connection, dialect: SqlDialect): OwnConnection {
  const send = (text: string): Promise<unknown> => executeQuery(compiled(text));
  const kill = async (): Promise<void> => {
    await send('kill connection_id()').catch(() => undefined);
    // Fails when the pool knows: it would lend the connection once more.
    await send('do 0').catch(() => undefined);
  };
  return { send, close: () => (dialect === 'mysql' ? kill() : rollBackOnPostgres(send)) };
}

function guarded(connection: Connection, guard: CallbackGuard): Connection {
  return {
    executeQuery: (query) => guard.run(query.sql, () => connection.executeQuery(query)),
    streamQuery: async function* (query, chunkSize) {
      await guard.run(query.sql, () => Promise.resolve());
      yield* connection.streamQuery(query, chunkSize);
    },
  };
}

function runOn({ executeQuery }: Pick<Connection, 'executeQuery'>): SqlRunner {
  return runnerBy(async (text, params) => {
    const { rows, numAffectedRows = 0 } = await executeQuery(compiled(text, params));
    return { rows, affectedRows: Number(numAffectedRows) };
  });
}

/** A transaction of Kysely on this connection alone, with the compiler and the plugins of the application. */
async function handleOf(db: KyselyDatabase, connection: Connection, guard: CallbackGuard): Promise<object> {
  const executor = db.getExecutor();
  const one = new (kyselyOf(db))({
    plugins: executor.plugins,
    dialect: {
      createAdapter: () => executor.adapter,
      createQueryCompiler: () => ({
        compileQuery: (node: never, queryId: never) => executor.compileQuery(node, queryId),
      }),
      createIntrospector: () => (db as { readonly introspection?: object }).introspection,
      createDriver: () => driverOf(connection, guard),
    },
  });
  return one.startTransaction().execute();
}

function driverOf(connection: Connection, guard: CallbackGuard): object {
  const nothing = (): Promise<void> => Promise.resolve();
  const savepoint =
    (words: string) =>
    (_connection: unknown, name: string, compile: Compile): Promise<unknown> => {
      const parameters = [{ kind: 'IdentifierNode', name }];
      const query = { kind: 'RawNode', sqlFragments: [`${words} `, ''], parameters };
      return connection.executeQuery(compile(query, {}));
    };
  return {
    init: nothing,
    acquireConnection: () => Promise.resolve(connection),
    releaseConnection: nothing,
    destroy: nothing,
    beginTransaction: nothing,
    commitTransaction: () => guard.refuseEnd(),
    rollbackTransaction: () => guard.refuseEnd(),
    savepoint: savepoint('savepoint'),
    rollbackToSavepoint: savepoint('rollback to savepoint'),
    releaseSavepoint: savepoint('release savepoint'),
  };
}

/** Kysely's own class: the constructor of a class that extends it may take something else. */
function kyselyOf(db: object): KyselyClass {
  let prototype = db;
  while (!Object.hasOwn(prototype, 'startTransaction'))
    prototype = Object.getPrototypeOf(prototype) as object;
  return prototype.constructor as KyselyClass;
}

function wrapped(handle: unknown, db: KyselyDatabase): SqlTransaction {
  const given = handle as
    { readonly isTransaction?: boolean; getExecutor?(): KyselyExecutor } | null | undefined;
  if (!given?.isTransaction || typeof given.getExecutor !== 'function') {
    throw new PaymentsConfigError(
      'Kysely needs an open transaction here: write db.transaction().execute((trx) => …) and give that trx.',
    );
  }
  const executor = given.getExecutor();
  if (executor.adapter !== db.getExecutor().adapter) {
    throw new PaymentsConfigError(
      'The transaction is of another Kysely than fromKysely() has: give one that belongs to the same.',
    );
  }
  const run = runOn({
    executeQuery: async (query) => {
      try {
        return await executor.provideConnection((connection) => connection.executeQuery(query as never));
      } catch (error) {
        throw ENDED.test(String(error)) ? endedError() : error;
      }
    },
  });
  return { ...run, handle };
}

function endedError(): PaymentsConfigError {
  return new PaymentsConfigError(
    'The transaction of Kysely has ended: await enlist… inside of db.transaction().execute((trx) => …).',
  );
}
