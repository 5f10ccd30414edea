/**
 * Stores payments and webhooks in a file, for an application that is one process. Needs Node.js 22.13 or newer.
 *
 * @module nestjs-payments/sqlite
 */

export { type SqliteDatabase, type SqlitePrepared, type SqliteValue } from './sqlite-engine.js';
export { sqliteStorage, type SqliteStorageOptions } from './sqlite-storage.js';
