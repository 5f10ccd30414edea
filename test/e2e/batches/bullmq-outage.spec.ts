import { randomBytes } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type BatchEngine, type BatchJob } from 'nestjs-payments/batches';
import { bullmqEngine } from 'nestjs-payments/bullmq';
import { eventually } from '../../support/eventually.js';
import { scriptOutput } from '../../support/script-output.js';
import { describeWith, redisService } from '../../support/services.js';
import { SeverableProxy } from '../../support/severable-proxy.js';

const away = ['cut', 'hang'] as const;
const JOB: BatchJob = {
  kind: 'pay',
  account: 'default',
  environment: 'sandbox',
  batch: 'salaries',
  load: 'a',
  round: 1,
  chunk: 1,
};
const NOT_TAKEN = {
  name: 'PaymentsStorageError',
  message: expect.stringMatching(/^The queue of batches did not take the work: /) as string,
  hint: 'Check Redis, then do it again: what was taken before is kept once.',
};

describeWith([redisService], 'bullmqEngine, if its Redis goes away', () => {
  let queueName: string;
  let proxy: SeverableProxy;
  let engine: BatchEngine;

  beforeEach(async () => {
    queueName = `outage-${randomBytes(6).toString('hex')}`;
    proxy = await SeverableProxy.before(redisService.url);
    // ioredis would stay up for two seconds more if the connection that it closes is gone already.
    engine = bullmqEngine({ connection: { url: proxy.url, disconnectTimeout: 50 }, queueName });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await engine.close();
    await proxy.close();
    const queue = new Queue(queueName, { connection: { url: redisService.url } });
    await queue.obliterate({ force: true });
    await queue.close();
  });

  /** Resolves when a job has begun; its end is what `end` says. */
  function begun(end: Promise<void> = Promise.resolve()): Promise<void> {
    return new Promise((resolve, reject) => {
      void engine.start(() => {
        resolve();
        return end;
      });
      engine.add([JOB]).catch(reject);
    });
  }

  it.each(away)('refuses work in time, and closes without it (%s)', async (how) => {
    await begun();
    proxy[how]();
    await expect(engine.add([{ ...JOB, chunk: 2 }])).rejects.toMatchObject(NOT_TAKEN);
    await engine.close();
  });

  it.each(away)('refuses work in time, and closes, if it was never there (%s)', async (how) => {
    proxy[how]();
    await engine.start(() => Promise.resolve());
    await expect(engine.add([JOB])).rejects.toMatchObject(NOT_TAKEN);
    await engine.close();
  });

  it.each(away)('waits for the chunk that runs, and closes then (%s)', async (how) => {
    let end: () => void = () => undefined;
    await begun(new Promise((resolve) => (end = resolve)));
    proxy[how]();
    const steps: string[] = [];
    // Both take long without Redis: an end of the chunk before they end would say nothing.
    const { isPaused } = Queue.prototype;
    vi.spyOn(Queue.prototype, 'isPaused').mockImplementation(function (this: Queue) {
      steps.push('asks Redis');
      return isPaused.call(this);
    });
    const { close } = Worker.prototype;
    vi.spyOn(Worker.prototype, 'close').mockImplementation(function (this: Worker, force) {
      steps.push('closes the worker');
      return close.call(this, force);
    });
    const closed = engine.close().then(() => steps.push('closed'));
    // A macrotask later everything has happened that waits for nothing.
    await new Promise((resolve) => setImmediate(resolve));
    steps.push('ended');
    end();
    await closed;
    expect(steps).toEqual(['ended', 'asks Redis', 'closes the worker', 'closed']);
  });

  it('takes work again when it is back', async () => {
    await begun();
    proxy.cut();
    await expect(engine.add([{ ...JOB, chunk: 2 }])).rejects.toMatchObject(NOT_TAKEN);
    proxy.restore();
    await eventually(() => engine.add([{ ...JOB, chunk: 2 }]));
  });

  it.each(away)('lets the process end (%s)', async (how) => {
    const script = `
      import { bullmqEngine } from './lib/integrations/bullmq/index.ts';
      import { SeverableProxy } from './test/support/severable-proxy.ts';
      const proxy = await SeverableProxy.before(${JSON.stringify(redisService.url)});
      const engine = bullmqEngine({ connection: { url: proxy.url }, queueName: '${queueName}' });
      await new Promise((resolve) => {
        engine.start(async () => resolve());
        engine.add([${JSON.stringify(JOB)}]);
      });
      proxy.${how}();
      await engine.close();
      await proxy.close();
      console.log('closed');`;
    expect(await scriptOutput(script)).toContain('closed');
  });
});
