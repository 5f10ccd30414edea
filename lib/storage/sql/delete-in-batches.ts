import { setImmediate } from 'node:timers/promises';
import { type RunScript, type SqlScript } from './sql-database.js';

/** How many rows one batch of a purge deletes at most. */
export const BATCH = 1_000;

/**
 * Repeats an operation, each batch committed, until it deletes nothing: a batch may be short because somebody else changed
 * or locked one of its rows. Resolves to the number of deleted rows.
 */
export async function deleteInBatches(run: RunScript, script: SqlScript): Promise<number> {
  let deleted = 0;
  for (;;) {
    const batch = (await run(script)).rowCount ?? 0;
    if (batch === 0) return deleted;
    deleted += batch;
    // SQLite answers without a turn of the event loop: others would wait for the last batch.
    await setImmediate();
  }
}
