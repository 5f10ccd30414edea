/**
 * Lets `sqlStorage()` use the application's Drizzle.
 *
 * @module nestjs-payments/drizzle
 */

export {
  type DrizzleDatabase,
  type DrizzleMysqlPool,
  type DrizzlePool,
  type DrizzleResult,
} from './drizzle-database.js';
export { fromDrizzle } from './from-drizzle.js';
