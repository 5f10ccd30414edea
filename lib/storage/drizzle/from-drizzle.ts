import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { onPool } from '../sql/application-pool.js';
import { type SqlExecutor, type SqlRunner } from '../sql/sql-executor.js';
import { CallbackGuard } from '../sql/callback-guard.js';
import { withMembers } from '../sql/transaction-guard.js';
import { closeAtOnce } from '../sql/close-at-once.js';
import { type DrizzleDatabase } from './drizzle-database.js';
import { type CheckAnswer, type ReturningLending, runnerOnPool, takeOwn } from '../sql/own-statements.js';
import { DRIVER_RESULT_OF, mysql2Statement, runnerBy } from '../sql/driver-result.js';
import { type Connection, type DrizzleDialect, poolOf, type Sender } from './drizzle-dialects.js';

/** What Drizzle calls the savepoints of its nested transactions. */
const NESTED = /^sp\d+$/;

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
 * Lets the package use the application's Drizzle on `pg` or `mysql2`: its pool, and in a handler its transaction, whose
 * `transaction()` makes a savepoint.
 *
 * COMMIT and ROLLBACK are refused in a handler, and statements that still come when the handlers have ended. So is a
 * statement or a nested transaction beside a nested one that is still open; nothing is committed then.
 *
 * @throws PaymentsConfigError if `db` is not of `drizzle-orm/node-postgres` or `drizzle-orm/mysql2`, or has no pool.
 *
 * @example
 * ```ts
 * const storage = sqlStorage({ executor: fromDrizzle(drizzleDatabase), transactional: true });
 * ```
 *
 * @publicApi
 */
export function fromDrizzle(db: DrizzleDatabase): SqlExecutor {
  const { pool, kind } = poolOf(db);
  const open = openSessions(db);
  const lending = kind.lending(pool as never);
  const begin = beginnerOf(db, lending);
  return {
    dialect: kind.dialect,
    ...onPool(pool),
    ...runnerOnPool(lending, (connection, check) => runOn(connection, kind, check)),
    transaction: (work, { isolationLevel } = {}) => {
      const guard = new CallbackGuard(kind.dialect, NESTED);
      return guard.own(() =>
        begin(async (transaction) => {
          const { session } = transaction as TransactionParts;
          const { client } = session;
          // The session is the transaction's own, so what is put into it lasts as long as the handler's objects do.
          session.client = withMembers(client, kind.guarded(client as never, guard));
          followNested(transaction as Nesting, guard);
          await guard.begin({
            send: (text) => client.query(text),
            close: () => closeAtOnce(client),
          });
          const runner = runOn(session.client, kind);
          return guard.during(() => work(guard.transaction(runner, transaction)));
        }, isolationLevel && { isolationLevel }),
      );
    },
    wrapTransaction: (handle) => {
      const { client } = openTransaction(handle, db, open).session;
      return { ...runOn(client, kind), handle };
    },
  };
}

type Begin = DrizzleDatabase['transaction'];

/** A session of Drizzle: its transactions begin on what it has as its client. */
type Session = { client: unknown } & Pick<DrizzleDatabase, 'transaction'>;

/**
 * Begins transactions as the database does, on connections that are taken here: Drizzle would not look at them. One is taken
 * with the BEGIN only: a tracer may call the method of the database's own session, which takes a connection by itself.
 */
function beginnerOf(db: DrizzleDatabase, lending: ReturningLending<Connection>): Begin {
  const { session } = db as unknown as { readonly session: Session };
  return async (work, config) => {
    let taken: Promise<Connection> | undefined;
    const query: Sender['query'] = async (...given) => (await (taken ??= takeOwn(lending))).query(...given);
    const own: Session = Object.assign(Object.create(session) as Session, { client: { query } });
    // Until it has begun: the server may carry a BEGIN out that failed.
    let giveBack = (connection: Connection): unknown => lending.close(connection);
    const begun: typeof work = async (transaction) => {
      if (taken) own.client = await taken;
      giveBack = (connection) => lending.release(connection, false);
      return work(transaction);
    };
    try {
      return await own.transaction(begun, config);
    } finally {
      if (taken) await giveBack(await taken);
    }
  };
}

function runOn(sender: Sender, { dialect }: DrizzleDialect, check: CheckAnswer = () => undefined): SqlRunner {
  return runnerBy(async (text, params) => {
    const statement = dialect === 'mysql' ? mysql2Statement(text) : text;
    const answer = await sender.query(statement, params && [...params]);
    if (dialect === 'mysql') check((answer as [Parameters<CheckAnswer>[0]])[0]);
    return DRIVER_RESULT_OF[dialect](answer as never);
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

/** Those of each database, which is followed once, however many executors it gets. */
const openOf = new WeakMap<object, WeakSet<object>>();

/**
 * The sessions of the transactions that are open. Drizzle does not tell: an object whose transaction has ended still
 * sends its statements to the connection, which may be in the transaction of somebody else by then.
 */
function openSessions(db: DrizzleDatabase): WeakSet<object> {
  const { session } = db as unknown as { readonly session: Session };
  const known = openOf.get(session);
  if (known) return known;
  const open = new WeakSet();
  openOf.set(session, open);
  const { transaction: begin } = session;
  session.transaction = function (this: Session, work, config) {
    const followed: typeof work = async (transaction) => {
      const { session: its } = transaction as TransactionParts;
      open.add(its);
      try {
        return await work(transaction);
      } finally {
        open.delete(its);
      }
    };
    return begin.call(this, followed, config) as ReturnType<typeof work>;
  };
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
