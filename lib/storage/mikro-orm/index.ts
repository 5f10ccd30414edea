/**
 * Lets `sqlStorage()` use the application's MikroORM.
 *
 * @module nestjs-payments/mikro-orm
 */

export { fromMikroOrm } from './from-mikro-orm.js';
export { type MikroOrmEntityManager, type MikroOrmInstance } from './mikro-orm-instance.js';
