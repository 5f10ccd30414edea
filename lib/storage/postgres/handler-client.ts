import { EventEmitter } from 'node:events';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { type HandlerStatements } from './handler-statements.js';
import { type PostgresClient } from './postgres-pool.js';
import { readStatements, type SqlStatement } from './transaction-statements.js';

/** What the code of an application calls with the result of a statement. */
export type Callback = (error: unknown, result?: unknown) => void;
/** `query` in all its forms. */
export type QueryClient = (...given: unknown[]) => unknown;

/** Parts of a statement object of `pg`. */
interface Config {
  readonly text?: unknown;
  readonly name?: unknown;
  readonly values?: readonly unknown[] | null;
  readonly callback?: Callback;
}

/** A cursor, a stream, or another object that submits itself. */
interface Submittable extends Config {
  submit: unknown;
  /** A stream of `pg-query-stream` holds its cursor. */
  readonly cursor?: Submittable;
  callback?: Callback;
  handleReadyForQuery: (...given: unknown[]) => unknown;
  handleError: (...given: unknown[]) => unknown;
}

/** How a checkout is given back. */
interface HandlerClientOptions {
  readonly release: (client: PostgresClient) => void;
}

/**
 * The connection of a webhook transaction as a checkout of the pool has it: everything that `pg` offers, but
 * its statements go through the transaction. What an ORM writes into this object does not reach the
 * connection.
 */
export function handlerClient(
  client: PostgresClient,
  transaction: HandlerStatements,
  { release }: HandlerClientOptions,
): PostgresClient {
  const view = Object.create(client) as PostgresClient & Record<string, unknown>;
  // Listeners of its own, so that thirty checkouts are not thirty listeners of one connection.
  if (client instanceof EventEmitter) (EventEmitter as unknown as (this: object) => void).call(view);
  const query = client.query.bind(client) as QueryClient;
  Object.assign(view, {
    query: (...given: unknown[]) => runQuery(query, transaction, view, given),
    release: () => {
      release(view);
    },
    end: (...given: unknown[]) => {
      const error = new PaymentsStorageError(
        'The connection of the webhook transaction belongs to the pool: take end() out of the handler.',
      );
      return answer(Promise.reject(error), given.find(isCallback));
    },
  });
  return view;
}

/** What informs the listeners of a checkout. */
interface Emitter {
  listenerCount(event: string): number;
  emit(event: string, ...given: readonly unknown[]): boolean;
}

/** Tells the checkouts of a connection about its loss and its end. */
export function forwardEvents(client: PostgresClient, views: Iterable<PostgresClient>): () => void {
  if (!(client instanceof EventEmitter)) return () => undefined;
  const forwards = ['error', 'end'].map((event) => {
    const forward = (...given: unknown[]): void => {
      for (const view of views as Iterable<unknown> as Iterable<Emitter>) {
        if (view.listenerCount(event) > 0) view.emit(event, ...given);
      }
    };
    client.on(event as 'error', forward);
    return () => client.removeListener(event as 'error', forward);
  });
  return () => {
    for (const stop of forwards) stop();
  };
}

function runQuery(
  query: QueryClient,
  transaction: HandlerStatements,
  asker: PostgresClient,
  [given, ...rest]: readonly unknown[],
): unknown {
  if (given === null || given === undefined) {
    throw new TypeError('Client was passed a null or undefined query');
  }
  if (isSubmittable(given)) {
    submit(query, transaction, asker, given, rest);
    return given;
  }
  const config: Config = typeof given === 'string' ? { text: given } : given;
  const values = rest.find(Array.isArray) ?? config.values ?? undefined;
  const statements = typeof config.text === 'string' ? readStatements(config.text) : undefined;
  const result =
    statements === undefined || (statements.length > 1 && isPrepared(config, values))
      ? transaction.run(asker, () => query(withoutCallback(given), ...rest.filter(Array.isArray)))
      : runStatements(query, transaction, asker, statements);
  return answer(result, rest.find(isCallback) ?? config.callback);
}

/** PostgreSQL refuses several statements in one text that has parameters or a name. */
function isPrepared({ name }: Config, values: readonly unknown[] | undefined): boolean {
  return name !== undefined || (values !== undefined && values.length > 0);
}

/** One by one, so that it is known which of them began or ended a transaction. */
async function runStatements(
  query: QueryClient,
  transaction: HandlerStatements,
  asker: PostgresClient,
  statements: readonly SqlStatement[],
): Promise<unknown> {
  const results: unknown[] = [];
  for (const { text, step } of statements) {
    results.push(
      step.does === 'other'
        ? await transaction.run(asker, () => query(text))
        : 'name' in step
          ? await transaction.stepToSavepoint(asker, step, text)
          : tagged(await transaction.step(asker, step), step.does),
    );
  }
  return results.length === 1 ? results[0] : results;
}

/** The result of the last message, as the application's own statement would have given it. */
function tagged(result: unknown, does: string): unknown {
  const last: unknown = Array.isArray(result) ? result.at(-1) : result;
  return Object.assign(last ?? { rows: [], rowCount: null }, { command: does.toUpperCase() });
}

/** A cursor keeps the connection until the server is ready for the next statement. */
function submit(
  query: QueryClient,
  transaction: HandlerStatements,
  asker: PostgresClient,
  given: Submittable,
  rest: readonly unknown[],
): void {
  const text = given.text ?? given.cursor?.text;
  const refuse = (error: unknown): void => {
    given.handleError(error, (asker as { connection?: unknown }).connection);
  };
  if (typeof text === 'string' && readStatements(text)) {
    process.nextTick(
      refuse,
      new PaymentsStorageError(
        'Inside of a handler, give a statement about transactions to query() as a text.',
      ),
    );
    return;
  }
  transaction
    .run(asker, () => {
      const ready = new Promise<void>((resolve) => {
        for (const end of ['handleReadyForQuery', 'handleError'] as const) {
          const handle = given[end].bind(given);
          given[end] = (...more) => {
            resolve();
            return handle(...more);
          };
        }
      });
      query(given, ...rest);
      return ready;
    })
    .catch(refuse);
}

function answer(result: Promise<unknown>, callback: Callback | undefined): Promise<unknown> | undefined {
  if (!callback) return result;
  // In a tick of its own: an error that the callback throws is no rejection.
  result.then(
    (value) => {
      process.nextTick(callback, null, value);
    },
    (error: unknown) => {
      process.nextTick(callback, error);
    },
  );
  return undefined;
}

function withoutCallback(given: unknown): unknown {
  if (typeof given === 'string' || !(given as Config).callback) return given;
  return { ...(given as Config), callback: undefined };
}

export function isCallback(given: unknown): given is Callback {
  return typeof given === 'function';
}

export function isSubmittable(given: unknown): given is Submittable {
  return typeof (given as Partial<Submittable> | undefined)?.submit === 'function';
}
