/**
 * Lets `sqlStorage()` use the application's Sequelize.
 *
 * @module nestjs-payments/sequelize
 */

export { fromSequelize } from './from-sequelize.js';
export { type SequelizeInstance, type SequelizeTransaction } from './sequelize-instance.js';
