// An application that gets a signal to stop while a handler runs. It reports every step to its parent.
import { Injectable, Module, type OnModuleDestroy } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type AddressInfo, type Server } from 'node:net';
import { memoryStorage, OnPayment, PaymentsModule } from 'nestjs-payments';
import { paymentsOptions } from '../support/webhook-app.js';
import { WebhooksController } from '../support/webhooks.controller.js';

export interface StoppingAppSettings {
  readonly adapter: 'express' | 'fastify';
  readonly handlerTimeoutMs: number;
}

export type FromStoppingApp =
  | { readonly what: 'ready'; readonly port: number }
  | { readonly what: 'began' | 'finished' | 'stopping' | 'storage closed' };

const { adapter, handlerTimeoutMs } = JSON.parse(process.argv[2] ?? '{}') as StoppingAppSettings;
const tell = (message: FromStoppingApp): void => void process.send?.(message);

@Injectable()
class Orders {
  @OnPayment('payment.success')
  async paid(): Promise<void> {
    const finish = new Promise((resolve) => process.once('message', resolve));
    tell({ what: 'began' });
    await finish;
    tell({ what: 'finished' });
  }
}

const storage = Object.assign(memoryStorage(), {
  close: () => {
    tell({ what: 'storage closed' });
    return Promise.resolve();
  },
});

@Module({
  imports: [PaymentsModule.forRoot({ ...paymentsOptions({ handlerTimeoutMs }), storage })],
  controllers: [WebhooksController],
  providers: [Orders],
})
class AppModule implements OnModuleDestroy {
  onModuleDestroy(): void {
    tell({ what: 'stopping' });
  }
}

const app = await NestFactory.create(
  AppModule,
  adapter === 'express' ? new ExpressAdapter() : new FastifyAdapter(),
  { logger: ['warn', 'error'] },
);
app.enableShutdownHooks();
await app.listen(0, '127.0.0.1');
tell({ what: 'ready', port: ((app.getHttpServer() as Server).address() as AddressInfo).port });
