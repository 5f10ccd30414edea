import { PaymentsConfigError } from '../../errors/payments-errors.js';
import {
  type SqlDialect,
  type SqlExecutor,
  type SqlRunner,
  type SqlTransaction,
} from '../sql/sql-executor.js';
import { CallbackGuard } from '../sql/callback-guard.js';
import { type KnexClient, type KnexInstance, type KnexTransaction } from './knex-instance.js';

/** The dialects of Knex that the package has statements for. */
const DIALECTS: Readonly<Record<string, SqlDialect>> = { postgresql: 'postgres' };
/** What Knex calls the savepoints of its nested transactions. */
const NESTED = /^trx\d+$/;

/** A connection of the driver, as far as it is guarded. */
interface DriverConnection {
  query(statement: string | { readonly text?: string }, ...more: unknown[]): unknown;
}

/** A client of a transaction, as far as it begins nested ones. */
interface NestingClient {
  query: (...given: unknown[]) => unknown;
  stream: (...given: unknown[]) => unknown;
  transaction(work: (inner: { readonly client: NestingClient }) => unknown, ...more: unknown[]): unknown;
}

interface DriverResult {
  readonly rows: unknown[];
  readonly rowCount: number | null;
}

/**
 * Lets the package use the application's Knex 3: its pool, and in a handler its `Knex.Transaction`, whose
 * `transaction()` makes a savepoint.
 *
 * COMMIT and ROLLBACK are refused in a handler, also as `trx.commit()`, and Knex refuses what still comes when the
 * handlers have ended. A statement beside a nested transaction that is still open is refused, and nothing is committed
 * then; two nested ones wait for each other.
 *
 * @throws PaymentsConfigError if `knex` is no instance of Knex, or its database is not supported.
 *
 * @example
 * ```ts
 * const storage = sqlStorage({ executor: fromKnex(knex), transactional: true });
 * ```
 *
 * @publicApi
 */
export function fromKnex(knex: KnexInstance): SqlExecutor {
  const dialect = dialectOf(knex);
  const { client } = knex;
  return {
    dialect,
    query: (text, params) => withConnection(client, (runner) => runner.query(text, params)),
    execute: (text, params) => withConnection(client, (runner) => runner.execute(text, params)),
    transaction: async (work, { isolationLevel } = {}) => {
      const guard = new CallbackGuard(NESTED);
      return guard.own(async () =>
        knex.transaction(
          async (transaction) => {
            const connection = (await transaction.client.acquireConnection()) as DriverConnection;
            followNested(transaction.client as Partial<NestingClient> as NestingClient, guard);
            guardConnection(connection, guard);
            guardEnds(transaction, guard);
            const runner = runOn(transaction.client, connection);
            return guard.during(() => work(guard.transaction(runner, transaction)));
          },
          { isolationLevel },
        ),
      );
    },
    wrapTransaction: (handle) => wrapped(handle, client),
  };
}

function dialectOf(knex: Partial<KnexInstance> | null | undefined): SqlDialect {
  if (typeof knex?.transaction !== 'function' || typeof knex.client?.acquireConnection !== 'function') {
    throw new PaymentsConfigError(
      "fromKnex(knex) needs an instance of Knex: write knex({ client: 'pg', connection }).",
    );
  }
  const { dialect: name } = knex.client;
  const dialect = Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined;
  if (dialect !== undefined) return dialect;
  throw new PaymentsConfigError(
    `fromKnex(knex) has no statements for the dialect ${name} of Knex: it must be ${Object.keys(DIALECTS).join(', ')}.`,
  );
}

async function withConnection<T>(client: KnexClient, work: (runner: SqlRunner) => Promise<T>): Promise<T> {
  const connection = await client.acquireConnection();
  try {
    return await work(runOn(client, connection));
  } finally {
    await client.releaseConnection(connection);
  }
}

