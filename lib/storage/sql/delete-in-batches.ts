import { setImmediate } from 'node:timers/promises';
import { type RunScript, type SqlScript } from './sql-database.js';

/** How many rows one batch of a purge deletes at most. */
export const BATCH = 1_000;
/** The same where it holds up the event loop. A batch that deletes fewer is short in every database. */
export const SMALL_BATCH = 100;

/**
 * Repeats an operation, and commits each batch, until one deletes nothing or two in a row are short. One batch may be
 * short because another process changed or locked one of its rows. Further short ones delete rows that have become
 * old meanwhile, which might never end: the next purge deletes those. Resolves to the number of deleted rows.
 */
export async function deleteInBatches(run: RunScript, script: SqlScript): Promise<number> {
  let deleted = 0;
  for (let short = 0; short < 2;) {
    const batch = (await run(script)).rowCount ?? 0;
    if (batch === 0) break;
    deleted += batch;
    short = batch < SMALL_BATCH ? short + 1 : 0;
    // SQLite answers without a turn of the event loop: other work would wait for the last batch.
    await setImmediate();
  }
  return deleted;
}
