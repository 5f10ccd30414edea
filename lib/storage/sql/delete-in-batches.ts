import { setImmediate } from 'node:timers/promises';
import { type RunScript, type SqlScript } from './sql-database.js';

/** How many rows one batch of a purge deletes at most. */
export const BATCH = 1_000;

/**
 * Repeats an operation, each batch committed, until it deletes nothing, or two batches in a row are short. One may be short
 * because somebody else changed or locked one of its rows; more of them delete what has become old meanwhile, which would go
 * on for ever. What is left is for the next purge. Resolves to the number of deleted rows.
 */
export async function deleteInBatches(run: RunScript, script: SqlScript): Promise<number> {
  let deleted = 0;
  for (let short = 0; short < 2;) {
    const batch = (await run(script)).rowCount ?? 0;
    if (batch === 0) break;
    deleted += batch;
    short = batch < BATCH ? short + 1 : 0;
    // SQLite answers without a turn of the event loop: others would wait for the last batch.
    await setImmediate();
  }
  return deleted;
}
