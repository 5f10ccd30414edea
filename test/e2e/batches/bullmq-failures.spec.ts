import { Logger } from '@nestjs/common';
import { Queue } from 'bullmq';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type BatchEngine } from 'nestjs-payments/batches';
import { bullmqEngine } from 'nestjs-payments/bullmq';
import { describeWith, redisService } from '../../support/services.js';

const JOB = { kind: 'pay', account: 'default', batch: 'salaries', load: 'a', round: 1, chunk: 1 } as const;

describeWith([redisService], 'bullmqEngine, if a chunk fails', () => {
  const connection = { url: redisService.url };
  let queue: Queue;
  let engine: BatchEngine;

  beforeEach(() => {
    const queueName = `failures-${randomBytes(6).toString('hex')}`;
    queue = new Queue(queueName, { connection });
    engine = bullmqEngine({ connection, queueName });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await engine.close();
    await queue.obliterate({ force: true });
    await queue.close();
  });

  it('says so in the log, without what the error says, and runs it again', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    let runs = 0;
    await engine.start(() => {
      runs += 1;
      return runs === 1 ? Promise.reject(new Error('0150000000123 is away')) : Promise.resolve();
    });
    await engine.add([JOB]);
    await vi.waitFor(
      () => {
        expect(runs).toBe(2);
      },
      { timeout: 10_000 },
    );
    expect(warn.mock.calls).toEqual([['A chunk of the batch "salaries" is tried again: Error']]);
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
