/**
 * Lets `sqlStorage()` use the application's Kysely.
 *
 * @module nestjs-payments/kysely
 */

export { fromKysely } from './from-kysely.js';
export {
  type KyselyConnection,
  type KyselyDatabase,
  type KyselyExecutor,
  type KyselyResult,
} from './kysely-database.js';
