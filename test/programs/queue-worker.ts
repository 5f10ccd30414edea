// An application without HTTP that works on webhooks in a queue, and tells its parent what its handlers do.
import { Injectable, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { PaymentsQueueModule } from 'nestjs-payments/bullmq';
import {
  hmac,
  OnPayment,
  type PaymentEventContext,
  PaymentsModule,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { redisStorage } from 'nestjs-payments/redis';

/** What the parent gives as the first argument. */
export interface QueueWorkerSettings {
  readonly queueUrl: string;
  readonly storageUrl: string;
  readonly prefix: string;
  readonly lockMs: number;
  readonly shutdownTimeoutMs: number;
  readonly handlerTimeoutMs: number;
  /** Whether a handler waits until the parent says `finish`. */
  readonly waits: boolean;
}

export type FromQueueWorker =
  | { readonly what: 'ready' | 'stopping' }
  | { readonly what: 'began' | 'finished'; readonly reference: string; readonly attempt: number };
export type ToQueueWorker = 'finish' | 'close';

const settings = JSON.parse(process.argv[2] ?? '') as QueueWorkerSettings;
const tell = (message: FromQueueWorker): void => void process.send?.(message);

@Injectable()
class Orders {
  @OnPayment('*')
  async paid({ data: { reference } }: PaymentWebhookEvent, { attempt }: PaymentEventContext): Promise<void> {
    tell({ what: 'began', reference, attempt });
    if (settings.waits) await told('finish');
    tell({ what: 'finished', reference, attempt });
  }

  onModuleDestroy(): void {
    tell({ what: 'stopping' });
  }
}

async function told(what: ToQueueWorker): Promise<void> {
  while ((await once(process, 'message'))[0] !== what);
}

const client = new Redis(settings.storageUrl, { maxRetriesPerRequest: 0 });

@Module({
  imports: [
    PaymentsModule.forRoot({
      baseUrl: 'http://127.0.0.1:9/api/v1',
      apiKey: 'pk_test_shop',
      apiSecret: 'sk_test_shop',
      storage: redisStorage({ client, keyPrefix: settings.prefix }),
      webhooks: {
        scheme: hmac({
          header: 'x-webhook-signature',
          algorithm: 'sha256',
          encoding: 'hex',
          payload: ['body'],
        }),
        secrets: ['a-signing-secret-of-the-merchant'],
        handlerTimeoutMs: settings.handlerTimeoutMs,
        leaseMs: 2 * settings.handlerTimeoutMs,
        inFlightWaitMs: 0,
      },
    }),
    PaymentsQueueModule.forRoot({
      connection: { url: settings.queueUrl },
      prefix: settings.prefix,
      worker: { lockMs: settings.lockMs },
      shutdownTimeoutMs: settings.shutdownTimeoutMs,
    }),
  ],
  providers: [Orders],
})
class WorkerModule {}

Logger.overrideLogger(['error', 'warn']);
const app = await NestFactory.createApplicationContext(WorkerModule);
app.enableShutdownHooks();
tell({ what: 'ready' });
await told('close');
await app.close();
client.disconnect();
process.disconnect();
