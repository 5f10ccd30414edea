import {
  type BatchChunk,
  type LineChange,
  type LineRecipient,
  type LineState,
  MAY_BE_OUT,
  type NewBatchLine,
} from '../batch-store.js';
import { type BatchStatements } from '../sql/batch-statements.js';
import { BATCH } from '../sql/delete-in-batches.js';
import { change as changing, statement, type SqlScript } from '../sql/sql-database.js';
import { toSqlText } from '../sql/sql-text.js';
import { epochText, MOMENT, timelyMoment } from './postgres-text.js';
import { type TableNames } from './table-names.js';

const OUT = `(${MAY_BE_OUT.map((state) => `'${state}'`).join(', ')})`;
const LINE = `l.line_number::text AS number, l.line_key, l.state, l.cents::text AS cents, l.recipient, l.content, l.result,
  ${epochText('l.updated_at')} AS updated_ms`;

/** The operations of the lines of batches, each in one statement. Lists of lines are parameters of arrays. */
export function batchLineStatements(
  names: TableNames,
): Pick<
  BatchStatements,
  | 'addChunk'
  | 'removeLines'
  | 'removeLoad'
  | 'chunks'
  | 'chunksIn'
  | 'linesOf'
  | 'lines'
  | 'line'
  | 'change'
  | 'replaceLine'
  | 'counts'
  | 'sameRecipients'
> {
  const { batchLines, batchChunks, batchCounts } = names;
  return {
    ...readingLines(names),
    addChunk: (load, chunk, lines) => addChunk(names, load, chunk, lines),
    removeLines: (load) =>
      changing(
        // By number, and not by ctid: a line that changes meanwhile has another one.
        `WITH ${MOMENT} DELETE FROM ${batchLines} USING moment WHERE batch_load = $1 AND line_number = ANY (ARRAY(
            SELECT line_number FROM ${batchLines} WHERE batch_load = $1 ORDER BY line_number LIMIT ${BATCH}))`,
        [load],
      ),
    removeLoad: (load) => {
      const isEmpty = `batch_load = $1 AND NOT EXISTS (SELECT FROM ${batchLines} WHERE batch_load = $1)`;
      return statement(
        `WITH ${MOMENT}, chunks AS (DELETE FROM ${batchChunks} USING moment WHERE ${isEmpty}),
          counts AS (DELETE FROM ${batchCounts} USING moment WHERE ${isEmpty})
        SELECT 'yes' AS removed`,
        [load],
      );
    },
    change: (load, changes) => change(names, load, changes),
    sameRecipients: (load, lines, withinMs, limit) => sameRecipients(names, load, lines, withinMs, limit),
    replaceLine: (load, before, { number, recipient, content, result }) =>
      changing(
        `WITH ${MOMENT} UPDATE ${batchLines} SET recipient = $3, content = $4, result = $5 FROM moment
          WHERE batch_load = $1 AND line_number = $2 AND content = $6 AND result = $7`,
        [load, number, recipient, ...[content, result, before.content, before.result].map(toSqlText)],
      ),
  };
}

