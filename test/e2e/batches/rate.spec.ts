import { randomBytes } from 'node:crypto';
import { Queue } from 'bullmq';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BatchEngine, type BatchJob } from 'nestjs-payments/batches';
import { bullmqEngine } from 'nestjs-payments/bullmq';
import { describeWith, redisService } from '../../support/services.js';

const JOBS = [1, 2, 3].map((chunk): BatchJob => ({
  kind: 'pay',
  account: 'default',
  environment: 'sandbox',
  batch: 'salaries',
  load: 'a',
  round: 1,
  chunk,
}));

describeWith([redisService], 'the rate of bullmqEngine', () => {
  const connection = { url: redisService.url };
  let queueName: string;
  let queue: Queue;
  let engines: BatchEngine[];

  beforeEach(() => {
    queueName = `rate-${randomBytes(6).toString('hex')}`;
    queue = new Queue(queueName, { connection });
    engines = [];
  });
  afterEach(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
    await queue.obliterate({ force: true });
    await queue.close();
  });

  it('is one for all processes: after a chunk of 100 lines, nobody begins another one for 100 seconds', async () => {
    const begun: number[] = [];
    await new Promise<void>((resolve) => {
      engines = [1, 2].map(() => bullmqEngine({ connection, queueName, linesPerSecond: 1, concurrency: 3 }));
      for (const engine of engines) {
        void engine.start(({ chunk }) => {
          begun.push(chunk);
          resolve();
          return Promise.resolve();
        });
      }
      void engines[0]?.add(JOBS);
    });
    const left = await queue.getRateLimitTtl(1);
    expect(left).toBeGreaterThan(90_000);
    expect(left).toBeLessThanOrEqual(100_000);
    expect(begun).toEqual([1]);
    expect(await queue.getWaitingCount()).toBe(2);
  });
});
