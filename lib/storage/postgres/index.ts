/**
 * Stores payments and webhooks in PostgreSQL, optionally in the handlers' own transaction. Needs `pg`.
 *
 * @module nestjs-payments/postgres
 */

export { migratePayments, type MigratePaymentsOptions } from './migrate-payments.js';
export { paymentsPool, typeOrmDriver } from './payments-pool.js';
export { type PostgresClient, type PostgresPool, type PostgresResult } from './postgres-pool.js';
export { postgresStorage, type PostgresStorageOptions } from './postgres-storage.js';
