import { type RunStatement } from './lent-connection.js';
import { milliseconds, MOMENT } from './sql-time.js';

const BATCH = 1_000;

/** Deletes up to a thousand rows of one state whose `time` is longer ago than `$3`; rows that somebody holds are left. */
export function deleteBatch(table: string, state: string, time: string): string {
  return `WITH ${MOMENT}
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT old.ctid FROM ${table} AS old, moment
      WHERE old.account = $1 AND old.environment = $2 AND old.state = '${state}'
        AND old.${time} < moment.now - ${milliseconds('$3')}
      ORDER BY old.${time} LIMIT ${BATCH} FOR UPDATE OF old SKIP LOCKED
    ))`;
}

/** Repeats a statement, each batch committed, until it finds less than a batch. Resolves to how many it deleted. */
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
