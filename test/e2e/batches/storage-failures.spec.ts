import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PaymentsStorageError } from 'nestjs-payments';
import { type PayoutLine } from 'nestjs-payments/batches';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchStore, type LineState } from '../../support/batch-contract.js';
import { type BatchesPlace, startBatchesPlace, withBatches } from '../../support/batches-place.js';

const full = (): Promise<never> => Promise.reject(new PaymentsStorageError('The disk is full.'));
const stuck = (): Promise<never> => Promise.reject(new PaymentsStorageError('Nothing can be removed.'));

describe('a batch whose storage fails', () => {
  let place: BatchesPlace;
  let running: BatchesApp;
  let lines: readonly PayoutLine[];
  let names = 0;
  const name = (): string => `run-${names}`;

  const start = (change: (store: BatchStore) => Partial<BatchStore>): Promise<BatchesApp> =>
    startBatchesApp({ sandbox: place.sandbox, storage: withBatches(place.storage, change) });
  /** Fails the first changes of lines to a state: before they are made, or after, when only the answer is lost. */
  const failing =
    (wanted: LineState, when: 'before' | 'after', times = 1) =>
    ({ change }: BatchStore): Partial<BatchStore> => {
      let left = times;
      return {
        change: async (load, changes) => {
          const fails = left > 0 && changes[0]?.to === wanted;
          if (fails) left -= 1;
          if (fails && when === 'before') return full();
          const changed = await change.call(place.store, load, changes);
          return fails ? full() : changed;
        },
      };
    };
  const loadedRows = async (): Promise<number> => {
    const { rows } = await place.database.pool.query('SELECT 1 FROM payments_batch_lines');
    return rows.length;
  };

  beforeAll(async () => {
    place = await startBatchesPlace();
  });
  beforeEach(async () => {
    await place.sandbox.reset();
    await place.database.clear();
    names += 1;
    lines = knownLines(place.sandbox, 150, `${100 + names}`);
    return () => running.app.close();
  });
  afterAll(() => place.close());

  it.each<readonly [string, Partial<BatchStore>, number]>([
    ['leaves nothing of a batch that it cannot load', {}, 0],
    [
      'says why it could not load it, also if nothing can be removed',
      { remove: stuck, removeLoad: stuck },
      100,
    ],
  ])('%s, and the batch can be loaded again', async (_what, more, left) => {
    running = await start((store) => ({
      ...more,
      addChunk: (load, chunk, some) => (chunk.chunk === 2 ? full() : store.addChunk(load, chunk, some)),
    }));
    await expect(running.batches.create(name(), lines, { by: 'maker' })).rejects.toThrow('The disk is full.');
    await expect(running.batches.open(name())).rejects.toMatchObject({ code: 'BATCH_NOT_FOUND' });
    expect(await loadedRows()).toBe(left);
    await running.app.close();
    running = await start(() => ({}));
    const batch = await running.batches.create(name(), lines, { by: 'maker' });
    expect((await batch.progress()).byState).toMatchObject({ waiting: { lines: 150 } });
    expect(await loadedRows()).toBe(150);
  });

  it.each<readonly [LineState, 'before' | 'after']>([
    ['checked', 'before'],
    ['checked', 'after'],
    ['sending', 'before'],
    ['sending', 'after'],
    ['accepted', 'before'],
    ['accepted', 'after'],
  ])('pays each line once, if it fails at %s and %s the change', async (state, when) => {
    running = await start(failing(state, when));
    const batch = await approvedBatch(running.batches, name(), lines);
    await batch.start({ by: 'maker' });
    expect(await batch.finished()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 150 } } });
    const paid = place.sandbox.payouts().map(({ reference }) => reference);
    expect(paid).toHaveLength(150);
    expect(new Set(paid).size).toBe(150);
  });
});
