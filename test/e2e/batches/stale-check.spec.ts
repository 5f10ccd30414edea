import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace, withBatches } from '../../support/batches-place.js';
import { eventually } from '../../support/eventually.js';
import { HandEngine } from '../../support/hand-engine.js';

describe('a job of a check that stopped', () => {
  const engine = new HandEngine();
  let place: BatchesPlace;
  let running: BatchesApp;
  /** The next job waits for it before it reads its lines. */
  let held: Promise<void> | undefined;

  beforeAll(async () => {
    place = await startBatchesPlace();
    running = await startBatchesApp({
      sandbox: place.sandbox,
      storage: withBatches(place.storage, (store) => ({
        linesOf: async (load, chunk) => {
          const waited = held;
          held = undefined;
          await waited;
          return store.linesOf(load, chunk);
        },
      })),
      engine,
    });
  });
  afterAll(async () => {
    await running.app.close();
    await place.close();
  });

  it('does not stop the check that somebody began since', async () => {
    place.sandbox.next('POST /disbursements/name-lookup').status(401).times(2);
    const batch = await running.batches.create('salaries', knownLines(place.sandbox, 1), { by: 'maker' });
    const given = async (round: number): Promise<void> => {
      await eventually(() => {
        expect(engine.last).toMatchObject({ kind: 'check', round });
      });
    };
    const first = batch.check({ by: 'maker' }).catch((error: unknown) => error);
    await given(1);
    const job = engine.last;
    let goOn = (): void => undefined;
    held = new Promise((resolve) => {
      goOn = resolve;
    });
    const stale = engine.run(job);
    await eventually(() => {
      expect(held).toBeUndefined();
    });
    await engine.run(job);
    expect(await first).toMatchObject({ code: 'BATCH_CHECK' });
    const second = batch.check({ by: 'maker' });
    await given(2);
    goOn();
    await stale;
    expect((await batch.progress()).state).toBe('checking');
    await engine.run(engine.last);
    expect(await second).toMatchObject({ lines: 1, blocked: 0 });
  });
});
