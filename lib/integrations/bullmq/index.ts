/**
 * Hands webhooks and batches of payouts to BullMQ workers. Needs `bullmq` and `@nestjs/bullmq`.
 *
 * @module nestjs-payments/bullmq
 */
import 'reflect-metadata';

export {
  type PaymentsQueueAsyncOptions,
  type PaymentsQueueExtras,
  PaymentsQueueModule,
  type PaymentsQueueRootOptions,
} from './payments-queue.module.js';
export {
  type PaymentsQueueOptions,
  type PaymentsQueueOptionsFactory,
  type PaymentsQueueRetryOptions,
  type PaymentsQueueWorkerOptions,
} from './payments-queue-options.js';
export { bullmqEngine, type BullmqEngineOptions } from './bullmq-engine.js';
export { type FailedWebhook, PaymentsQueue } from './payments-queue.js';
