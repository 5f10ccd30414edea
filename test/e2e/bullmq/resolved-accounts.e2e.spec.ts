import { afterEach, beforeEach, expect, it } from 'vitest';
import { getQueueToken } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { type Queue, QueueEvents } from 'bullmq';
import {
  memoryStorage,
  OnPayment,
  type PaymentEventContext,
  PaymentsAccounts,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { PaymentsQueue, PaymentsQueueModule, type PaymentsQueueRootOptions } from 'nestjs-payments/bullmq';
import {
  deliverTo,
  type Marketplace,
  PathController,
  Sales,
  secretOf,
  startMarketplace,
} from '../../support/marketplace-app.js';
import { keysOf } from '../../support/merchants.js';
import { HandlerRuns, QueueSpace } from '../../support/queue-app.js';
import { describeWith, redisService } from '../../support/services.js';

describeWith([redisService], 'accounts of a resolver whose webhooks go to a queue', () => {
  let space: QueueSpace;
  let runs: HandlerRuns;
  let events: QueueEvents;
  let places: Marketplace[];

  const queue = (options: PaymentsQueueRootOptions = {}) =>
    PaymentsQueueModule.forRoot({ connection: { url: redisService.url }, prefix: space.prefix, ...options });
  const start = async (options: PaymentsQueueRootOptions = {}): Promise<Marketplace> => {
    @Injectable()
    class Orders {
      @OnPayment('payment.success')
      paid(event: PaymentWebhookEvent, context: PaymentEventContext): unknown {
        return runs.run(event, context);
      }
    }
    const place = await startMarketplace(
      'express',
      { storage: memoryStorage() },
      {
        controllers: options.worker === false ? [PathController] : [],
        providers: [Orders, Sales],
        imports: [queue(options)],
      },
    );
    places.push(place);
    return place;
  };
  const next = (event: 'completed' | 'failed' | 'delayed'): Promise<unknown> =>
    new Promise((resolve) => events.once(event, resolve));

  beforeEach(async () => {
    space = new QueueSpace();
    runs = new HandlerRuns();
    places = [];
    const connection = { url: redisService.url };
    events = new QueueEvents('payments-webhooks', { connection, prefix: space.prefix });
    await events.waitUntilReady();
  });
  afterEach(async () => {
    await Promise.all(places.map(({ app }) => app.close()));
    await events.close();
    await space.clear();
  });

  it('are stored by one process, and handled by another one in their own account', async () => {
    const front = await start({ worker: false });
    for (const account of ['shop', 'school']) {
      expect((await deliverTo(front.port, account)).status).toBe(200);
    }
    expect((await deliverTo(front.port, 'nobody')).status).toBe(401);
    const worker = await start();
    await runs.began(2);
    const accounts = runs.contexts.map(({ account }) => account).sort();
    expect(accounts).toEqual(['school', 'shop']);
    expect(worker.merchants.asked.sort()).toEqual(['school', 'shop']);
    expect(front.merchants.asked).toEqual(['shop', 'school', 'nobody']);
  });

  it('wait in the queue without losing an attempt while the resolver fails', async () => {
    const front = await start({ worker: false });
    const worker = await start();
    worker.merchants.before = () => Promise.reject(new Error('away'));
    const delayed = next('delayed');
    expect((await deliverTo(front.port, 'shop')).status).toBe(200);
    await delayed;
    const [job] = await worker.app.get<Queue>(getQueueToken('payments-webhooks')).getDelayed();
    expect(job).toMatchObject({ attemptsMade: 0, data: { account: 'shop' } });
    worker.merchants.before = () => undefined;
    const completed = next('completed');
    await job!.promote();
    await completed;
    expect(runs.references).toEqual(['order-1']);
  });

  it('run although the last secret of their account has ended since: they were verified before', async () => {
    const front = await start({ worker: false, retry: { maxAttempts: 1 } });
    const worker = await start();
    const secrets = [{ value: secretOf('shop'), notAfter: '2020-01-01' }];
    worker.merchants.rows.set('shop', { ...keysOf('shop'), webhooks: { secrets } });
    const ended = Promise.race([next('completed'), next('failed')]);
    expect((await deliverTo(front.port, 'shop')).status).toBe(200);
    await ended;
    expect(runs.references).toEqual(['order-1']);
    expect(await worker.app.get(PaymentsQueue).failed()).toEqual([]);
  });

  it('stay among the failed ones if the account is gone, and run when it is back', async () => {
    const front = await start({ worker: false, retry: { maxAttempts: 1 } });
    const worker = await start();
    const row = worker.merchants.rows.get('shop')!;
    for (const gone of [undefined, { apiKey: 'pk_test_shop', apiSecret: 'sk_test_shop' }]) {
      if (gone) worker.merchants.rows.set('shop', gone);
      else worker.merchants.rows.delete('shop');
      worker.app.get(PaymentsAccounts).forget('shop');
      const failed = next('failed');
      await deliverTo(front.port, 'shop');
      await failed;
    }
    const [webhook] = await worker.app.get(PaymentsQueue).failed();
    expect(webhook).toMatchObject({ account: 'shop', reference: 'order-1' });
    expect(webhook!.reason).toContain("the account 'shop', which accounts.resolve does not know any more");
    expect(runs.references).toEqual([]);
    worker.merchants.rows.set('shop', row);
    worker.app.get(PaymentsAccounts).forget('shop');
    const completed = next('completed');
    await worker.app.get(PaymentsQueue).retry(webhook!.id);
    await completed;
    expect(runs.references).toEqual(['order-1']);
  });

  it('go to one queue, named by their registration or not at all', async () => {
    const two = { imports: [queue(), queue({ queueName: 'other', accounts: ['default'] })] };
    await expect(startMarketplace('express', {}, two)).rejects.toThrow(/Two queues take the webhooks/);
    const one = { imports: [queue({ accounts: ['shop'] })] };
    await expect(startMarketplace('express', {}, one)).rejects.toThrow(
      /PaymentsQueueModule receives webhooks of the account 'shop', which no PaymentsModule registers/,
    );
  });
});
