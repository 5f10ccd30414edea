import { type ClosableConnection, closeAtOnce } from '../sql/close-at-once.js';
import { type ReturningLending, takeOwn } from '../sql/own-statements.js';
import { type SqlDialect } from '../sql/sql-executor.js';
import { type KnexClient } from './knex-instance.js';

/** A connection that Knex has lent. */
interface LentConnection extends ClosableConnection {
  __knex__disposed?: string;
  /** Knex logs it with statements. */
  __knexTxId?: string;
}

/**
 * Runs a transaction on a connection that is taken here: Knex gives one back before it says that another was open on it.
 *
 * @param work Calls `begun` once its transaction has begun. Until then the connection is closed in the end: the server may
 * carry a BEGIN out that failed.
 */
export async function onTaken<T>(
  lending: ReturningLending<LentConnection>,
  work: (connection: LentConnection, begun: () => void) => Promise<T>,
): Promise<T> {
  const connection = await takeOwn(lending);
  let giveBack = (): unknown => lending.close(connection);
  try {
    return await work(connection, () => (giveBack = () => lending.release(connection, false)));
  } finally {
    delete connection.__knexTxId;
    await giveBack();
  }
}

/** Lets Knex take a connection out of its pool when that has it back, and log the text. Somebody may use it meanwhile. */
export function dropWhenFree(connection: Pick<LentConnection, '__knex__disposed'>): void {
  connection.__knex__disposed =
    'nestjs-payments closed it: a transaction was left open on it, or its server takes no writes.';
}

/** How Knex lends its connections. */
export function lendingOf(client: KnexClient, dialect: SqlDialect, take = () => client.acquireConnection()) {
  return {
    dialect,
    take: take as () => Promise<LentConnection>,
    release: (connection: LentConnection) => client.releaseConnection(connection),
    close: async (connection: LentConnection) => {
      dropWhenFree(connection);
      closeAtOnce(connection);
      await client.releaseConnection(connection);
    },
  };
}

/** Those that take free connections, however many executors each gets. */
const takeFree = new WeakSet<KnexClient>();

/** MikroORM takes the connection of a transaction by itself. What the application takes stays as it is. */
export function takeFreeConnections(client: KnexClient, dialect: SqlDialect): void {
  if (takeFree.has(client)) return;
  takeFree.add(client);
  const lending = lendingOf(client, dialect, client.acquireConnection.bind(client));
  client.acquireConnection = () => takeOwn(lending);
}
