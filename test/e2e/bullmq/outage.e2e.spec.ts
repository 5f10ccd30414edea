import { afterEach, beforeEach, expect, it } from 'vitest';
import { Redis } from 'ioredis';
import { PaymentsQueue } from 'nestjs-payments/bullmq';
import { paymentEvent } from 'nestjs-payments/testing';
import { HandlerRuns, QueueSpace } from '../../support/queue-app.js';
import { describeWith, redisService } from '../../support/services.js';
import { SeverableProxy } from '../../support/severable-proxy.js';
import { adapters, deliver } from '../../support/webhook-app.js';

const away = ['cut', 'hang'] as const;

describeWith([redisService], 'a queue whose Redis goes away', () => {
  let space: QueueSpace;
  let runs: HandlerRuns;
  let proxy: SeverableProxy;

  beforeEach(async () => {
    space = new QueueSpace();
    runs = new HandlerRuns();
    proxy = await SeverableProxy.before(redisService.url);
  });
  afterEach(async () => {
    await space.clear();
    await proxy.close();
  });

  /** ioredis would stay up for two seconds more if the connection that it closes is gone already. */
  const connection = () => ({ url: proxy.url, disconnectTimeout: 50 });

  /** As the gateway does: again and again, until it is answered 200. */
  async function deliverUntilStored(port: number, reference: string): Promise<void> {
    const event = paymentEvent('payment.success', { reference });
    for (;;) {
      const { status } = await deliver(port, event);
      if (status === 200) return;
      expect(status).toBe(503);
    }
  }

  it.each(adapters.flatMap((adapter) => away.map((how) => [adapter, how] as const)))(
    'answers 503 on %s while it is away (%s), and works again when it is back',
    async (adapter, how) => {
      const { app, port, logs } = await space.start(adapter, { connection: connection() }, { runs });
      await deliverUntilStored(port, 'before');
      await runs.began(1);
      proxy[how]();
      const answers = await Promise.all(
        [1, 2, 3].map((n) => deliver(port, paymentEvent('payment.success', { reference: `during-${n}` }))),
      );
      expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
        [503, '5'],
        [503, '5'],
        [503, '5'],
      ]);
      await expect(app.get(PaymentsQueue).failed()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
      proxy.restore();
      await deliverUntilStored(port, 'after');
      while (!runs.references.includes('after')) await runs.began(runs.references.length + 1);
      expect(new Set(runs.references).size).toBe(runs.references.length);
      expect(logs.of('error').join()).not.toContain(new URL(proxy.url).host);
    },
  );

  it.each(away)('can be started while it is away (%s)', async (how) => {
    proxy[how]();
    const { port } = await space.start('express', { connection: connection() }, { runs });
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(503);
    proxy.restore();
    await deliverUntilStored(port, 'after');
    await runs.began(1);
  });

  it.each(away)('can be stopped while it is away (%s)', async (how) => {
    const app = await space.start('express', { connection: connection() }, { runs });
    await deliverUntilStored(app.port, 'before');
    await runs.began(1);
    proxy[how]();
    await space.stop(app);
  });

  it.each(away)('can be stopped before it was ever there (%s)', async (how) => {
    proxy[how]();
    await space.stop(await space.start('express', { connection: connection() }, { runs }));
  });

  it('leaves a client of the application alone', async () => {
    const client = new Redis(redisService.url);
    const app = await space.start('express', { connection: client }, { runs });
    await deliverUntilStored(app.port, 'order-1');
    await runs.began(1);
    expect(client.options).toMatchObject({ maxRetriesPerRequest: 20, enableOfflineQueue: true });
    await space.stop(app);
    expect(await client.ping()).toBe('PONG');
    client.disconnect();
  });
});
