import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { type Job, Queue } from 'bullmq';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type BatchEngine, type BatchJob } from 'nestjs-payments/batches';
import { bullmqEngine } from 'nestjs-payments/bullmq';
import { knownLines } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace } from '../../support/batches-place.js';
import { eventually } from '../../support/eventually.js';
import { describeWith, redisService } from '../../support/services.js';
import {
  SHOP,
  startTurningApp,
  type TurningApp,
  type TwoEnvironments,
  twoEnvironments,
} from '../../support/two-environments.js';

/** All jobs of the spec fall into one interval between two looks for the keys. */
const NOW = 30_000 * 60_000_000;
const WAITS =
  'The batch "salaries" of the account "shop" waits until accounts.resolve returns keys of the sandbox environment.';
const CONTINUES =
  'The batch "salaries" of the account "shop" continues: accounts.resolve returns keys of the sandbox environment again.';

describeWith([redisService], 'a batch on BullMQ whose account gets keys of the other environment', () => {
  const connection = { url: redisService.url };
  const queueName = `keys-${randomBytes(6).toString('hex')}`;
  let place: BatchesPlace;
  let gateway: TwoEnvironments;
  let queue: Queue<BatchJob>;

  beforeAll(async () => {
    place = await startBatchesPlace();
    gateway = await twoEnvironments(place.sandbox);
    queue = new Queue(queueName, { connection });
  });
  afterAll(async () => {
    await queue.obliterate({ force: true });
    await queue.close();
    await gateway.close();
    await place.close();
  });

  const start = async (environment: 'sandbox' | 'production', engine: BatchEngine): Promise<TurningApp> => {
    const started = await startTurningApp(gateway, place.storage, { environment, engine, now: () => NOW });
    onTestFinished(() => started.app.close());
    return started;
  };
  /** The only job that is left, which waits for its time. */
  const theLook = async (): Promise<Job<BatchJob>> =>
    eventually(async () => {
      const [look, ...others] = await queue.getJobs();
      if (!look) throw new Error('No job is left.');
      expect(others).toEqual([]);
      expect([look.data.kind, await look.getState()]).toEqual(['wake', 'delayed']);
      return look;
    });

  it('waits as one job that takes no turn, and says so once', async () => {
    const lines: string[] = [];
    const logged = (): readonly string[] => lines.filter((line) => line.includes('salaries'));
    for (const level of ['log', 'warn'] as const) {
      const spy = vi.spyOn(Logger.prototype, level).mockImplementation((line) => lines.push(String(line)));
      onTestFinished(() => {
        spy.mockRestore();
      });
    }
    const checking = await start('sandbox', bullmqEngine({ connection, queueName }));
    const payouts = knownLines(place.sandbox, 201, '10');
    const loaded = await checking.batches.create('salaries', payouts, { by: 'maker', account: SHOP });
    await loaded.check({ by: 'maker' });
    await loaded.approve({ by: 'checker' });
    await checking.app.close();
    const starting = await start('sandbox', bullmqEngine({ connection, queueName, worker: false }));
    const batch = await starting.batches.open('salaries', { account: SHOP });
    await batch.start({ by: 'maker' });
    expect(await queue.getPrioritizedCount()).toBe(3);

    // A turn at this rate lasts for 100 seconds.
    const paying = await start('production', bullmqEngine({ connection, queueName, linesPerSecond: 1 }));
    const first = await theLook();
    expect(first.opts.delay).toBe(30_000);
    await first.promote();
    const second = await eventually(async () => {
      const look = await theLook();
      expect(look.id).not.toBe(first.id);
      return look;
    });
    expect(logged()).toEqual([WAITS]);
    expect((await batch.progress()).byState).toMatchObject({ checked: { lines: 201 } });

    paying.turn('sandbox');
    await second.promote();
    await eventually(async () => {
      const { byState } = await batch.progress();
      expect(byState).toMatchObject({ accepted: { lines: 100 }, checked: { lines: 101 } });
    });
    expect(await queue.getPrioritizedCount()).toBe(2);
    expect(logged()).toEqual([WAITS, CONTINUES]);
    expect(gateway.paidIn('production')).toEqual([]);
  });
});
