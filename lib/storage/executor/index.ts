/**
 * Stores payments and webhooks in the application's own SQL database, through its ORM or driver.
 *
 * @module nestjs-payments/sql
 */

export {
  migrateSqlStorage,
  type MigrateSqlStorageOptions,
  sqlStorage,
  type SqlStorageOptions,
} from './sql-storage.js';
export {
  type SqlDialect,
  type SqlExecuteResult,
  type SqlExecutor,
  type SqlRunner,
  type SqlTransaction,
  type SqlTransactionOptions,
} from '../sql/sql-executor.js';
