import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type SqlExecutor, type SqlRunner } from '../sql/sql-executor.js';
import { CallbackGuard } from '../sql/callback-guard.js';
import { type DrizzleDatabase, type DrizzlePool, type DrizzleResult } from './drizzle-database.js';

/** What Drizzle calls the savepoints of its nested transactions. */
const NESTED = /^sp\d+$/;

interface Connection {
  query(statement: string | { readonly text?: string }, values?: unknown[]): Promise<DrizzleResult>;
}

/** What a transaction of Drizzle has that its type does not show. */
interface TransactionParts {
  readonly dialect: unknown;
  readonly session: { client: Connection };
}

/** What begins a nested transaction. */
interface Nesting {
  transaction(work: (inner: Nesting) => Promise<unknown>): Promise<unknown>;
}

/**
 * Lets the package use the application's Drizzle on `pg`: its pool, and in a handler its transaction, whose
 * `transaction()` makes a savepoint.
 *
 * COMMIT and ROLLBACK are refused in a handler, and statements that still come when the handlers have ended. So is a
 * statement or a nested transaction beside a nested one that is still open; nothing is committed then.
 *
 * @throws PaymentsConfigError if `db` is not of `drizzle-orm/node-postgres`, or has no pool.
 *
 * @example
 * ```ts
 * const storage = sqlStorage({ executor: fromDrizzle(drizzleDatabase), transactional: true });
 * ```
 *
 * @publicApi
 */
export function fromDrizzle(db: DrizzleDatabase): SqlExecutor {
  const pool = poolOf(db);
  const open = openSessions(db);
  return {
    dialect: 'postgres',
    ...runOn((text, values) => pool.query(text, values)),
    transaction: (work, { isolationLevel } = {}) => {
      const guard = new CallbackGuard(NESTED);
      return guard.own(() =>
        db.transaction(async (transaction) => {
          const { session } = transaction as TransactionParts;
          session.client = guardedConnection(session.client, guard);
          followNested(transaction as Nesting, guard);
          const runner = runOn((text, values) => session.client.query(text, values));
          return guard.during(() => work(guard.transaction(runner, transaction)));
        }, isolationLevel && { isolationLevel }),
      );
    },
    wrapTransaction: (handle) => {
      const { client } = openTransaction(handle, db, open).session;
      return { ...runOn((text, values) => client.query(text, values)), handle };
    },
  };
}

function poolOf(db: Partial<DrizzleDatabase> | null | undefined): DrizzlePool {
  const { $client: pool } = db ?? {};
  const isPool =
    typeof pool?.connect === 'function' && typeof pool.query === 'function' && 'totalCount' in pool;
  if (isPool && typeof db?.transaction === 'function') return pool;
  throw new PaymentsConfigError(
    'fromDrizzle(db) needs a database of drizzle-orm/node-postgres with a pool of pg: write drizzle({ client: new Pool({ connectionString }) }).',
  );
}

function runOn(send: (text: string, values?: unknown[]) => Promise<DrizzleResult>): SqlRunner {
  return {
    query: async <Row extends object>(text: string, params?: readonly unknown[]) =>
      (await send(text, params && [...params])).rows as Row[],
    execute: async (text, params) => ({
      affectedRows: (await send(text, params && [...params])).rowCount ?? 0,
    }),
  };
}

/** The session of a transaction is its own, so what is put into it lasts as long as the handler's objects do. */
function guardedConnection(connection: Connection, guard: CallbackGuard): Connection {
  const query: Connection['query'] = (statement, values) =>
    guard.run(typeof statement === 'string' ? statement : (statement.text ?? ''), () =>
      connection.query(statement, values),
    );
  return new Proxy(connection, {
    get: (target, name): unknown => {
      if (name === 'query') return query;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Everything that a nested transaction calls belongs to it: its object has the session of the outer one. */
function followNested(transaction: Nesting, guard: CallbackGuard): void {
  const begin = transaction.transaction.bind(transaction);
  transaction.transaction = (work) =>
    guard.nested.begin(() =>
      begin((inner) => {
        followNested(inner, guard);
        return work(inner);
      }),
    );
}

/**
 * The sessions of the transactions that are open. Drizzle does not tell: an object whose transaction has ended still
 * sends its statements to the connection, which may be in the transaction of somebody else by then.
 */
function openSessions(db: DrizzleDatabase): WeakSet<object> {
  const open = new WeakSet();
  const { session } = db as unknown as { readonly session: Pick<DrizzleDatabase, 'transaction'> };
  const begin = session.transaction.bind(session);
  session.transaction = (work, config) =>
    begin(async (transaction) => {
      const { session: its } = transaction as TransactionParts;
      open.add(its);
      try {
        return await work(transaction);
      } finally {
        open.delete(its);
      }
    }, config);
  return open;
}

function openTransaction(handle: unknown, db: DrizzleDatabase, open: WeakSet<object>): TransactionParts {
  const given = handle as (Partial<TransactionParts> & { readonly rollback?: unknown }) | null | undefined;
  if (typeof given?.rollback !== 'function' || !given.session?.client) {
    throw new PaymentsConfigError(
      'Drizzle needs an open transaction here: write db.transaction((tx) => …) and give that tx.',
    );
  }
  if (given.dialect !== (db as unknown as Partial<TransactionParts>).dialect) {
    throw new PaymentsConfigError(
      'The transaction is of another database of Drizzle than fromDrizzle() has: give one that belongs to the same.',
    );
  }
  if (!open.has(given.session)) {
    throw new PaymentsConfigError(
      'The transaction of Drizzle has ended, or it was begun before fromDrizzle(db): await enlist… inside of db.transaction((tx) => …).',
    );
  }
  return given as TransactionParts;
}
