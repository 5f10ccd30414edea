/**
 * Lets `sqlStorage()` use the application's TypeORM.
 *
 * @module nestjs-payments/typeorm
 */

export { fromTypeOrm } from './from-typeorm.js';
export {
  type TypeOrmDataSource,
  type TypeOrmQueryRunner,
  type TypeOrmResult,
} from './typeorm-data-source.js';
