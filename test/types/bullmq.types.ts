// Webhook work handed to BullMQ.
import { Injectable, Module } from '@nestjs/common';
import { Redis } from 'ioredis';
import {
  type FailedWebhook,
  PaymentsQueue,
  PaymentsQueueModule,
  type PaymentsQueueOptions,
  type PaymentsQueueOptionsFactory,
} from 'nestjs-payments/bullmq';
import { type Equal, type Expect } from './expect.js';

export type Checks = [
  Expect<Equal<ReturnType<PaymentsQueue['failed']>, Promise<readonly FailedWebhook[]>>>,
  Expect<Equal<ReturnType<PaymentsQueue['retry']>, Promise<void>>>,
  Expect<Equal<ReturnType<PaymentsQueue['retryAll']>, Promise<number>>>,
  Expect<Equal<FailedWebhook['failedAt'], Date>>,
];

@Injectable()
class QueueConfig implements PaymentsQueueOptionsFactory {
  createPaymentsQueueOptions(): PaymentsQueueOptions {
    return { connection: new Redis(), worker: { concurrency: 2 } };
  }
}

export const modules = [
  PaymentsQueueModule.forRoot(),
  PaymentsQueueModule.forRoot({ connection: { url: 'redis://127.0.0.1' }, worker: false, isGlobal: true }),
  PaymentsQueueModule.forRoot({ retry: { maxAttempts: 3 }, accounts: ['default'], queueName: 'shop' }),
  PaymentsQueueModule.forRootAsync({ useClass: QueueConfig }),
  PaymentsQueueModule.forRootAsync({
    queueName: 'shop',
    inject: [QueueConfig],
    useFactory: (config: QueueConfig) => config.createPaymentsQueueOptions(),
  }),
  // @ts-expect-error -- a worker is described, not switched on
  PaymentsQueueModule.forRoot({ worker: true }),
  // @ts-expect-error -- the queue's name is beside the factory
  PaymentsQueueModule.forRootAsync({ useFactory: () => ({ queueName: 'shop' }) }),
];

@Module({ imports: [PaymentsQueueModule.forRoot()] })
export class Operators {
  constructor(private readonly queue: PaymentsQueue) {}

  async again(): Promise<void> {
    for (const { id, reference } of await this.queue.failed({ limit: 10 })) {
      if (reference.startsWith('order-')) await this.queue.retry(id);
    }
  }
}
