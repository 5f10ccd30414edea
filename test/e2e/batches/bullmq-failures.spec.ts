import { Logger } from '@nestjs/common';
import { Queue } from 'bullmq';
import { randomBytes } from 'node:crypto';
import { type Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PaymentsError } from 'nestjs-payments';
import { type BatchEngine, type BatchJob } from 'nestjs-payments/batches';
import { bullmqEngine } from 'nestjs-payments/bullmq';
import { eventually } from '../../support/eventually.js';
import { libraryRandom } from '../../support/library-random.js';
import { connectRedis } from '../../support/redis.js';
import { describeWith, redisService } from '../../support/services.js';

const JOB = {
  kind: 'pay',
  account: 'default',
  environment: 'sandbox',
  batch: 'salaries',
  load: 'a',
  round: 1,
  chunk: 1,
} as const;

describeWith([redisService], 'bullmqEngine, if a chunk fails', () => {
  const connection = { url: redisService.url };
  let queue: Queue;
  let engine: BatchEngine;
  let redis: Redis;

  beforeEach(() => {
    const queueName = `failures-${randomBytes(6).toString('hex')}`;
    queue = new Queue(queueName, { connection });
    redis = connectRedis();
    engine = bullmqEngine({ connection, queueName });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await engine.close();
    await queue.obliterate({ force: true });
    await queue.close();
    redis.disconnect();
  });

  it('says so in the log, without what the error says, and runs it again', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    let runs = 0;
    await engine.start(() => {
      runs += 1;
      return runs === 1 ? Promise.reject(new Error('0150000000123 is away')) : Promise.resolve();
    });
    await engine.add([JOB]);
    await eventually(() => {
      expect(runs).toBe(2);
    });
    expect(warn.mock.calls).toEqual([['A chunk of the batch "salaries" is tried again: Error']]);
  });

  it('leaves nothing of what the error says in Redis, and keeps its last failure only', async () => {
    vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    let runs = 0;
    // A third run would come two seconds later: one that began while the engine closes would fail for another reason.
    libraryRandom(() => (runs < 2 ? 0 : 1));
    await engine.start(() => {
      runs += 1;
      return Promise.reject(new TypeError('Asha Mushi 0150000000123 is away'));
    });
    await engine.add([JOB]);
    await eventually(() => {
      expect(runs).toBe(2);
    });
    await engine.close();
    const [job] = await queue.getJobs();
    const kept = await redis.hgetall(`bull:${queue.name}:${job?.id}`);
    expect(kept['failedReason']).toBe('TypeError');
    expect(JSON.parse(kept['stacktrace'] ?? '')).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toMatch(/Mushi|0150000000123/);
  });

  /** Keeps a job that failed before, as BullMQ and the engine count it. */
  async function addTried(tries: number, strangers?: number): Promise<void> {
    await engine.add([JOB]);
    const [job] = await queue.getJobs();
    await redis.hset(`bull:${queue.name}:${job?.id}`, 'atm', tries);
    if (strangers !== undefined) await job?.updateData({ ...JOB, strangers });
  }

  it.each([
    ['keeps it for the others if this process is the first without its batch', 500, undefined, [1]],
    ['keeps it for 99 tries of processes without its batch', 98, 98, [99]],
    ['drops it at the 100th try in a row of processes without its batch', 99, 99, []],
  ])('%s', async (_, tries, strangers, left) => {
    const told: unknown[] = [];
    // A second run would come a minute later.
    libraryRandom(() => 1);
    for (const level of ['warn', 'error'] as const) {
      vi.spyOn(Logger.prototype, level).mockImplementation((message) => told.push(message));
    }
    await addTried(tries, strangers);
    await engine.start(() => Promise.reject(new PaymentsError('BATCH_NOT_FOUND', 'There is no such batch.')));
    const end = left.length === 0 ? 'is not tried again' : 'is tried again';
    await eventually(() => {
      expect(told[0]).toBe(`A chunk of the batch "salaries" ${end}: PaymentsError: There is no such batch.`);
    });
    await engine.close();
    expect((await queue.getJobs()).map(({ data }) => data as unknown)).toEqual(
      left.map((count) => ({ ...JOB, strangers: count })),
    );
  });

  it.each(['ACCOUNT_UNKNOWN', 'STOPPING'])('counts no try that ends with %s', async (code) => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    await addTried(50, 50);
    await engine.start(() => Promise.reject(new PaymentsError(code, 'It says nothing of the batch.')));
    await eventually(() => {
      expect(warn).toHaveBeenCalled();
    });
    await engine.close();
    expect((await queue.getJobs()).map(({ data }) => data as unknown)).toEqual([{ ...JOB, strangers: 50 }]);
  });

  it('counts the processes without its batch again when one has it, and shows the count to nobody', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    await addTried(99, 99);
    const ran: BatchJob[] = [];
    await engine.start((job) => {
      ran.push(job);
      return Promise.reject(new TypeError('The gateway is away.'));
    });
    await eventually(() => {
      expect(warn).toHaveBeenCalled();
    });
    await engine.close();
    expect(ran).toEqual([JOB]);
    expect((await queue.getJobs()).map(({ data }) => data as unknown)).toEqual([{ ...JOB, strangers: 0 }]);
  });

  it('says nothing of chunks that wait for the next process', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    let stop: (error: Error) => void = () => undefined;
    await new Promise<void>((resolve) => {
      void engine.start(
        () =>
          new Promise<void>((_, reject) => {
            stop = reject;
            resolve();
          }),
      );
      void engine.add([JOB]);
    });
    const closed = engine.close();
    stop(new Error('The application stops.'));
    await closed;
    expect(warn).not.toHaveBeenCalled();
    expect(await queue.getDelayedCount()).toBe(1);
  });
});

it.each([null, undefined, 5])('refuses %s as the connection of a backend', (connection) => {
  expect(() => bullmqEngine({ connection: connection as never, backend: () => ({}) })).toThrow(
    'bullmqEngine option `connection` is missing',
  );
});
