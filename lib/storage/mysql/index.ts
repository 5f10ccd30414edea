/**
 * Lets `sqlStorage()` use the application's pool of `mysql2`, on MySQL or MariaDB.
 *
 * @module nestjs-payments/mysql
 */

export { fromMysql2 } from './from-mysql2.js';
export {
  type Mysql2Connection,
  type Mysql2Pool,
  type Mysql2Statement,
  type Mysql2Value,
} from './mysql2-pool.js';
