import { randomBytes } from 'node:crypto';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bullmqEngine } from 'nestjs-payments/bullmq';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace } from '../../support/batches-place.js';
import { eventually } from '../../support/eventually.js';
import { describeWith, redisService } from '../../support/services.js';

describeWith([redisService], 'a batch at the rate of bullmqEngine', () => {
  const connection = { url: redisService.url };
  const queueName = `paused-${randomBytes(6).toString('hex')}`;
  let place: BatchesPlace;
  let queue: Queue;

  beforeAll(async () => {
    place = await startBatchesPlace();
    queue = new Queue(queueName, { connection });
  });
  afterAll(async () => {
    await queue.obliterate({ force: true });
    await queue.close();
    await place.close();
  });

  it('continues at once after a pause: the jobs of the run before take no turn', async () => {
    const { sandbox, storage } = place;
    const approving = await startBatchesApp({ sandbox, storage });
    await approvedBatch(approving.batches, 'salaries', knownLines(sandbox, 201, '10'));
    await approving.app.close();

    const withoutWorker = bullmqEngine({ connection, queueName, worker: false });
    const starting = await startBatchesApp({ sandbox, storage, engine: withoutWorker });
    const batch = await starting.batches.open('salaries');
    await batch.start({ by: 'maker' });
    await batch.pause({ by: 'maker' });
    await batch.resume({ by: 'maker' });
    await starting.app.close();
    expect(await queue.getPrioritizedCount()).toBe(6);

    const engine = bullmqEngine({ connection, queueName, linesPerSecond: 1 });
    const paying: BatchesApp = await startBatchesApp({ sandbox, storage, engine });
    await eventually(async () => {
      const { byState } = await (await paying.batches.open('salaries')).progress();
      expect(byState).toMatchObject({ accepted: { lines: 100 }, checked: { lines: 101 } });
    });
    await paying.app.close();
  });
});
