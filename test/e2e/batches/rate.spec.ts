import { randomBytes } from 'node:crypto';
import { Queue } from 'bullmq';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BatchEngine, type BatchJob } from 'nestjs-payments/batches';
import { bullmqEngine } from 'nestjs-payments/bullmq';
import { eventually } from '../../support/eventually.js';
import { describeWith, redisService } from '../../support/services.js';

const job = (chunk: number, kind: BatchJob['kind'] = 'pay'): BatchJob => ({
  kind,
  account: 'default',
  environment: 'sandbox',
  batch: 'salaries',
  load: 'a',
  round: 1,
  chunk,
});
const JOBS = [job(1), job(2), job(3)];

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
    expect(left).toBeGreaterThan(40_000);
    expect(left).toBeLessThanOrEqual(100_000);
    expect(begun).toEqual([1]);
    expect(await queue.getPrioritizedCount()).toBe(2);
  });

  /** Runs jobs at one line a second until these have begun, and the rate holds the next one back. */
  async function expectBegun(
    expected: readonly string[],
    jobs: readonly BatchJob[],
    hasLines: (job: BatchJob) => boolean,
  ): Promise<void> {
    const engine = bullmqEngine({ connection, queueName, linesPerSecond: 1 });
    engines = [engine];
    await engine.add(jobs);
    const begun: string[] = [];
    await engine.start((started) => {
      begun.push(`${started.kind} ${started.chunk}`);
      return Promise.resolve(hasLines(started));
    });
    // A job that had no line to look at holds the rate, too, until its turn is given back.
    await eventually(async () => {
      expect(begun).toEqual(expected);
      expect(await queue.getActiveCount()).toBe(0);
      expect(await queue.getRateLimitTtl(1)).toBeGreaterThan(40_000);
    });
    expect(begun).toEqual(expected);
  }

  it('does not count jobs that had no line to look at, as those of a run that was paused', async () => {
    const jobs = [...JOBS, job(4), job(5)];
    await expectBegun(['pay 1', 'pay 2', 'pay 3', 'pay 4'], jobs, ({ chunk }) => chunk >= 4);
    expect(await queue.getPrioritizedCount()).toBe(1);
  });

  it('lets a batch that may continue look before the chunks of others, and does not count that', async () => {
    const jobs = [...JOBS, job(0, 'wake')];
    await expectBegun(['wake 0', 'pay 1'], jobs, ({ kind }) => kind === 'pay');
  });
});
