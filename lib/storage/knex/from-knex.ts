import { Readable } from 'node:stream';
import { PaymentsConfigError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { onPool } from '../sql/application-pool.js';
import {
  type SqlDialect,
  type SqlExecutor,
  type SqlRunner,
  type SqlTransaction,
} from '../sql/sql-executor.js';
import { CallbackGuard, type OwnConnection } from '../sql/callback-guard.js';
import { type ClosableConnection, closeAtOnce } from '../sql/close-at-once.js';
import { DRIVER_RESULT_OF, mysql2Statement, runnerBy } from '../sql/driver-result.js';
import { type CheckAnswer, runnerIn, runnerOnPool } from '../sql/own-statements.js';
import { dialectOf, KNEX_TEXT_OF } from './knex-dialects.js';
import { endsTransaction } from '../sql/ends-transaction.js';
import { type NestedTransaction } from '../sql/nested-transactions.js';
import { HandlerStreams } from './handler-streams.js';
import { type KnexClient, type KnexInstance, type KnexTransaction } from './knex-instance.js';
import { lendingOf, onTaken } from './knex-lending.js';

/** What Knex calls the savepoints of its nested transactions. */
export const NESTED = /^trx\d+$/;

/** The nested transactions, by what Knex gives for them. */
const nestedOf = new WeakMap<object, NestedTransaction>();

/** A connection of the driver, as far as it is guarded. */
interface DriverConnection extends ClosableConnection {
  query(statement: Statement, ...more: unknown[]): unknown;
}

/** What a driver calls in the end. */
type Answer = (error: unknown, ...results: unknown[]) => void;
/** Drivers have different names for the text. A stream of `pg-query-stream` has it in its cursor. */
type Statement =
  string | { readonly text?: string; readonly sql?: string; readonly cursor?: { readonly text?: string } };

/** What mysql2 gives for a statement without a callback. */
interface StreamedQuery {
  stream(options?: object): Readable;
}

/** A client with its own pool, or with the application's one. */
interface PooledClient extends KnexClient {
  readonly pool?: object;
  readonly config: { readonly connectionPool?: object };
}

/** A client of a transaction, as far as it begins nested ones. */
interface NestingClient {
  query: (...given: unknown[]) => unknown;
  stream: (...given: unknown[]) => unknown;
  transaction(work: (inner: { readonly client: NestingClient }) => unknown, ...more: unknown[]): unknown;
}

/**
 * Lets the package use the application's Knex 3 on `pg` or `mysql2`: its pool, and in a handler its `Knex.Transaction`, whose
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
  const { pool, config }: PooledClient = client;
  const lending = lendingOf(client, dialect);
  return {
    dialect,
    ...onPool(config.connectionPool ?? pool ?? client),
    ...runnerOnPool(lending, (connection, check) => runOn(client, dialect, connection, check)),
    transaction: async (work, { isolationLevel } = {}) => {
      const guard = new CallbackGuard(dialect, NESTED);
      return guard.own(() =>
        onTaken(lending, async (connection, begun) => {
          const begin = async (transaction: KnexTransaction): ReturnType<typeof work> => {
            const runner = await guardTransaction(transaction, guard);
            begun();
            return guard.during(() => work(guard.transaction(runner, transaction)));
          };
          return knex.transaction(begin, { isolationLevel, connection });
        }),
      );
    },
    wrapTransaction: (handle) => wrapped(handle, client, dialect),
  };
}

/** Sends every statement of a transaction by the guard, and gives what runs the package's own ones. */
export async function guardTransaction(
  transaction: KnexTransaction,
  guard: CallbackGuard,
): Promise<SqlRunner> {
  const connection = (await transaction.client.acquireConnection()) as DriverConnection;
  // Knex calls the function although its BEGIN has failed, and gives the connection back meanwhile.
  if (transaction.isCompleted()) throw new PaymentsStorageError('The transaction did not begin.');
  followNested(transaction.client as Partial<NestingClient> as NestingClient, guard);
  const own = guardConnection(connection, guard);
  guardEnds(transaction, guard);
  await guard.begin(own);
  return runOn(transaction.client, guard.dialect, connection);
}

function runOn(
  client: KnexClient,
  dialect: SqlDialect,
  connection: unknown,
  check: CheckAnswer = () => undefined,
): SqlRunner {
  return runnerBy(async (text, params = []) => {
    const statement: { readonly response?: unknown } & Record<string, unknown> = {
      sql: KNEX_TEXT_OF[dialect](text),
      bindings: [...params],
      ...(dialect === 'mysql' && { options: mysql2Statement(text) }),
    };
    await client.query(connection, statement);
    if (dialect === 'mysql') check((statement.response as [Parameters<CheckAnswer>[0]])[0]);
    return DRIVER_RESULT_OF[dialect](statement.response as never);
  });
}

/**
 * Nested transactions have clients of their own, but the same connection of the driver: every statement comes by there,
 * until COMMIT or ROLLBACK is answered. Knex itself refuses what comes later.
 *
 * @returns What goes around the guard.
 */
function guardConnection(connection: DriverConnection, guard: CallbackGuard): OwnConnection {
  const own = Object.getOwnPropertyDescriptor(connection, 'query');
  const send = connection.query.bind(connection);
  const streams = new HandlerStreams();
  const run = async (text: string, work: () => Promise<unknown>): Promise<unknown> => {
    const wasOver = guard.isOver;
    if (guard.isOwn && endsTransaction(text, guard.dialect)) streams.end();
    const sent = guard.run(text, work);
    const isLast = guard.isOver && !wasOver;
    try {
      return await sent;
    } finally {
      if (isLast && own) Object.defineProperty(connection, 'query', own);
      else if (isLast) Reflect.deleteProperty(connection, 'query');
    }
  };
  const withoutCallback = (text: string, statement: Statement, more: unknown[]): unknown => {
    const read = (open: () => Readable): Readable => streams.read((work) => run(text, work), open);
    const sent = (): unknown => send(statement, ...more);
    if (guard.dialect === 'mysql') {
      return {
        stream: (options) => read(() => (sent() as StreamedQuery).stream(options)),
      } satisfies StreamedQuery;
    }
    return statement instanceof Readable
      ? read(() => sent() as Readable)
      : run(text, () => Promise.resolve(sent()));
  };
  connection.query = (statement, ...more) => {
    const text = textOf(statement);
    const callback = more.at(-1);
    if (typeof callback !== 'function') return withoutCallback(text, statement, more);
    const answer = callback as Answer;
    run(text, () => promised((given) => send(statement, ...more.slice(0, -1), given))).then((results) => {
      answer(null, ...(results as unknown[]));
    }, answer);
    return undefined;
  };
  return {
    send: (text) => promised((answer) => send(text, answer)),
    close: () => closeAtOnce(connection),
  };
}

function textOf(statement: Statement): string {
  if (typeof statement === 'string') return statement;
  return statement.text ?? statement.sql ?? statement.cursor?.text ?? '';
}

function promised(send: (answer: Answer) => unknown): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    send((error, ...results) => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as the driver says it
      if (error) reject(error);
      else resolve(results);
    });
  });
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
          // Knex continues after a savepoint that was refused.
          if (!nested.isBegun) throw guard.refuseBeside();
          nestedOf.set(inner, nested);
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

/** Runs what an ORM calls in a nested transaction that Knex has begun for it. */
export function insideNested<T>(transaction: object, guard: CallbackGuard, work: () => T): T {
  const nested = nestedOf.get(transaction);
  return nested ? guard.nested.within(nested, work) : work();
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

function wrapped(handle: unknown, { config }: KnexClient, dialect: SqlDialect): SqlTransaction {
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
  const runner = runnerIn(async (work) => work(runOn(client, dialect, await client.acquireConnection())));
  return { ...runner, handle };
}
