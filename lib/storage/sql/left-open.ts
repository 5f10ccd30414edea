import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { type SqlDialect } from './sql-executor.js';
import { FREE_CONNECTION, timeLimited } from './statement-timeout.js';

/** What a client of `pg` shows of its connection. */
interface ClientParts {
  /** Absent in older versions. */
  getTransactionStatus?(): string | null;
  /** False while the server carries out a statement. */
  readonly readyForQuery?: boolean;
  readonly connection?: {
    on?(event: 'readyForQuery', listener: (message?: { readonly status?: string }) => void): unknown;
  };
  once?(event: IdleEvent, listener: () => void): unknown;
  removeListener?(event: IdleEvent, listener: () => void): unknown;
}

type IdleEvent = (typeof IDLE_EVENTS)[number];

/** What ends the wait for a statement that still runs. */
const IDLE_EVENTS = ['drain', 'error', 'end'] as const;
/** In a transaction, and in one that has failed. */
const OPEN: readonly unknown[] = ['T', 'E'];
/** A pool that gives more of them in a row makes them itself: each was closed. */
const MOST_IN_A_ROW = 100;

/** What the server said last, by client. */
const statuses = new WeakMap<object, { last: string | undefined }>();

/**
 * Whether a client of `pg` says that its connection is in a transaction. It costs no round trip, because PostgreSQL says it
 * with every answer. A client that shows nothing counts as one without.
 */
export function isInTransaction(client: object): boolean {
  const parts: ClientParts = client;
  if (typeof parts.getTransactionStatus !== 'function') return OPEN.includes(followStatus(parts).last);
  try {
    return OPEN.includes(parts.getTransactionStatus());
  } catch {
    // The native client of `pg` has the method, and asks a `pg-native` that has it since 3.8 only.
    return false;
  }
}

/** Remembers from now on what the server says: an older `pg` does not keep it. */
export function followStatus(client: ClientParts): { readonly last: string | undefined } {
  const known = statuses.get(client);
  if (known) return known;
  const status: { last: string | undefined } = { last: undefined };
  statuses.set(client, status);
  client.connection?.on?.('readyForQuery', (message) => (status.last = message?.status));
  return status;
}

/** How a pool lends its connections. */
export interface Lending<C extends object> {
  readonly dialect: SqlDialect;
  take(): Promise<C>;
  /** Closes a connection, and takes it out of the pool. */
  close(connection: C): unknown;
  /** The client of the driver, if the connection is another object. */
  clientOf?(connection: C): object | undefined;
}

/**
 * Takes a connection that is in no transaction. Code that gave one back without an answer to its ROLLBACK left it in one:
 * what the package wrote there would be undone with it, and a COMMIT of the package would commit it.
 *
 * @param tell Gets a line for the log.
 */
export async function takeFree<C extends object>(
  lending: Lending<C>,
  tell: (line: string) => void,
): Promise<C> {
  for (let tries = 0; tries < MOST_IN_A_ROW; tries += 1) {
    const connection = await lending.take();
    const client = lending.clientOf?.(connection) ?? connection;
    if (isBusy(client)) await whenIdle(client);
    if (!isBusy(client) && !isInTransaction(client)) return connection;
    tell(CLOSED);
    await lending.close(connection);
  }
  // No `LeftOpenError`, after which another connection would be tried.
  throw new PaymentsStorageError(
    `${MOST_IN_A_ROW} connections in a row came from the pool in a transaction, so nothing was written: look for code that begins ` +
      'one on every new connection.',
  );
}

/** Whether a statement still runs that the connection got before it was given back. */
function isBusy({ readyForQuery }: ClientParts): boolean {
  return readyForQuery === false;
}

/** Most run for a moment only: a pool may set up each new connection. One that hangs ends with the time limit. */
async function whenIdle(client: ClientParts): Promise<void> {
  let isIdle = (): void => undefined;
  const idle = new Promise<void>((resolve) => (isIdle = resolve));
  for (const event of IDLE_EVENTS) client.once?.(event, isIdle);
  await timeLimited(idle, FREE_CONNECTION).catch(() => undefined);
  for (const event of IDLE_EVENTS) client.removeListener?.(event, isIdle);
}

/** For the log. */
export const CLOSED =
  'A connection of the pool came back with an open transaction of the application, or with a statement that did not end, and was ' +
  'closed. Where the application takes a connection, destroy it if its ROLLBACK or COMMIT was not answered (with pg: ' +
  'client.release(true)), as after query_timeout.';

const LEFT_OPEN =
  'The connection that the pool gave was in a transaction that the application had left open, so nothing was written: what the ' +
  'statement did there is undone with that transaction. Where the application takes a connection, destroy it if its ROLLBACK or ' +
  'COMMIT was not answered (with pg: client.release(true)), as after query_timeout.';

/** A statement ran in a transaction of somebody else. The code that throws it closes the connection. */
export class LeftOpenError extends PaymentsStorageError {
  constructor() {
    super(LEFT_OPEN);
  }
}
