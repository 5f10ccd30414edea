import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BatchEngine, inProcess } from 'nestjs-payments/batches';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace } from '../../support/batches-place.js';

/** Takes work, and does none of it: it stays for the next process. */
const idle: BatchEngine = {
  name: 'idle',
  start: () => undefined,
  add: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
const STOPPING = { code: 'STOPPING', message: expect.stringContaining('in the next process') as string };

describe('who waits for a batch while the application stops', () => {
  let place: BatchesPlace;

  beforeAll(async () => {
    place = await startBatchesPlace();
  });
  afterAll(() => place.close());

  const start = (engine = inProcess()): Promise<BatchesApp> =>
    startBatchesApp({ sandbox: place.sandbox, storage: place.storage, engine });

  it('is told so by check(), also if the check began after that', async () => {
    const { app, batches } = await start(idle);
    const batch = await batches.create('loans', knownLines(place.sandbox, 1, '10'), { by: 'maker' });
    const waiting = expect(batch.check({ by: 'maker' })).rejects.toMatchObject(STOPPING);
    await app.close();
    await waiting;
    await expect(batch.check({ by: 'maker' })).rejects.toMatchObject(STOPPING);
  });

  it('is told so by finished() and watch() of a batch that is being paid', async () => {
    const first = await start();
    await approvedBatch(first.batches, 'salaries', knownLines(place.sandbox, 1, '20'));
    await first.app.close();
    const { app, batches } = await start(idle);
    const batch = await batches.open('salaries');
    await batch.start({ by: 'maker' });
    const seen: string[] = [];
    const watch = async (): Promise<void> => {
      for await (const { state } of batch.watch()) seen.push(state);
    };
    const waiting = [batch.finished(), watch()].map((wait) => expect(wait).rejects.toMatchObject(STOPPING));
    await app.close();
    await Promise.all(waiting);
    expect(seen).toContain('running');
    expect((await batch.progress()).state).toBe('running');
  });

  it('is told how a batch ended that had ended before', async () => {
    const { app, batches } = await start();
    const batch = await approvedBatch(batches, 'bonuses', knownLines(place.sandbox, 1, '30'));
    await batch.start({ by: 'maker' });
    await batch.finished();
    await app.close();
    expect(await batch.finished()).toMatchObject({ state: 'ended' });
    for await (const { state } of batch.watch()) expect(state).toBe('ended');
  });
});
