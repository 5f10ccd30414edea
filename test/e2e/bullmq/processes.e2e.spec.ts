import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { getQueueToken } from '@nestjs/bullmq';
import { type Queue, QueueEvents } from 'bullmq';
import { paymentEvent } from 'nestjs-payments/testing';
import { redisStorage } from 'nestjs-payments/redis';
import { type Redis } from 'ioredis';
import { buildChildProgram, type ChildProgram } from '../../support/child-program.js';
import { HandlerRuns, QueueSpace } from '../../support/queue-app.js';
import { QueueWorkerProcess } from '../../support/queue-worker-process.js';
import { connectRedis } from '../../support/redis.js';
import { describeWith, redisService } from '../../support/services.js';
import { SeverableProxy } from '../../support/severable-proxy.js';
import { deliver, type WebhookApp } from '../../support/webhook-app.js';

/** How long a process waits at its end for what never ends. */
const SHORT_MS = 500;

describeWith([redisService], 'webhook work in other processes', () => {
  let program: ChildProgram;
  let space: QueueSpace;
  let redis: Redis;
  let events: QueueEvents;
  let receiving: WebhookApp;
  let here: HandlerRuns;
  let proxy: SeverableProxy;
  let workers: QueueWorkerProcess[];

  beforeAll(async () => {
    program = await buildChildProgram('test/programs/queue-worker.ts', { startsOften: true });
  });
  afterAll(() => program.remove());

  beforeEach(async () => {
    space = new QueueSpace();
    redis = connectRedis();
    here = new HandlerRuns();
    workers = [];
    proxy = await SeverableProxy.before(redisService.url);
    events = new QueueEvents('payments-webhooks', {
      connection: { url: redisService.url },
      prefix: space.prefix,
    });
    await events.waitUntilReady();
    const storage = redisStorage({ client: redis, keyPrefix: space.prefix });
    receiving = await space.start('express', { worker: false }, { runs: here, storage });
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.end()));
    await events.close();
    await space.clear();
    redis.disconnect();
    await proxy.close();
  });

  async function start({
    waits = false,
    lockMs = 500,
    // However slow this machine is, what is to finish has the time.
    shutdownTimeoutMs = 60_000,
    handlerTimeoutMs = 1_000,
    queueUrl = redisService.url,
  } = {}): Promise<QueueWorkerProcess> {
    const worker = new QueueWorkerProcess(program.file, {
      queueUrl,
      storageUrl: redisService.url,
      prefix: space.prefix,
      lockMs,
      shutdownTimeoutMs,
      handlerTimeoutMs,
      waits,
    });
    workers.push(worker);
    await worker.until('ready');
    return worker;
  }

  const oneCompleted = (): Promise<unknown> => new Promise((resolve) => events.once('completed', resolve));
  const queue = (): Queue => receiving.app.get(getQueueToken('payments-webhooks'));
  const send = async (reference: string): Promise<void> => {
    expect((await deliver(receiving.port, paymentEvent('payment.success', { reference }))).status).toBe(200);
  };

  it('runs there and not here, once among several workers', async () => {
    const two = await Promise.all([start(), start()]);
    const done = oneCompleted();
    await Promise.all([send('order-1'), send('order-1'), send('order-1')]);
    // Redis may be faster than what the worker says.
    await Promise.all([done, Promise.race(two.map((worker) => worker.until('finished')))]);
    const finished = two.flatMap(({ heard }) => heard.filter(({ what }) => what === 'finished'));
    expect(finished).toEqual([{ what: 'finished', reference: 'order-1', attempt: 1 }]);
    expect(here.references).toEqual([]);
  });

  it('runs again in another process when the one that ran it was killed', async () => {
    const first = await start({ waits: true });
    await send('order-1');
    await first.until('began');
    first.kill('SIGKILL');
    expect(await first.ended).toEqual({ code: null, signal: 'SIGKILL' });
    const done = oneCompleted();
    const second = await start();
    await done;
    expect(await second.until('finished')).toEqual({ what: 'finished', reference: 'order-1', attempt: 2 });
    expect(await queue().getJobCounts()).toMatchObject({ failed: 0, waiting: 0, active: 0 });
  });

  it('is finished before a worker that is stopped ends, and no more is begun', async () => {
    const worker = await start({ waits: true, lockMs: 60_000, handlerTimeoutMs: 600_000 });
    await send('order-1');
    await worker.until('began');
    worker.kill('SIGTERM');
    await worker.until('stopping');
    await send('order-2');
    const done = oneCompleted();
    worker.say('finish');
    await done;
    expect(await worker.ended).toEqual({ code: null, signal: 'SIGTERM' });
    expect(worker.heard.filter(({ what }) => what === 'began')).toHaveLength(1);
    // Back in the list, or put back by the worker that had it in its hands already.
    const { completed, active, waiting = 0, delayed = 0 } = await queue().getJobCounts();
    expect({ completed, active, left: waiting + delayed }).toEqual({ completed: 1, active: 0, left: 1 });
  });

  it('is left to another worker if a handler does not end in time', async () => {
    const worker = await start({ waits: true, shutdownTimeoutMs: SHORT_MS });
    await send('order-1');
    await worker.until('began');
    worker.say('close');
    expect(await worker.ended).toEqual({ code: 0, signal: null });
    const done = oneCompleted();
    const second = await start();
    await done;
    expect(await second.until('finished')).toMatchObject({ attempt: 2 });
  });

  it('is waited for by the queue no longer than shutdownTimeoutMs, and is done once if it ends after that', async () => {
    const worker = await start({ waits: true, shutdownTimeoutMs: SHORT_MS, handlerTimeoutMs: 600_000 });
    await send('order-1');
    await worker.until('began');
    worker.say('close');
    await worker.untilLogged(`after ${SHORT_MS} ms (shutdownTimeoutMs)`);
    worker.say('finish');
    expect(await worker.ended).toEqual({ code: 0, signal: null });
    const done = oneCompleted();
    const second = await start();
    await done;
    const heard = [...worker.heard, ...second.heard].map(({ what }) => what);
    expect(heard).toEqual(['ready', 'began', 'stopping', 'finished', 'ready']);
  });

  it.each(['answers', 'is cut off', 'hangs'])(
    'keeps no process alive after its end, while Redis %s',
    async (how) => {
      const worker = await start({ queueUrl: proxy.url, shutdownTimeoutMs: SHORT_MS });
      const done = oneCompleted();
      await send('order-1');
      await done;
      if (how === 'is cut off') proxy.cut();
      if (how === 'hangs') proxy.hang();
      worker.say('close');
      expect(await worker.ended).toEqual({ code: 0, signal: null });
    },
  );

  it.each(['cut', 'hang'] as const)(
    'keeps no process alive whose Redis was never there (%s)',
    async (how) => {
      proxy[how]();
      const worker = await start({ queueUrl: proxy.url, lockMs: 60_000, shutdownTimeoutMs: SHORT_MS });
      worker.say('close');
      expect(await worker.ended).toEqual({ code: 0, signal: null });
    },
  );
});
