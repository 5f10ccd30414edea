import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PaymentsStorageError } from 'nestjs-payments';
import { type PayoutBatch } from 'nestjs-payments/batches';
import { type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace, withBatches } from '../../support/batches-place.js';

/** More lines than are read or written at once. */
const COUNT = 601;
const WORD = { by: 'checker', because: 'the bank writes second names' };

describe('many blocked lines', () => {
  let place: BatchesPlace;
  let running: BatchesApp;
  let batch: PayoutBatch;
  let keys: readonly string[];
  let looks = 0;
  let isAway = false;

  beforeAll(async () => {
    place = await startBatchesPlace();
    const { store } = place;
    let accepting = 0;
    const storage = withBatches(place.storage, () => ({
      line: (load, key) => {
        looks += 1;
        return store.line(load, key);
      },
      // SQLite takes no more than 32,766 values, and five are needed for each line.
      change: (load, changes) => {
        if (changes.length > 500) return Promise.reject(new PaymentsStorageError('Too many values.'));
        const { from, to } = changes[0] ?? {};
        if (from?.[0] === 'blocked' && to === 'checked') accepting += 1;
        if (isAway && accepting === 2) return Promise.reject(new PaymentsStorageError('The disk is full.'));
        return store.change(load, changes);
      },
    }));
    running = await startBatchesApp({
      sandbox: place.sandbox,
      storage,
      concurrency: 50,
      policy: { sameRecipientWithinDays: 0 },
    });
    const lines = knownLines(place.sandbox, COUNT, '10').map((line) => ({
      ...line,
      name: `${line.name} Extra`,
    }));
    keys = lines.map(({ key }) => key);
    batch = await running.batches.create('salaries', lines, { by: 'maker' });
    expect((await batch.check({ by: 'maker' })).blocked).toBe(COUNT);
  });
  beforeEach(() => {
    looks = 0;
  });
  afterAll(async () => {
    await running.app.close();
    await place.close();
  });

  it('are not accepted if one of the keys is wrong', async () => {
    await expect(batch.accept([...keys, 'S-0'], WORD)).rejects.toMatchObject({ code: 'LINE_NOT_FOUND' });
    expect(looks).toBe(1);
    expect((await batch.progress()).byState).toMatchObject({ blocked: { lines: COUNT } });
  });

  it('are accepted in parts, and the next check ends what an error cut off', async () => {
    isAway = true;
    await expect(batch.accept(keys, WORD)).rejects.toThrow('The disk is full.');
    expect((await batch.progress()).byState).toMatchObject({ checked: { lines: 500 } });
    isAway = false;
    expect((await batch.check({ by: 'maker' })).blocked).toBe(0);
    expect(looks).toBe(0);
    await (await running.batches.open('salaries')).approve({ by: 'another' });
    expect((await batch.progress()).state).toBe('approved');
  });
});
