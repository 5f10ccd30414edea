import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BullModule, getQueueToken, InjectQueue } from '@nestjs/bullmq';
import { Injectable, Module, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Queue } from 'bullmq';
import { getPaymentsToken, memoryStorage, OnPayment, PaymentsInbox, PaymentsModule } from 'nestjs-payments';
import {
  PaymentsQueue,
  PaymentsQueueModule,
  type PaymentsQueueOptions,
  type PaymentsQueueRootOptions,
} from 'nestjs-payments/bullmq';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { inspect } from 'node:util';
import { QueueSpace } from '../../support/queue-app.js';
import { describeWith, redisService } from '../../support/services.js';
import { LogLines, paymentsOptions, scheme, secret, startWebhookApp } from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

const { webhooks: _none, ...withoutWebhooks } = paymentsOptions();
const payouts = paymentsOptions({}, { name: 'payouts', apiKey: 'pk_test_b', apiSecret: 'sk_test_b' });
/** Nobody listens there. */
const nowhere = { host: '127.0.0.1', port: 9, password: 'the-password-of-redis' };

let application: TestingModule | undefined;
let logs: LogLines;

async function boot(
  imports: NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>,
): Promise<TestingModule> {
  logs = new LogLines();
  const created = await Test.createTestingModule({ imports }).setLogger(logs).compile();
  created.useLogger(logs);
  try {
    await created.init();
  } catch (error) {
    // Nest 11 closes nothing of an application that did not start.
    await Promise.all(queuesOf(created).map((queue) => queue.close()));
    throw error;
  }
  return (application = created);
}

function queuesOf(app: TestingModule): Queue[] {
  return ['payments-webhooks', 'other'].flatMap((name) => {
    try {
      return [app.get<Queue>(getQueueToken(name), { strict: false })];
    } catch {
      return [];
    }
  });
}

afterEach(async () => {
  await application?.close();
  application = undefined;
});

describe('the boot of PaymentsQueueModule', () => {
  const queue = (options: PaymentsQueueRootOptions = {}) =>
    PaymentsQueueModule.forRoot({ connection: nowhere, worker: false, ...options });

  it.each<[string, Parameters<typeof boot>[0], string]>([
    ['without PaymentsModule', [queue()], 'PaymentsModule is not: add PaymentsModule.forRoot'],
    [
      'if no account receives webhooks',
      [PaymentsModule.forRoot(withoutWebhooks), queue()],
      'PaymentsQueueModule has nothing to do',
    ],
    [
      'if a named account receives no webhooks',
      [PaymentsModule.forRoot(withoutWebhooks), queue({ accounts: ['default'] })],
      "PaymentsQueueModule receives webhooks of the account 'default', which has no `webhooks` option",
    ],
    [
      'if a named account does not exist',
      [PaymentsModule.forRoot(paymentsOptions()), queue({ accounts: ['shop'] })],
      "belongs to the account 'shop', which no PaymentsModule registers (registered: 'default')",
    ],
    [
      'if two queues take the same account',
      [PaymentsModule.forRoot(paymentsOptions()), queue(), queue({ queueName: 'other' })],
      "Two queues take the webhooks of the account 'default'",
    ],
    [
      'without a connection',
      [PaymentsModule.forRoot(paymentsOptions()), PaymentsQueueModule.forRoot()],
      'option `connection` is missing',
    ],
  ])('stops %s', async (_when, imports, message) => {
    await expect(boot(imports)).rejects.toMatchObject({
      name: 'PaymentsConfigError',
      message: expect.stringContaining(message) as unknown,
    });
  });

  it('refuses a registration without a factory at once', () => {
    expect(() => PaymentsQueueModule.forRootAsync({})).toThrow('has no factory');
  });

  it('warns that memory is not shared, and only then', async () => {
    const stored = { ...memoryStorage(), name: 'shared' };
    await boot([
      PaymentsModule.forRoot(paymentsOptions()),
      PaymentsModule.forRoot({ ...payouts, storage: stored }),
      queue(),
    ]);
    const warned = logs.of('warn').filter((line) => line.includes('memory of each process'));
    expect(warned).toEqual([expect.stringContaining("of the account 'default' go through Redis")]);
  });

  it('prints no password of anything that can be injected', async () => {
    const app = await boot([PaymentsModule.forRoot(paymentsOptions()), queue()]);
    expect(inspect(app.get(PaymentsQueue, { strict: false }), { depth: Infinity })).not.toContain(
      'the-password',
    );
  });
});

