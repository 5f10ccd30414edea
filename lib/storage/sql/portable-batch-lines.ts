import { type BatchChunk, type LineChange, type LineState, type NewBatchLine } from '../batch-store.js';
import { type ChangedLine, type ChangePlan, type CountDelta, planChanges } from './batch-changes.js';
import { type BatchStatements } from './batch-statements.js';
import { type PortableDialect, TABLES } from './portable-dialect.js';
import { type SqlRow, type SqlScript, type SqlStep } from './sql-database.js';
import { joined, listOf, raw, sql, type SqlPiece } from './sql-template.js';
import { sameRecipients } from './portable-same-recipients.js';
import { toSqlText } from './sql-text.js';

const LINES = raw(TABLES.batchLines);
const CHUNKS = raw(TABLES.batchChunks);
const COUNTS = raw(TABLES.batchCounts);
const KEY = ['batch_load', 'line_number'] as const;
const LINE = raw(
  'line_number AS number, line_key, state, cents, recipient, content, result, updated_at AS updated_ms',
);
/** How many lines one INSERT writes: SQLite takes no more than 32,766 parameters. */
const ROWS = 500;

/** A result without a row. */
const nothing = raw('SELECT one FROM (SELECT 1 AS one) AS given WHERE one = 0');

type LineStatements = Pick<
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
>;

/** The operations of the lines of batches without RETURNING. Those that write are one transaction each. */
export function portableBatchLines(dialect: PortableDialect): LineStatements {
  return {
    ...readingLines(dialect),
    addChunk: (load, chunk, lines) => addChunk(dialect, load, chunk, lines),
    removeLines: (load) =>
      dialect.deleteFirst(TABLES.batchLines, KEY, sql`batch_load = ${load}`, 'line_number'),
    removeLoad: (load) => {
      const isEmpty = sql`batch_load = ${load} AND NOT EXISTS (SELECT 1 FROM ${LINES} WHERE batch_load = ${load})`;
      return {
        atomic: true,
        steps: [sql`DELETE FROM ${CHUNKS} WHERE ${isEmpty}`, sql`DELETE FROM ${COUNTS} WHERE ${isEmpty}`],
      };
    },
    change: (load, changes) => change(dialect, load, changes),
    replaceLine: (load, before, { number, recipient, content, result }) => ({
      steps: [
        sql`UPDATE ${LINES} SET recipient = ${recipient}, content = ${toSqlText(content)}, result = ${toSqlText(result)}
          WHERE batch_load = ${load} AND line_number = ${number} AND content = ${toSqlText(before.content)}
            AND result = ${toSqlText(before.result)}`,
      ],
    }),
  };
}

function readingLines(
  dialect: PortableDialect,
): Omit<LineStatements, 'addChunk' | 'removeLines' | 'removeLoad' | 'change' | 'replaceLine'> {
  const one = (step: SqlStep = nothing): SqlScript => ({ steps: [step] });
  return {
    chunks: (load, after, limit) =>
      one(sql`SELECT chunk, digest FROM ${CHUNKS} WHERE batch_load = ${load} AND chunk > ${after}
        ORDER BY chunk LIMIT ${raw(`${limit}`)}`),
    chunksIn: (load, states, after, limit) => {
      const pages = statePages(
        states,
        (state) => sql`SELECT DISTINCT chunk FROM ${LINES}
          WHERE batch_load = ${load} AND state = ${state} AND chunk > ${after} ORDER BY chunk LIMIT ${raw(`${limit}`)}`,
      );
      return one(
        pages && sql`SELECT DISTINCT chunk FROM (${pages}) AS pages ORDER BY chunk LIMIT ${raw(`${limit}`)}`,
      );
    },
    linesOf,
    lines: (load, after, limit, states) => linesAfter(load, after, limit, states),
    line: (load, key) =>
      one(sql`SELECT ${LINE} FROM ${LINES} WHERE batch_load = ${load} AND line_key = ${key}`),
    counts: (load) =>
      // As text: a sum may be larger than a driver's number.
      one(sql`SELECT state, line_count, CAST(cents AS CHAR) AS cents FROM ${COUNTS}
        WHERE batch_load = ${load} AND line_count > 0`),
    sameRecipients: (load, lines, withinMs, limit) =>
      one(sameRecipients(dialect, load, lines, withinMs, limit)),
  };
}