function readingLines({
  batchLines,
  batchChunks,
  batchCounts,
}: TableNames): Pick<BatchStatements, 'chunks' | 'chunksIn' | 'linesOf' | 'lines' | 'line' | 'counts'> {
  return {
    chunks: (load, after, limit) =>
      statement(
        `SELECT c.chunk::text AS chunk, c.digest FROM ${batchChunks} c WHERE c.batch_load = $1 AND c.chunk > $2
          ORDER BY c.chunk LIMIT $3`,
        [load, after, limit],
      ),
    chunksIn: (load, states, after, limit) =>
      statement(
        // The first line in the state at or after the beginning of the chunk: one step in the index of states.
        `SELECT c.chunk::text AS chunk FROM ${batchChunks} c WHERE c.batch_load = $1 AND c.chunk > $2 AND EXISTS (
          SELECT 1 FROM unnest($3::text[]) AS wanted (state) CROSS JOIN LATERAL (
            SELECT l.state, l.line_number FROM ${batchLines} l
            WHERE l.batch_load = $1 AND (l.state, l.line_number) >= (wanted.state, c.first_line)
            ORDER BY l.state, l.line_number LIMIT 1) AS next
          WHERE next.state = wanted.state AND next.line_number <= c.last_line)
        ORDER BY c.chunk LIMIT $4`,
        [load, after, states, limit],
      ),
    linesOf: (load, chunk) =>
      statement(
        `SELECT ${LINE} FROM ${batchLines} l WHERE ${isOfChunk(batchChunks)} ORDER BY l.line_number`,
        [load, chunk],
      ),
    lines: (load, after, limit, states) => linesAfter(batchLines, load, after, limit, states),
    line: (load, key) =>
      statement(`SELECT ${LINE} FROM ${batchLines} l WHERE batch_load = $1 AND line_key = $2`, [load, key]),
    counts: (load) =>
      statement(
        `SELECT state, line_count::text, cents::text FROM ${batchCounts}
          WHERE batch_load = $1 AND line_count > 0`,
        [load],
      ),
  };
}

/**
 * The lines `l` of the chunk `$2` of the load `$1`. Not a join: PostgreSQL takes a chunk for a large part of a load, and
 * would read all of it.
 */
function isOfChunk(batchChunks: string): string {
  const end = (column: string): string =>
    `(SELECT ${column} FROM ${batchChunks} WHERE batch_load = $1 AND chunk = $2)`;
  return `l.batch_load = $1 AND l.line_number BETWEEN ${end('first_line')} AND ${end('last_line')}`;
}

/** One page of each state, each in the order of the index of states, which begins at the first line of the page. */
function linesAfter(
  table: string,
  load: string,
  after: number,
  limit: number,
  states: readonly LineState[] | undefined,
): SqlScript {
  if (!states) {
    return statement(
      `SELECT ${LINE} FROM ${table} l WHERE batch_load = $1 AND line_number > $2 ORDER BY line_number LIMIT $3`,
      [load, after, limit],
    );
  }
  return statement(
    `SELECT ${LINE} FROM unnest($4::text[]) AS wanted (state) CROSS JOIN LATERAL (
      SELECT * FROM ${table} WHERE batch_load = $1 AND (state, line_number) > (wanted.state, $2::bigint)
      ORDER BY state, line_number LIMIT $3
    ) l WHERE l.state = wanted.state ORDER BY l.line_number LIMIT $3`,
    [load, after, limit, states],
  );
}

function addChunk(
  { batchLines, batchChunks, batchCounts }: TableNames,
  load: string,
  { chunk, digest }: BatchChunk,
  lines: readonly NewBatchLine[],
): SqlScript {
  return statement(
    `WITH ${timelyMoment()}, given AS (
      SELECT * FROM unnest($4::bigint[], $5::text[], $6::bigint[], $7::text[], $8::text[])
        AS g (line_number, line_key, cents, recipient, content)
    ), used AS (
      SELECT line_key FROM ${batchLines} WHERE batch_load = $1 AND line_key = ANY ($5::text[])
    ), added AS (
      INSERT INTO ${batchLines} (batch_load, line_number, line_key, state, cents, recipient, content, result, updated_at)
      SELECT $1, line_number, line_key, 'waiting', cents, recipient, content, '{}', now FROM given, moment
      WHERE NOT EXISTS (SELECT 1 FROM used)
      RETURNING line_number, cents
    ), summed AS (
      SELECT count(*) AS lines, sum(cents) AS cents, min(line_number) AS first, max(line_number) AS last FROM added
    ), chunked AS (
      INSERT INTO ${batchChunks} (batch_load, chunk, digest, first_line, last_line)
      SELECT $1, $2::bigint, $3, first, last FROM summed WHERE lines > 0
    ), counted AS (
      INSERT INTO ${batchCounts} AS c (batch_load, state, line_count, cents)
      SELECT $1, 'waiting', lines, cents FROM summed WHERE lines > 0
      ON CONFLICT (batch_load, state) DO UPDATE
        SET line_count = c.line_count + excluded.line_count, cents = c.cents + excluded.cents
    )
    SELECT line_key FROM used`,
    [
      load,
      chunk,
      digest,
      lines.map(({ number }) => number),
      lines.map(({ key }) => key),
      lines.map(({ cents }) => cents),
      lines.map(({ recipient }) => recipient),
      lines.map(({ content }) => toSqlText(content)),
    ],
  );
}

