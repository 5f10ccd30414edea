import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BatchEngine, type BatchJob } from 'nestjs-payments/batches';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace } from '../../support/batches-place.js';

describe('a job that comes to a process', () => {
  let place: BatchesPlace;
  let running: BatchesApp;
  let run: (job: BatchJob) => Promise<unknown>;
  let given: readonly BatchJob[] = [];

  beforeAll(async () => {
    place = await startBatchesPlace();
    const engine: BatchEngine = {
      name: 'held',
      start: (work) => {
        run = work;
      },
      add: (jobs) => {
        given = jobs;
        return jobs.some(({ kind }) => kind === 'pay')
          ? Promise.resolve()
          : Promise.all(jobs.map(run)).then(() => undefined);
      },
      close: () => Promise.resolve(),
    };
    running = await startBatchesApp({ sandbox: place.sandbox, storage: place.storage, engine });
    const batch = await approvedBatch(running.batches, 'salaries', knownLines(place.sandbox, 1, '10'));
    await batch.start({ by: 'maker' });
  });
  afterAll(async () => {
    await running.app.close();
    await place.close();
  });

  const job = (): BatchJob => {
    const [first] = given;
    if (!first) throw new Error('The engine was given no job.');
    return first;
  };

  it('names its environment', () => {
    expect(job()).toMatchObject({ kind: 'pay', account: 'default', environment: 'sandbox' });
  });

  it('is kept for the processes of its environment', async () => {
    await expect(run({ ...job(), environment: 'production' })).rejects.toMatchObject({
      code: 'BATCH_NOT_FOUND',
      message: expect.stringContaining(
        'is of the production environment, and the account "default" of this process is not: ' +
          'give the processes of each environment and merchant a `prefix` or `queueName` of their own.',
      ) as string,
    });
  });

  it('is kept for the processes whose storage has its batch', async () => {
    await expect(run({ ...job(), batch: 'bonuses' })).rejects.toMatchObject({
      code: 'BATCH_NOT_FOUND',
      message: expect.stringContaining(
        'The storage of the account "default" in this process has no batch "bonuses".',
      ) as string,
    });
  });

  it('is over if the batch was loaded again since', async () => {
    expect(await run({ ...job(), load: 'an earlier one' })).toBe(false);
    expect(place.sandbox.payouts()).toEqual([]);
  });

  it('has no lines to look at if it is of an earlier run, or of a batch that pauses', async () => {
    expect(await run({ ...job(), round: job().round - 1 })).toBe(false);
    const [earlier, batch] = [job(), await running.batches.open('salaries')];
    await batch.pause({ by: 'maker' });
    expect(await run(earlier)).toBe(false);
    expect(await run({ ...earlier, kind: 'wake', chunk: 0 })).toBe(false);
    await batch.resume({ by: 'maker' });
    expect(await run(earlier)).toBe(false);
    expect(place.sandbox.payouts()).toEqual([]);
  });

  it('is done by a process that has its batch', async () => {
    expect(await run(job())).toBe(true);
    expect(place.sandbox.payouts()).toHaveLength(1);
  });
});
