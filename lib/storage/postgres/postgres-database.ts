import { DeliveryPermit } from '../sql/delivery-permit.js';
import { poolSizeOf } from '../sql/application-pool.js';
import { type SqlDatabase } from '../sql/sql-database.js';
import { DeliveryTransaction } from './delivery-transaction.js';
import { autocommit, PooledConnection, scripts } from './pooled-connection.js';
import { pooledScripts } from './pooled-scripts.js';
import { whileJoined } from './joined-token.js';
import { JoinedTransactions } from './joined-transaction.js';
import { clientsOf } from './pool-clients.js';
import { type PostgresPool } from './postgres-pool.js';
import { type TableNames } from './table-names.js';
import { type CheckedTables } from './tables-version.js';

/**
 * The application's pool of `pg` as a database.
 *
 * @param handlersPool The application's own pool, which `paymentsPool()` shows.
 */
export function postgresDatabase(
  pool: CheckedTables,
  names: TableNames,
  handlersPool: PostgresPool,
): SqlDatabase {
  const joined = new JoinedTransactions(clientsOf(handlersPool), autocommit(pool), names);
  /** What handlers find as `context.transaction`. */
  const handlerClients = new WeakSet();
  return {
    run: pooledScripts(pool),
    connect: async () => {
      const permit = await DeliveryPermit.acquire(handlersPool, poolSizeOf(handlersPool));
      try {
        const connection = await PooledConnection.from(pool);
        return new DeliveryTransaction(connection, names.inbox, { handlersPool, handlerClients, permit });
      } catch (error) {
        permit.release();
        throw error;
      }
    },
    join: async (transaction, token) => {
      const isHandlerClient = handlerClients.has(transaction as object);
      const run = await joined.join(transaction, isHandlerClient, token);
      await pool.prepareOn(run);
      return whileJoined(scripts(run), token);
    },
  };
}
