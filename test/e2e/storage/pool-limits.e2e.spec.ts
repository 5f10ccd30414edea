import { afterEach, describe, expect, it, vi } from 'vitest';
import { Redis } from 'ioredis';
import { type PoolClient } from 'pg';
import { CollectionsService } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { paymentEvent } from 'nestjs-payments/testing';
import { eventually } from '../../support/eventually.js';
import { collectionRequest } from '../../support/gateway-answers.js';
import { startMisbehavingGateway } from '../../support/misbehaving-gateway.js';
import { openPaymentsDatabase } from '../../support/payments-database.js';
import { type LimitedPool, poolLimitContract } from '../../support/pool-limit-contract.js';
import { connectRedis, forget, ownPrefix, reaches } from '../../support/redis.js';
import { describeWith, postgresService, redisService } from '../../support/services.js';
import { SeverableProxy } from '../../support/severable-proxy.js';
import { type Answer, deliver, paymentsOptions, startWebhookApp } from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';
import { accept } from '../../support/working-gateway.js';

describeWith([postgresService], 'a pool of pg', () => {
  describe.each([false, true])('whose connections are all lent (transactional: %j)', (transactional) => {
    poolLimitContract(async (): Promise<LimitedPool> => {
      const database = await openPaymentsDatabase(postgresService.url);
      const pool = database.connect({ max: 1 });
      let lent: PoolClient | undefined;
      return {
        storage: postgresStorage({ pool, schema: database.schema, transactional }),
        refuse: async () => {
          lent = await pool.connect();
          pool.options.connectionTimeoutMillis = 800;
        },
        serve: () => {
          pool.options.connectionTimeoutMillis = 0;
          lent?.release();
          return Promise.resolve();
        },
        close: () => database.close(),
      };
    });
  });

  describe('that was ended', () => {
    poolLimitContract(async (): Promise<LimitedPool> => {
      const database = await openPaymentsDatabase(postgresService.url);
      const pool = database.connect({ allowExitOnIdle: true });
      return {
        storage: postgresStorage({ pool, schema: database.schema }),
        refuse: () => pool.end(),
        close: () => database.close(),
      };
    });
  });
});

describeWith([postgresService], 'a pool of pg that waits forever', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is asked for no more than maxInFlight connections, and what is one too many is refused at once', async () => {
    const database = await openPaymentsDatabase(postgresService.url);
    const pool = database.connect({ max: 1 });
    const gateway = await startMisbehavingGateway();
    gateway.answer(accept);
    // Prepared statements share a connection, and what they give up is never carried out.
    const storage = postgresStorage({
      pool,
      schema: database.schema,
      transactional: true,
      preparedStatements: false,
    });
    const { app, port } = await startWebhookApp('express', {
      controllers: [WebhooksController],
      payments: [paymentsOptions({ maxInFlight: 2 }, { storage, baseUrl: gateway.baseUrl, maxInFlight: 2 })],
    });
    const collections = app.get(CollectionsService);
    const pay = (reference: string): Promise<unknown> =>
      collections.mobileMoney({ ...collectionRequest, reference }).catch((error: unknown) => error);
    const notify = (reference: string): Promise<Answer> =>
      deliver(port, paymentEvent('payment.success', { reference }));
    await pay('order-0');
    const lent = await pool.connect();
    // Nothing else in this process may see the clock turn.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const late = [pay('order-1'), pay('order-2')];
    const lateWebhooks = [notify('order-3'), notify('order-4')];
    while (pool.waitingCount < 4) await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(4_000);
    for (const error of await Promise.all(late)) expect(error).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    for (const { status } of await Promise.all(lateWebhooks)) expect(status).toBe(503);
    expect(await pay('order-5')).toMatchObject({ code: 'OVERLOADED' });
    expect(await notify('order-6')).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    vi.useRealTimers();
    lent.release();
    await eventually(async () => {
      expect(await pay('order-5')).toMatchObject({ reference: 'order-5', status: 'pending' });
    });
    await eventually(async () => {
      expect((await notify('order-6')).status).toBe(200);
    });
    expect(gateway.seen).toHaveLength(2);
    await app.close();
    await database.close();
    await gateway.close();
  });
});

describeWith([redisService], 'a client of ioredis', () => {
  describe.each([
    ['that gives up after no try', { maxRetriesPerRequest: 0 }],
    ['that gives up after one try', { maxRetriesPerRequest: 1, retryStrategy: () => 10 }],
    ['without a queue for later', { enableOfflineQueue: false }],
  ])('%s', (_, options) => {
    poolLimitContract(async (): Promise<LimitedPool> => {
      const prefix = ownPrefix();
      const proxy = await SeverableProxy.before(redisService.url);
      const client = new Redis(proxy.url, options);
      client.on('error', () => undefined);
      await reaches(client, 'ready');
      return {
        storage: redisStorage({ client, keyPrefix: prefix }),
        refuse: async () => {
          const lost = reaches(client, 'close');
          proxy.cut();
          await lost;
        },
        serve: async () => {
          const ready = reaches(client, 'ready');
          proxy.restore();
          await ready;
        },
        close: async () => {
          client.disconnect();
          await proxy.close();
          const direct = connectRedis();
          await forget(direct, prefix);
          direct.disconnect();
        },
      };
    });
  });

  describe('that was closed', () => {
    poolLimitContract(() => {
      const prefix = ownPrefix();
      const client = new Redis(redisService.url);
      return Promise.resolve<LimitedPool>({
        storage: redisStorage({ client, keyPrefix: prefix }),
        refuse: async () => {
          await client.quit();
        },
        close: async () => {
          const direct = connectRedis();
          await forget(direct, prefix);
          direct.disconnect();
        },
      });
    });
  });
});
