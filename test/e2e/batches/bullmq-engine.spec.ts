import { randomBytes } from 'node:crypto';
import { Queue } from 'bullmq';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BatchJob } from 'nestjs-payments/batches';
import { bullmqEngine } from 'nestjs-payments/bullmq';
import { FaultyProxy } from '../../support/faulty-proxy.js';
import { describeWith, redisService } from '../../support/services.js';

const job = (chunk: number): BatchJob => ({
  kind: 'pay',
  account: 'default',
  environment: 'sandbox',
  batch: 'salaries',
  load: 'a',
  round: 1,
  chunk,
});

describeWith([redisService], 'bullmqEngine', () => {
  let queueName: string;
  let connections: number;
  let proxy: FaultyProxy;

  beforeEach(async () => {
    queueName = `engine-${randomBytes(6).toString('hex')}`;
    connections = 0;
    const eachConnection = () => {
      connections += 1;
      return (bytes: Buffer) => [{ bytes, statements: [] }];
    };
    proxy = await FaultyProxy.before(redisService.url, eachConnection, () => undefined);
  });
  afterEach(async () => {
    const queue = new Queue(queueName, { connection: { url: redisService.url } });
    await queue.obliterate({ force: true });
    await queue.close();
    await proxy.close();
  });

  it('connects when it is used, and not when it is made', async () => {
    const connection = { url: proxy.url };
    bullmqEngine({ connection, queueName });
    const used = bullmqEngine({ connection, queueName, worker: false });
    await used.add([job(1)]);
    expect(connections).toBe(1);
    await used.close();
  });

  it('works again when it is started again after its end', async () => {
    const engine = bullmqEngine({ connection: { url: redisService.url }, queueName });
    for (const chunk of [1, 2]) {
      const ran = await new Promise<number>((resolve, reject) => {
        const run = (begun: BatchJob): Promise<void> => {
          resolve(begun.chunk);
          return Promise.resolve();
        };
        Promise.resolve(engine.start(run))
          .then(() => engine.add([job(chunk)]))
          .catch(reject);
      });
      expect(ran).toBe(chunk);
      await engine.close();
    }
  });

  it('takes no work after its end, and connects no more', async () => {
    const engine = bullmqEngine({ connection: { url: proxy.url }, queueName, worker: false });
    await engine.start(() => Promise.resolve());
    await engine.add([job(1)]);
    await engine.close();
    await expect(engine.add([job(2)])).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      message: 'The queue of batches is closed, because the application stops.',
    });
    expect(connections).toBe(1);
  });
});
