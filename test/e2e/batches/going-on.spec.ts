import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PaymentsStorageError } from 'nestjs-payments';
import { type BatchEngine, type PayoutBatch } from 'nestjs-payments/batches';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchStore } from '../../support/batch-contract.js';
import { type BatchesPlace, startBatchesPlace, withBatches } from '../../support/batches-place.js';
import { eagerEngine } from '../../support/eager-engine.js';

const away = (): Promise<never> => Promise.reject(new PaymentsStorageError('It is away.'));

describe('a batch whose work gets lost for a moment', () => {
  let place: BatchesPlace;
  let running: BatchesApp;
  let names = 0;

  beforeAll(async () => {
    place = await startBatchesPlace();
  });
  beforeEach(async () => {
    await place.sandbox.reset();
    await place.database.clear();
    names += 1;
    return () => running.app.close();
  });
  afterAll(() => place.close());

  const pausedOnce = async (
    change: (store: BatchStore) => Partial<BatchStore>,
    engine: BatchEngine = eagerEngine(),
  ): Promise<PayoutBatch> => {
    running = await startBatchesApp({
      sandbox: place.sandbox,
      storage: withBatches(place.storage, change),
      engine,
      policy: { resumeAfterTopUp: true, sameRecipientWithinDays: 0 },
    });
    place.sandbox.next('POST /disbursements/bank').status(400, { code: 'INSUFFICIENT_BALANCE' });
    const lines = knownLines(place.sandbox, 3, `${100 + names}`);
    const batch = await approvedBatch(running.batches, `run-${names}`, lines);
    await batch.start({ by: 'maker' });
    return batch;
  };
  const ends = async (batch: PayoutBatch): Promise<void> => {
    // As long as a test may take: it comes to its end by itself, however busy the machine is.
    await vi.waitFor(
      async () => {
        expect(await batch.progress()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 3 } } });
      },
      { timeout: 50_000 },
    );
  };

  it('continues by itself although the storage was away right after it was resumed', async () => {
    let given = 0;
    const batch = await pausedOnce((store) => ({
      chunksIn: (load, states, page) => {
        const isGiving = states.includes('checked') && page.limit > 1;
        if (isGiving) given += 1;
        return isGiving && given === 2 ? away() : store.chunksIn(load, states, page);
      },
    }));
    await ends(batch);
    expect(given).toBeGreaterThan(2);
  });

  it('continues by itself although the queue was away right after it had paused', async () => {
    const engine = eagerEngine();
    let wakes = 0;
    const batch = await pausedOnce(() => ({}), {
      ...engine,
      add: (jobs) => {
        const isWake = jobs[0]?.kind === 'wake';
        if (isWake) wakes += 1;
        return isWake && wakes === 1 ? away() : engine.add(jobs);
      },
    });
    await ends(batch);
    expect(wakes).toBeGreaterThan(1);
  });

  it.each(['start', 'resume'] as const)(
    'is paid after another %s, if the queue did not take its work',
    async (again) => {
      const engine = eagerEngine();
      let adds = 0;
      running = await startBatchesApp({
        sandbox: place.sandbox,
        storage: place.storage,
        engine: {
          ...engine,
          add: (jobs) => {
            const isPay = jobs[0]?.kind === 'pay';
            if (isPay) adds += 1;
            return isPay && adds === 1 ? away() : engine.add(jobs);
          },
        },
      });
      const lines = knownLines(place.sandbox, 3, `${100 + names}`);
      const batch = await approvedBatch(running.batches, `run-${names}`, lines);
      await expect(batch.start({ by: 'maker' })).rejects.toThrow('It is away.');
      await batch[again]({ by: 'maker' });
      await ends(batch);
    },
  );
});
