import { type RunScript, type SqlScript } from './sql-database.js';

/** How many rows one batch of a purge deletes at most. */
export const BATCH = 1_000;

/**
 * Repeats an operation, each batch committed, until it finds less than a batch. Resolves to the number of
 * deleted rows.
 */
export async function deleteInBatches(run: RunScript, script: SqlScript): Promise<number> {
  let deleted = 0;
  for (;;) {
    const batch = (await run(script)).rowCount ?? 0;
    deleted += batch;
    if (batch < BATCH) return deleted;
  }
}
