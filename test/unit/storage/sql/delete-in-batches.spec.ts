import { expect, it } from 'vitest';
import { BATCH, deleteInBatches, SMALL_BATCH } from '../../../../lib/storage/sql/delete-in-batches.js';

/** Runs a purge whose batches delete so many rows; the last of them again and again. Resolves to how many ran, too. */
async function purge(
  ...sizes: readonly number[]
): Promise<{ readonly deleted: number; readonly runs: number }> {
  let runs = 0;
  const run = () => {
    if (runs === 100) throw new Error('the purge does not end');
    const rowCount = sizes[Math.min(runs, sizes.length - 1)] ?? 0;
    runs += 1;
    return Promise.resolve({ rows: [], rowCount });
  };
  return { deleted: await deleteInBatches(run, { steps: [] }), runs };
}

it.each<[what: string, sizes: readonly number[], runs: number, deleted: number]>([
  ['nothing is left', [BATCH, BATCH, 0], 3, 2 * BATCH],
  ['nothing is left after a short batch', [BATCH, 7, 0], 3, BATCH + 7],
  ['nothing is left of small batches', [SMALL_BATCH, SMALL_BATCH, SMALL_BATCH, 0], 4, 3 * SMALL_BATCH],
  ['rows keep becoming old', [1], 2, 2],
  ['rows become old while it deletes many', [BATCH, BATCH, 1], 4, 2 * BATCH + 2],
])('a purge ends when %s', async (_what, sizes, runs, deleted) => {
  expect(await purge(...sizes)).toEqual({ runs, deleted });
});

it('a purge continues after a batch of which others changed rows', async () => {
  expect(await purge(BATCH - 1, BATCH, BATCH - 1, BATCH, 0)).toEqual({ runs: 5, deleted: 4 * BATCH - 2 });
});
