import { type RunStatement } from './pooled-connection.js';
import { milliseconds, MOMENT } from './sql-text.js';

const BATCH = 1_000;

/**
 * Deletes up to a thousand rows that meet a condition and whose `time` is longer ago than `$3`. Skips locked
 * rows.
 *
 * The moment is a subquery, not a join, so it bounds the index scan: the statement does not read rows that
 * stay.
 *
 * @param as Name of the deleted rows for the rest of the statement; without it there is no rest.
 */
export function deleteBatch(table: string, condition: string, time: string, as?: string): string {
  const deleted = `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${table}
      WHERE account = $1 AND environment = $2 AND ${condition}
        AND ${time} < (SELECT now FROM moment) - ${milliseconds('$3')}
      ORDER BY ${time} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
    ))`;
  return as === undefined ? `WITH ${MOMENT} ${deleted}` : `WITH ${MOMENT}, ${as} AS (${deleted} RETURNING *)`;
}

/**
 * Repeats a statement, each batch committed, until it finds less than a batch. Resolves to the number of
 * deleted rows.
 */
export async function deleteInBatches(
  run: RunStatement,
  statement: string,
  values: readonly unknown[],
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const batch = (await run(statement, values)).rowCount ?? 0;
    deleted += batch;
    if (batch < BATCH) return deleted;
  }
}
