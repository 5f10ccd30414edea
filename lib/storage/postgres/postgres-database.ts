import { type SqlDatabase } from '../sql/sql-database.js';
import { DeliveryTransaction } from './delivery-transaction.js';
import { autocommit, scripts } from './pooled-connection.js';
import { pooledScripts } from './pooled-scripts.js';
import { whileJoined } from './joined-token.js';
import { JoinedTransactions } from './joined-transaction.js';
import { type PostgresPool } from './postgres-pool.js';
import { type TableNames } from './table-names.js';

/**
 * The application's pool of `pg` as a database.
 *
 * @param handlersPool The application's own pool, which `paymentsPool()` shows.
 */
export function postgresDatabase(
  pool: PostgresPool,
  names: TableNames,
  handlersPool: PostgresPool,
): SqlDatabase {
  const joined = new JoinedTransactions(autocommit(pool), names);
  /** What handlers find as `context.transaction`. */
  const lent = new WeakSet();
  const run = pooledScripts(pool);
  const place = { pool, handlersPool, lent, inbox: names.inbox };
  return {
    run,
    openSession: () => new DeliveryTransaction(place, run),
    join: async (transaction, token) => {
      const isOwn = typeof transaction === 'object' && transaction !== null && lent.has(transaction);
      return whileJoined(scripts(await joined.join(transaction, isOwn, token)), token);
    },
  };
}
