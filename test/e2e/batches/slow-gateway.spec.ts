import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LineChange } from '../../support/batch-contract.js';
import { approvedBatch, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace, withBatches } from '../../support/batches-place.js';

let place: BatchesPlace;

beforeAll(async () => {
  place = await startBatchesPlace();
});
afterAll(() => place.close());

it.each([
  ['a second', 1_000, [1, 1, 1, 1, 1, 1]],
  ['half a second', 500, [2, 2, 2]],
  ['no time', 0, [6]],
])('results are written once a second, if a line takes %s', async (_time, msOfLine, expected) => {
  const written: number[] = [];
  let now = Date.parse('2026-11-26T08:00:00Z');
  const change = (load: string, changes: readonly LineChange[]): Promise<readonly number[]> => {
    const outcomes = changes.filter(({ to }) => to === 'accepted').length;
    if (outcomes > 0) written.push(outcomes);
    return place.store.change(load, changes);
  };
  const { app, batches } = await startBatchesApp({
    sandbox: place.sandbox,
    storage: withBatches(place.storage, () => ({ change })),
    concurrency: 1,
    now: () => now,
  });
  const batch = await approvedBatch(
    batches,
    `run-${msOfLine}`,
    knownLines(place.sandbox, 6, `${100 + msOfLine}`),
  );
  const forget = place.sandbox.on('payout', () => {
    now += msOfLine;
  });
  await batch.start({ by: 'maker' });
  await batch.finished();
  forget();
  await app.close();
  expect(written).toEqual(expected);
});
