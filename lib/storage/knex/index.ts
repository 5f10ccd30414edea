/**
 * Lets `sqlStorage()` use the application's Knex.
 *
 * @module nestjs-payments/knex
 */

export { fromKnex } from './from-knex.js';
export { type KnexClient, type KnexInstance, type KnexTransaction } from './knex-instance.js';
