import { AsyncLocalStorage } from 'node:async_hooks';
import { errorCodes } from './error-code.js';
import { CLOSED, isInTransaction, LeftOpenError, type Lending, takeFree } from './left-open.js';
import { isReadOnlyServer } from './read-only-server.js';
import { type SqlExecutor, type SqlRunner } from './sql-executor.js';

/** What a storage runs by itself: one call of its executor. */
interface OwnStatements {
  /** Gets lines for the log. */
  readonly tell: (line: string) => void;
  /** The connection that the call has taken, until it ends. */
  lent?: object | undefined;
}

type Own = AsyncLocalStorage<OwnStatements>;

/** One for all copies of the package: an application may load it twice, once as ESM and once as CommonJS. */
const OWN = Symbol.for('nestjs-payments.own-statements');
const shared = globalThis as unknown as { [OWN]: Own | undefined };
const own: Own = shared[OWN] ?? new AsyncLocalStorage();
shared[OWN] = own;

/** What MySQL answers to a statement inside of a transaction: `SERVER_STATUS_IN_TRANS`. */
const IN_TRANSACTION = 1;
/** What MySQL says to SET TRANSACTION inside of a transaction: a BEGIN would have committed it. */
const LEFT_OPEN = '1568';

/**
 * The application's executor, as a storage uses it: its connections must be in no transaction, neither in one that was left
 * open nor in that of a webhook.
 */
export function ownExecutor(executor: SqlExecutor, tell: OwnStatements['tell']): SqlExecutor {
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    const call: OwnStatements = { tell };
    try {
      return await own.run(call, work);
    } finally {
      // A pool may open its next connection in this context, which would keep this one in memory when it is broken.
      call.lent = undefined;
    }
  };
  return {
    dialect: executor.dialect,
    pool: executor.pool ?? executor,
    poolSize: executor.poolSize,
    query: (text, params) => run(() => executor.query(text, params)),
    execute: (text, params) => run(() => executor.execute(text, params)),
    transaction: (work, options) => run(() => executor.transaction(work, options)),
    wrapTransaction: (handle) => executor.wrapTransaction(handle),
  };
}

/** Whether the caller is a storage that uses an executor. */
export function isOwnStatement(): boolean {
  return own.getStore() !== undefined;
}

/** Takes a connection, for a storage one that is in no transaction. Those of MySQL say it only with an answer. */
export async function takeOwn<C extends object>(lending: Lending<C>): Promise<C> {
  const call = own.getStore();
  if (!call) return lending.take();
  const connection = await (lending.dialect === 'postgres' ? takeFree(lending, call.tell) : lending.take());
  call.lent = connection;
  return connection;
}

/** Whether MySQL began no transaction, because one was left open on the connection: then that one has lost nothing. */
export function wasLeftOpen(error: unknown): boolean {
  return errorCodes(error).includes(LEFT_OPEN);
}

/**
 * Runs a transaction of an ORM that takes its connection by itself.
 *
 * @param close Gets the connection if another transaction was open on it. The ORM may have given it to somebody else by then.
 */
export async function closeLeftOpen<T>(
  close: (connection: object) => void,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const lent = own.getStore()?.lent;
    if (lent && wasLeftOpen(error)) close(lent);
    throw error;
  }
}

/** How a pool lends its connections, and gets them back. */
export interface ReturningLending<C extends object> extends Lending<C> {
  release(connection: C, hasFailed: boolean): unknown;
}

/** How a pool of `mysql2` with promises lends its connections. */
export function mysql2Lending<C extends { release(): void; destroy(): void }>(pool: {
  getConnection(): Promise<C>;
}): ReturningLending<C> {
  return {
    dialect: 'mysql',
    take: () => pool.getConnection(),
    release: (connection) => {
      connection.release();
    },
    close: (connection) => {
      connection.destroy();
    },
  };
}

/** Gives the methods of a runner that is there only while a function runs. */
export function runnerIn(lend: <T>(work: (runner: SqlRunner) => Promise<T>) => Promise<T>): SqlRunner {
  return {
    query: (text, params) => lend((runner) => runner.query(text, params)),
    execute: (text, params) => lend((runner) => runner.execute(text, params)),
  };
}

/**
 * Runs each statement of an executor on a connection of its pool.
 *
 * @param runOn Gets what refuses an answer of MySQL that was given in a transaction.
 */
export function runnerOnPool<C extends object>(
  lending: ReturningLending<C>,
  runOn: (connection: C, check: CheckAnswer) => SqlRunner,
): SqlRunner {
  return runnerIn((work) => runAlone(lending, (connection, check) => work(runOn(connection, check))));
}

async function runAlone<C extends object, T>(
  lending: ReturningLending<C>,
  work: (connection: C, check: CheckAnswer) => Promise<T>,
): Promise<T> {
  const connection = await takeOwn(lending);
  let giveBack = (): unknown => lending.release(connection, true);
  const refuse = (isOpen: boolean): void => {
    const call = own.getStore();
    if (!isOpen || !call) return;
    call.tell(CLOSED);
    giveBack = () => lending.close(connection);
    throw new LeftOpenError();
  };
  try {
    const result = await work(connection, (answer) => {
      refuse(((answer?.serverStatus ?? 0) & IN_TRANSACTION) !== 0);
    });
    const client = lending.clientOf?.(connection) ?? connection;
    refuse(lending.dialect === 'postgres' ? isInTransaction(client) : isOpenOnMariaDb(client));
    giveBack = () => lending.release(connection, false);
    return result;
  } catch (error) {
    if (isReadOnlyServer(error)) giveBack = () => lending.close(connection);
    throw error;
  } finally {
    await giveBack();
  }
}

/** The driver `mariadb` keeps the status of the last answer, which after an error is a guess. */
function isOpenOnMariaDb({ info }: { readonly info?: { readonly status?: number } }): boolean {
  return ((info?.status ?? 0) & IN_TRANSACTION) !== 0;
}

/** What a driver answers to a statement. That of `mysql2` has the status of the server, if the statement gives no rows. */
export type CheckAnswer = (answer: { readonly serverStatus?: number } | null | undefined) => void;
