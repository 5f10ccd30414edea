import { type LineRecipient, MAY_BE_OUT } from '../batch-store.js';
import { type PortableDialect, TABLES } from './portable-dialect.js';
import { joined, listOf, raw, sql, type SqlPiece } from './sql-template.js';

const LINES = raw(TABLES.batchLines);

/** Some lines for each of these lines. COALESCE keeps a database off the load's index, which has the whole batch. */
export function sameRecipients(
  { now }: PortableDialect,
  load: string,
  lines: readonly LineRecipient[],
  withinMs: number,
  limit: number,
): SqlPiece {
  const others = (isSame: SqlPiece): SqlPiece => sql`SELECT mine.number, other.batch_load,
      other.updated_at, other.line_key, other.state
    FROM mine JOIN ${LINES} AS other ON other.recipient = mine.recipient AND ${isSame}`;
  const found = [
    others(sql`COALESCE(other.batch_load, '') = ${load} AND other.line_number < mine.number`),
    others(sql`other.cents = mine.cents AND other.batch_load <> ${load} AND other.state IN (${listOf(MAY_BE_OUT)})
      AND other.updated_at > ${now} - ${withinMs}`),
  ];
  return sql`WITH mine AS (${inEveryForm(load, lines)}) SELECT number, name, line_key, state FROM (
      SELECT found.number, batch.name, found.line_key, found.state, ROW_NUMBER() OVER (
        PARTITION BY found.number ORDER BY CASE found.batch_load WHEN ${load} THEN 1 ELSE 0 END, found.updated_at DESC) AS place
      FROM (${joined(found, ' UNION ALL ')}) AS found
      JOIN ${raw(TABLES.batches)} AS batch ON batch.batch_load = found.batch_load) AS placed
    WHERE place <= ${raw(`${limit}`)} ORDER BY number`;
}

/** A row for each form of the recipient of each line. */
function inEveryForm(load: string, lines: readonly LineRecipient[]): SqlPiece {
  const numbers = lines.map(({ number }) => number);
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  // A database finds the lines of a whole chunk in one step.
  const isOf = last - first < lines.length ? sql`BETWEEN ${first} AND ${last}` : sql`IN (${listOf(numbers)})`;
  const rowsWith = (recipient: SqlPiece): SqlPiece =>
    sql`SELECT line_number AS number, cents, ${recipient} AS recipient FROM ${LINES}
      WHERE batch_load = ${load} AND line_number ${isOf}`;
  const forms = Math.max(...lines.map(({ recipients }) => recipients.length));
  // A recipient that has one form is stored in it: the statement stays short, and its plan the simplest.
  if (forms === 1) return rowsWith(raw('recipient'));
  const cases = Array.from({ length: forms }, (_, at) =>
    joined(
      lines.map(({ number, recipients }) => sql`WHEN ${number} THEN ${recipients[at] ?? null}`),
      ' ',
    ),
  );
  return joined(
    cases.map((form) => rowsWith(sql`CASE line_number ${form} END`)),
    ' UNION ALL ',
  );
}