function runOn(client: KnexClient, connection: unknown): SqlRunner {
  const run = async (text: string, params: readonly unknown[] = []): Promise<DriverResult> => {
    // A question mark would be a placeholder of Knex.
    const statement: { readonly response?: DriverResult } & Record<string, unknown> = {
      sql: text.replaceAll('?', '\\?'),
      bindings: [...params],
    };
    await client.query(connection, statement);
    return statement.response ?? { rows: [], rowCount: 0 };
  };
  return {
    query: async <Row extends object>(text: string, params?: readonly unknown[]) =>
      (await run(text, params)).rows as Row[],
    execute: async (text, params) => ({ affectedRows: (await run(text, params)).rowCount ?? 0 }),
  };
}

/**
 * Nested transactions have clients of their own, but the same connection of the driver: every statement comes by there,
 * until COMMIT or ROLLBACK is answered. Knex itself refuses what comes later.
 */
function guardConnection(connection: DriverConnection, guard: CallbackGuard): void {
  const own = Object.getOwnPropertyDescriptor(connection, 'query');
  const send = connection.query.bind(connection);
  const run = async (text: string, work: () => Promise<unknown>): Promise<unknown> => {
    const wasOver = guard.isOver;
    const sent = guard.run(text, work);
    const isLast = guard.isOver && !wasOver;
    try {
      return await sent;
    } finally {
      if (isLast && own) Object.defineProperty(connection, 'query', own);
      else if (isLast) Reflect.deleteProperty(connection, 'query');
    }
  };
  connection.query = (statement, ...more) => {
    const text = typeof statement === 'string' ? statement : (statement.text ?? '');
    const callback = more.at(-1);
    if (typeof callback !== 'function') return run(text, () => Promise.resolve(send(statement, ...more)));
    const answer = callback as (error: unknown, result?: unknown) => void;
    const sent = run(
      text,
      () =>
        new Promise((resolve, reject) => {
          send(statement, ...more.slice(0, -1), (error: unknown, result: unknown) => {
            // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as the driver says it
            if (error) reject(error);
            else resolve(result);
          });
        }),
    );
    sent.then((result) => {
      answer(null, result);
    }, answer);
    return undefined;
  };
}

/**
 * Everything that a nested transaction calls belongs to it, and what comes through its handle: `await trx.transaction()`
 * gives that to the code outside.
 */
function followNested(client: NestingClient, guard: CallbackGuard): void {
  const begin = client.transaction.bind(client);
  client.transaction = (work, ...more) =>
    guard.nested.begin((nested) =>
      begin(
        (inner) => {
          // Knex goes on after a savepoint that was refused.
          if (!nested.isBegun) throw guard.refuseBeside();
          const { query, stream } = inner.client;
          inner.client.query = (...given) => guard.nested.within(nested, () => query(...given));
          inner.client.stream = (...given) => guard.nested.within(nested, () => stream(...given));
          followNested(inner.client, guard);
          return work(inner);
        },
        ...more,
      ),
    );
}

/** Knex would give the connection back after a COMMIT that was refused, with the transaction open on it. */
function guardEnds(transaction: KnexTransaction, guard: CallbackGuard): void {
  type End = (value?: unknown) => unknown;
  const { commit, rollback } = transaction as { readonly commit: End; readonly rollback: End };
  const guarded =
    (end: End): End =>
    (value) =>
      guard.isOwn ? end(value) : guard.refuseEnd();
  Object.assign(transaction, { commit: guarded(commit), rollback: guarded(rollback) });
}

function wrapped(handle: unknown, { config }: KnexClient): SqlTransaction {
  const given = handle as
    (Partial<KnexTransaction> & { readonly isTransaction?: boolean }) | null | undefined;
  if (!given?.isTransaction || !given.client || given.isCompleted?.() !== false) {
    throw new PaymentsConfigError(
      'Knex needs an open transaction here: write knex.transaction((trx) => …) and give that trx.',
    );
  }
  if (given.client.config !== config) {
    throw new PaymentsConfigError(
      'The transaction is of another Knex than fromKnex() has: give one that belongs to the same.',
    );
  }
  const { client } = given;
  const on = async (): Promise<SqlRunner> => runOn(client, await client.acquireConnection());
  return {
    handle,
    query: async (text, params) => (await on()).query(text, params),
    execute: async (text, params) => (await on()).execute(text, params),
  };
}