/** A page of each state, each in the order of its index. */
function statePages(
  states: readonly LineState[],
  pageOf: (state: LineState) => SqlPiece,
): SqlPiece | undefined {
  if (states.length === 0) return undefined;
  const pages = [...new Set(states)].map(
    (state) => sql`SELECT * FROM (${pageOf(state)}) AS ${raw(`${state}_page`)}`,
  );
  return joined(pages, ' UNION ALL ');
}

/** The index of states has the lines in the order of their chunks: a page begins at the chunk of the line before. */
function linesAfter(
  load: string,
  after: number,
  limit: number,
  states: readonly LineState[] | undefined,
): SqlScript {
  const last = raw(`LIMIT ${limit}`);
  const isAfter = sql`batch_load = ${load} AND line_number > ${after}`;
  if (!states) {
    return { steps: [sql`SELECT ${LINE} FROM ${LINES} WHERE ${isAfter} ORDER BY line_number ${last}`] };
  }
  return {
    steps: [
      sql`SELECT chunk FROM ${LINES} WHERE batch_load = ${load} AND line_number <= ${after}
        ORDER BY line_number DESC LIMIT 1`,
      ([before]) => {
        const chunk = Number(before?.rows[0]?.['chunk'] ?? 0);
        const pages = statePages(
          states,
          (
            state,
          ) => sql`SELECT ${LINE} FROM ${LINES} WHERE ${isAfter} AND state = ${state} AND chunk >= ${chunk}
            ORDER BY chunk, line_number ${last}`,
        );
        return pages && sql`SELECT * FROM (${pages}) AS pages ORDER BY number ${last}`;
      },
    ],
  };
}

/** Reads the numbers of the chunk's lines first, because a range of the index needs values. */
function linesOf(load: string, chunk: number): SqlScript {
  return {
    steps: [
      sql`SELECT first_line, last_line FROM ${CHUNKS} WHERE batch_load = ${load} AND chunk = ${chunk}`,
      ([found]) => {
        const [row] = found?.rows ?? [];
        if (!row) return undefined;
        const isOf = sql`BETWEEN ${Number(row['first_line'])} AND ${Number(row['last_line'])}`;
        return sql`SELECT ${LINE} FROM ${LINES} WHERE batch_load = ${load} AND line_number ${isOf} ORDER BY line_number`;
      },
    ],
  };
}

/**
 * The counter of the waiting lines is locked first: the chunks of a load are added one after the other, and each sees the
 * keys of those before.
 */
function addChunk(
  dialect: PortableDialect,
  load: string,
  { chunk, digest }: BatchChunk,
  lines: readonly NewBatchLine[],
): SqlScript {
  const row = ({ number, key, cents, recipient, content }: NewBatchLine): SqlPiece =>
    sql`(${load}, ${number}, ${key}, ${chunk}, 'waiting', ${cents}, ${recipient}, ${toSqlText(content)}, '{}', ${dialect.now})`;
  const insertions = Array.from({ length: Math.ceil(lines.length / ROWS) }, (_, index) => {
    const rows = lines.slice(index * ROWS, (index + 1) * ROWS).map(row);
    return sql`INSERT INTO ${LINES}
      (batch_load, line_number, line_key, chunk, state, cents, recipient, content, result, updated_at) VALUES ${joined(rows, ', ')}`;
  });
  const cents = lines.reduce((sum, line) => sum + BigInt(line.cents), 0n);
  const added: CountDelta = { state: 'waiting', lines: lines.length, cents };
  const newChunk = sql`INSERT INTO ${CHUNKS} (batch_load, chunk, digest, first_line, last_line)
    VALUES (${load}, ${chunk}, ${digest}, ${lines.at(0)?.number}, ${lines.at(-1)?.number})`;
  return {
    atomic: true,
    steps: [
      newCounters(dialect, load, ['waiting']),
      sql`SELECT state FROM ${COUNTS} WHERE batch_load = ${load} AND state = 'waiting' ${dialect.waitForRows}`,
      sql`SELECT line_key FROM ${LINES}
        WHERE batch_load = ${load} AND line_key IN (${listOf(lines.map(({ key }) => key))})`,
      ([, , used]) => (used?.rows.length === 0 ? newChunk : undefined),
      ...insertions,
      addToCounters(load, [added]),
    ],
  };
}

