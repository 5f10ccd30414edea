import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PaymentsStorageError } from 'nestjs-payments';
import { type BatchEngine, inProcess } from 'nestjs-payments/batches';
import { type BatchStore } from '../../support/batch-contract.js';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace, withBatches } from '../../support/batches-place.js';
import { eventually } from '../../support/eventually.js';

const away = (): Promise<never> => Promise.reject(new PaymentsStorageError('It is away.'));

/** Its jobs are lost, like those of a process that died. */
const lost: BatchEngine = {
  name: 'lost',
  start: () => undefined,
  add: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

describe('an application that starts while something is away', () => {
  let place: BatchesPlace;
  let running: BatchesApp;
  let failures = 0;
  let names = 0;

  beforeAll(async () => {
    place = await startBatchesPlace();
  });
  beforeEach(async () => {
    await place.sandbox.reset();
    await place.database.clear();
    names += 1;
    failures = 0;
    const lines = knownLines(place.sandbox, 3, `${100 + names}`);
    const checker = await startBatchesApp({ sandbox: place.sandbox, storage: place.storage });
    await approvedBatch(checker.batches, `run-${names}`, lines);
    await checker.app.close();
    const dying = await start({ engine: lost });
    await (await dying.batches.open(`run-${names}`)).start({ by: 'maker' });
    await dying.app.close();
    return () => running.app.close();
  });
  afterAll(() => place.close());

  const start = ({
    engine = inProcess(),
    change = () => ({}),
  }: {
    engine?: BatchEngine;
    change?: (store: BatchStore) => Partial<BatchStore>;
  }): Promise<BatchesApp> =>
    startBatchesApp({
      sandbox: place.sandbox,
      storage: withBatches(place.storage, change),
      engine,
      policy: { sameRecipientWithinDays: 0 },
    });
  const fails = (times: number): boolean => {
    if (failures === times) return false;
    failures += 1;
    return true;
  };
  const ends = async (): Promise<void> => {
    const batch = await running.batches.open(`run-${names}`);
    await eventually(async () => {
      expect(await batch.progress()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 3 } } });
    });
  };

  it('continues with its batches when the storage gives them', async () => {
    running = await start({
      change: (store) => ({ unfinished: (page) => (fails(2) ? away() : store.unfinished(page)) }),
    });
    await ends();
    expect(failures).toBe(2);
  });

  it('continues with a batch when the queue takes its work', async () => {
    const engine = inProcess();
    running = await start({
      engine: {
        name: 'late',
        start: (run) => engine.start(run),
        add: (jobs, delayMs) => (fails(2) ? away() : engine.add(jobs, delayMs)),
        close: () => engine.close(),
      },
    });
    await ends();
    expect(failures).toBe(2);
  });

  it('tries nothing again once it stops', async () => {
    running = await start({
      change: () => ({
        unfinished: () => {
          failures += 1;
          return away();
        },
      }),
    });
    await eventually(() => {
      expect(failures).toBeGreaterThan(0);
    });
    await running.app.close();
    const before = failures;
    running = await start({});
    await ends();
    expect(failures).toBe(before);
  });
});
