export { migratePayments, type MigratePaymentsOptions } from './migrate-payments.js';
export { type PostgresClient, type PostgresPool, type PostgresResult } from './postgres-pool.js';
export { postgresStorage, type PostgresStorageOptions } from './postgres.storage.js';
