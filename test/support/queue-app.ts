import { Controller, Injectable } from '@nestjs/common';
import {
  DEFAULT_ACCOUNT,
  memoryStorage,
  OnPayment,
  type PaymentEventContext,
  type PaymentsModuleRootOptions,
  type PaymentsStorage,
  PaymentsWebhook,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { PaymentsQueueModule, type PaymentsQueueRootOptions } from 'nestjs-payments/bullmq';
import { connectRedis, forget, ownPrefix } from './redis.js';
import { redisService } from './services.js';
import { type AdapterName, paymentsOptions, startWebhookApp, type WebhookApp } from './webhook-app.js';

/** What an application's handlers were given, and what they do next. */
export class HandlerRuns {
  readonly references: string[] = [];
  readonly contexts: PaymentEventContext[] = [];
  behaviour: (event: PaymentWebhookEvent) => unknown = () => undefined;
  private readonly waiting = new Set<() => void>();

  run(event: PaymentWebhookEvent, context: PaymentEventContext): unknown {
    this.references.push(event.data.reference);
    this.contexts.push(context);
    for (const check of this.waiting) check();
    return this.behaviour(event);
  }

  /** Resolves once the handlers have begun that often. */
  began(times: number): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.references.length < times) return;
        this.waiting.delete(check);
        resolve();
      };
      this.waiting.add(check);
      check();
    });
  }
}

export interface QueueAppOptions {
  readonly runs?: HandlerRuns;
  readonly storage?: PaymentsStorage;
  readonly webhooks?: Parameters<typeof paymentsOptions>[0];
  /** Registration of the account, instead of the usual one. */
  readonly payments?: PaymentsModuleRootOptions;
}

/** A space of its own in the real Redis. */
export class QueueSpace {
  readonly prefix = ownPrefix();
  private readonly apps: WebhookApp[] = [];

  /** An application whose webhooks go through the queue of this space. */
  async start(
    adapter: AdapterName,
    queue: PaymentsQueueRootOptions = {},
    {
      runs = new HandlerRuns(),
      storage = memoryStorage(),
      webhooks,
      payments = paymentsOptions(webhooks, { storage }),
    }: QueueAppOptions = {},
  ): Promise<WebhookApp> {
    const { name: account = DEFAULT_ACCOUNT } = payments;
    @Controller('webhooks')
    class WebhooksController {
      @PaymentsWebhook('payments', { account })
      received(): void {}
    }
    @Injectable()
    class Orders {
      @OnPayment('*', { account })
      paid(event: PaymentWebhookEvent, context: PaymentEventContext): unknown {
        return runs.run(event, context);
      }
    }
    const app = await startWebhookApp(adapter, {
      controllers: [WebhooksController],
      providers: [Orders],
      payments: [payments],
      imports: [
        PaymentsQueueModule.forRoot({ connection: { url: redisService.url }, prefix: this.prefix, ...queue }),
      ],
    });
    this.apps.push(app);
    return app;
  }

  async stop(stopped: WebhookApp): Promise<void> {
    this.apps.splice(this.apps.indexOf(stopped), 1);
    await stopped.app.close();
  }

  /** Stops the applications and leaves nothing behind. */
  async clear(): Promise<void> {
    await Promise.all([...this.apps].map((app) => this.stop(app)));
    const redis = connectRedis();
    await forget(redis, this.prefix);
    await redis.quit();
  }
}