/**
 * Locks the lines in the order of their numbers, and the counts in that of their states. An absent value is an empty text: with
 * `array_nulls` off, the server reads a null in an array as a text.
 */
function change(
  { batchLines, batchCounts }: TableNames,
  load: string,
  changes: readonly LineChange[],
): SqlScript {
  return statement(
    `WITH ${MOMENT}, wanted AS (
      SELECT line_number, string_to_array(allowed, ' ') AS allowed, next, nullif(result, '') AS result, nullif(read_ms, '') AS read_ms
      FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[])
        AS w (line_number, allowed, next, result, read_ms)
    ), target AS (
      SELECT l.line_number, l.state AS before, l.cents, w.next, w.result
      FROM moment, ${batchLines} l JOIN wanted w ON w.line_number = l.line_number
      WHERE l.batch_load = $1 AND l.state = ANY (w.allowed)
        AND coalesce(w.read_ms = ${epochText('l.updated_at')}, true)
      ORDER BY l.line_number FOR UPDATE OF l
    ), changed AS (
      UPDATE ${batchLines} l SET state = target.next, result = coalesce(target.result, l.result),
        updated_at = greatest(now, l.updated_at + interval '1 millisecond')
      FROM target, moment WHERE l.batch_load = $1 AND l.line_number = target.line_number
      RETURNING l.line_number
    ), deltas AS (
      SELECT state, sum(lines) AS lines, sum(cents) AS cents FROM (
        SELECT before AS state, -1 AS lines, -cents AS cents FROM target
        UNION ALL SELECT next, 1, cents FROM target
      ) moves GROUP BY state HAVING sum(lines) <> 0 OR sum(cents) <> 0 ORDER BY state
    ), counted AS (
      INSERT INTO ${batchCounts} AS c (batch_load, state, line_count, cents)
      SELECT $1, state, lines, cents FROM deltas
      ON CONFLICT (batch_load, state) DO UPDATE
        SET line_count = c.line_count + excluded.line_count, cents = c.cents + excluded.cents
    )
    SELECT line_number::text AS number FROM changed ORDER BY line_number`,
    [
      load,
      changes.map(({ number }) => number),
      changes.map(({ from }) => from.join(' ')),
      changes.map(({ to }) => to),
      changes.map(({ result }) => (result === undefined ? '' : toSqlText(result))),
      changes.map(({ at }) => (at === undefined ? '' : String(at))),
    ],
  );
}

/** LATERAL: a step in the index of recipients for each form of each line, and no join that reads all lines. */
function sameRecipients(
  { batches, batchLines }: TableNames,
  load: string,
  lines: readonly LineRecipient[],
  withinMs: number,
  limit: number,
): SqlScript {
  return statement(
    `SELECT l.number::text AS number, other.name, other.line_key, other.state
    FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS l (number, cents, recipients) CROSS JOIN LATERAL (
      SELECT b.name, o.line_key, o.state FROM ${batchLines} o JOIN ${batches} b ON b.batch_load = o.batch_load
      WHERE o.recipient = ANY (string_to_array(l.recipients, ' ')) AND CASE
        WHEN o.batch_load = $1 THEN o.line_number < l.number
        ELSE o.cents = l.cents AND o.state IN ${OUT}
          AND o.updated_at > (SELECT clock_timestamp() - $5::float8 * interval '1 millisecond') END
      ORDER BY o.batch_load = $1, o.updated_at DESC LIMIT $6) AS other
    ORDER BY l.number`,
    [
      load,
      lines.map(({ number }) => number),
      lines.map(({ cents }) => cents),
      lines.map(({ recipients }) => recipients.join(' ')),
      withinMs,
      limit,
    ],
  );
}