/** Locks the lines in the order of their numbers, and then the counters. */
function change(dialect: PortableDialect, load: string, changes: readonly LineChange[]): SqlScript {
  let plan: ChangePlan = { changes: [], deltas: [] };
  const isOf = (lines: readonly LineChange[]): SqlPiece =>
    sql`batch_load = ${load} AND line_number IN (${listOf(lines.map(({ number }) => number))})`;
  const count = (step: () => SqlPiece): SqlStep => {
    return () => (plan.deltas.length === 0 ? nothing : step());
  };
  return {
    atomic: true,
    steps: [
      sql`SELECT line_number, state, cents, updated_at FROM ${LINES} WHERE ${isOf(changes)} ORDER BY line_number ${dialect.waitForRows}`,
      ([found]) => {
        plan = planChanges((found?.rows ?? []).map(changedLine), changes);
        // A result without rows.
        if (plan.changes.length === 0) return nothing;
        return update(dialect, plan.changes, isOf(plan.changes));
      },
      count(() =>
        newCounters(
          dialect,
          load,
          plan.deltas.map(({ state }) => state),
        ),
      ),
      count(() => addToCounters(load, plan.deltas)),
      () =>
        plan.changes.length === 0
          ? undefined
          : sql`SELECT line_number AS number FROM ${LINES} WHERE ${isOf(plan.changes)} ORDER BY line_number`,
    ],
  };
}

function changedLine(row: SqlRow): ChangedLine {
  return {
    number: Number(row['line_number']),
    state: row['state'] as LineState,
    cents: Number(row['cents']),
    updatedAt: Number(row['updated_at']),
  };
}

function update({ now }: PortableDialect, changes: readonly LineChange[], isOf: SqlPiece): SqlPiece {
  const states = changes.map(({ number, to }) => [number, to] as const);
  const results = changes.flatMap(({ number, result }) =>
    result === undefined ? [] : [[number, toSqlText(result)] as const],
  );
  return sql`UPDATE ${LINES} SET state = ${newValue('line_number', states, 'state')},
      result = ${newValue('line_number', results, 'result')},
      updated_at = CASE WHEN updated_at < ${now} THEN ${now} ELSE updated_at + 1 END
    WHERE ${isOf}`;
}

/** The new value of a column by the value of the column `by`; `otherwise` for rows without one. */
function newValue(by: string, values: readonly (readonly [unknown, unknown])[], otherwise: string): SqlPiece {
  if (values.length === 0) return raw(otherwise);
  const cases = values.map(([key, value]) => sql`WHEN ${key} THEN ${value}`);
  return sql`CASE ${raw(by)} ${joined(cases, ' ')} ELSE ${raw(otherwise)} END`;
}

/** Counters of states in which no line of the load was before. */
function newCounters(
  { keepExisting }: PortableDialect,
  load: string,
  states: readonly LineState[],
): SqlPiece {
  const rows = states.map((state) => sql`(${load}, ${state}, 0, 0)`);
  return sql`INSERT INTO ${COUNTS} (batch_load, state, line_count, cents) VALUES ${joined(rows, ', ')}
    ${keepExisting(TABLES.batchCounts, ['batch_load', 'state'])}`;
}

function addToCounters(load: string, deltas: readonly CountDelta[]): SqlPiece {
  const lines = deltas.map((delta) => [delta.state, delta.lines] as const);
  // As a text, because a sum may be larger than a number can hold.
  const sums = deltas.map(
    ({ state, cents }) => sql`WHEN ${state} THEN CAST(${String(cents)} AS DECIMAL(38, 0))`,
  );
  return sql`UPDATE ${COUNTS} SET line_count = line_count + ${newValue('state', lines, '0')},
      cents = cents + CASE state ${joined(sums, ' ')} ELSE 0 END
    WHERE batch_load = ${load} AND state IN (${listOf(deltas.map(({ state }) => state))})`;
}