describeWith([redisService], 'a booted PaymentsQueueModule', () => {
  let space: QueueSpace;

  beforeEach(() => {
    space = new QueueSpace();
  });
  afterEach(async () => {
    await application?.close();
    application = undefined;
    await space.clear();
  });

  it('takes connection and prefix from BullModule.forRoot, and gives its queue to @InjectQueue', async () => {
    @Injectable()
    class Dashboard {
      constructor(@InjectQueue('payments-webhooks') readonly queue: Queue) {}
    }
    @Module({ imports: [PaymentsQueueModule.forRoot({ worker: false })], providers: [Dashboard] })
    class Office {}
    const app = await boot([
      BullModule.forRoot({ connection: { url: redisService.url }, prefix: space.prefix }),
      PaymentsModule.forRoot(paymentsOptions()),
      Office,
    ]);
    const { queue } = app.get(Dashboard, { strict: false });
    expect(queue.opts).toMatchObject({ prefix: space.prefix });
    expect(await queue.getJobCounts()).toMatchObject({ waiting: 0 });
    expect(await app.get(PaymentsQueue, { strict: false }).failed()).toEqual([]);
  });

  it('warns of a worker that would take payments and do nothing for them, and only of one', async () => {
    @Injectable()
    class Orders {
      @OnPayment('*')
      ended(): void {}
    }
    const warned = async (
      worker: NonNullable<PaymentsQueueOptions['worker']>,
      providers: Type[],
    ): Promise<string[]> => {
      const queue = { connection: { url: redisService.url }, prefix: space.prefix, worker };
      const started = await startWebhookApp('express', {
        imports: [PaymentsQueueModule.forRoot(queue)],
        controllers: [WebhooksController],
        providers,
      });
      await started.app.close();
      return started.logs.of('warn').filter((line) => line.includes("No @OnPayment('payment.success')"));
    };
    expect(await warned({}, [])).toEqual([
      expect.stringMatching(/whose worker takes payments .* PaymentsQueue$/),
    ]);
    expect(await warned(false, [])).toEqual([]);
    expect(await warned({}, [Orders])).toEqual([]);
  });

  it.each(['useFactory', 'useClass', 'useExisting'] as const)('reads options from %s', async (how) => {
    const options: PaymentsQueueOptions = {
      connection: { url: redisService.url },
      prefix: space.prefix,
      accounts: ['payouts'],
      worker: false,
    };
    @Injectable()
    class Factory {
      createPaymentsQueueOptions(): PaymentsQueueOptions {
        return options;
      }
    }
    @Module({ providers: [Factory], exports: [Factory] })
    class FactoryModule {}
    const app = await boot([
      PaymentsModule.forRoot(paymentsOptions()),
      PaymentsModule.forRoot(payouts),
      PaymentsQueueModule.forRootAsync({
        isGlobal: true,
        queueName: 'shop',
        imports: [FactoryModule],
        ...(how === 'useFactory'
          ? { inject: [Factory], useFactory: (factory: Factory) => factory.createPaymentsQueueOptions() }
          : how === 'useClass'
            ? { useClass: Factory }
            : { useExisting: Factory }),
      }),
    ]);
    const queue = app.get<Queue>(getQueueToken('shop'), { strict: false });
    const body = JSON.stringify(paymentEvent('payment.success'));
    for (const account of ['default', 'payouts']) {
      const inbox = app.get<PaymentsInbox>(getPaymentsToken(PaymentsInbox, account), { strict: false });
      const { status } = await inbox.receive(body, signWebhook({ scheme, secret, body }));
      expect(status).toBe(200);
    }
    expect((await queue.getWaiting()).map(({ data }: { data: { account: string } }) => data.account)).toEqual(
      ['payouts'],
    );
  });
});
