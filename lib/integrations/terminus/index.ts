/**
 * A health indicator. Needs `@nestjs/terminus`.
 *
 * @module nestjs-payments/terminus
 */
import 'reflect-metadata';

export { PaymentsHealthIndicator } from './payments.health.js';
export { type PaymentsHealthOptions } from './payments-health-options.js';
