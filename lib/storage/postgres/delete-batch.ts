import { BATCH } from '../sql/delete-in-batches.js';
import { milliseconds, MOMENT } from './postgres-text.js';

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
