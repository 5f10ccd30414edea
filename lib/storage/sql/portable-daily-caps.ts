import { type DailyShare, dailyCapDay } from '../daily-cap.js';
import { type JournalRecord, type JournalScope } from '../journal-store.js';
import { newVersion, type PortableDialect, TABLES } from './portable-dialect.js';
import {
  insertion,
  JOURNAL,
  keyIs,
  replacement,
  scopeIs,
  storedColumns,
  tombstoneIs,
} from './portable-journal.js';
import { type SqlResult, type SqlScript } from './sql-database.js';
import { type DailyCapStatements } from './sql-statements.js';
import { raw, sql, type SqlPiece } from './sql-template.js';
import { journalKeyValues } from './sql-text.js';

const COUNTS = raw(TABLES.dailyCounts);
const TOMBSTONES = raw(TABLES.tombstones);
const SCOPE = ['account', 'environment', 'family'] as const;

/**
 * The operations of the daily caps without RETURNING, each in one transaction. It locks the payment first and the counter
 * last, so that two of them never wait for each other, and the counter is held for two statements.
 */
export function portableDailyCaps(dialect: PortableDialect): DailyCapStatements {
  return {
    insert: (record, leaseMs, share) => insertScript(dialect, record, leaseMs, share),
    replace: (version, record, leaseMs, share) => replaceScript(dialect, version, record, leaseMs, share),
    release: (scope, day, cents) => ({ steps: [releaseShare(scope, day, cents)] }),
  };
}

function releaseShare(scope: JournalScope, day: number, cents: number): SqlPiece {
  return sql`UPDATE ${COUNTS} SET payments = CASE WHEN payments > 1 THEN payments - 1 ELSE 0 END,
      cents = CASE WHEN cents > ${cents} THEN cents - ${cents} ELSE 0 END
    WHERE ${scopeIs(scope)} AND day = ${day}`;
}

function insertScript(
  dialect: PortableDialect,
  record: JournalRecord,
  leaseMs: number,
  share: DailyShare,
): SqlScript {
  const version = newVersion();
  const isPayment = keyIs(journalKeyValues(record));
  const isOwn = sql`${isPayment} AND version = ${version}`;
  const tombstone = sql`SELECT 1 FROM ${TOMBSTONES} WHERE ${tombstoneIs(record)}`;
  const stored = storedColumns(dialect.now);
  const written = sql`SELECT CASE WHEN EXISTS (${tombstone}) THEN 'instead' ELSE 'yes' END AS inserted, ${counterDay(record)} AS counted_on,
      ${stored}
    FROM ${JOURNAL} WHERE ${isOwn}`;
  const existing = sql`SELECT 'no' AS inserted, ${stored} FROM ${JOURNAL} WHERE ${isPayment}`;
  const day = (results: readonly SqlResult[]): number | undefined => dayIn(results[2]);
  return {
    atomic: true,
    // Nothing is sent, so nothing may count.
    undoLate: ({ rows: [late] }) => ({
      atomic: true,
      steps: [
        sql`DELETE FROM ${JOURNAL} WHERE ${isOwn}`,
        ([removed]) =>
          isDone(removed) ? releaseShare(record, Number(late?.['counted_on']), share.cents) : undefined,
      ],
    }),
    steps: [
      sql`SELECT one FROM (SELECT 1 AS one) AS given WHERE NOT EXISTS (${tombstone})`,
      ([allowed]) => (allowed?.rows.length === 0 ? undefined : insertion(dialect, record, leaseMs, version)),
      sql`SELECT attempt_at AS time_ms FROM ${JOURNAL} WHERE ${isOwn}`,
      (results) => take(record, day(results), share) ?? existing,
      (results) => {
        if (day(results) === undefined) return undefined;
        return isDone(results[3]) ? written : newCounter(dialect, record);
      },
      (results) => (isDone(results[3]) ? undefined : take(record, day(results), share)),
      (results) => (isDone(results[5]) ? written : sql`DELETE FROM ${JOURNAL} WHERE ${isOwn}`),
      (results) => (isDone(results[5]) ? undefined : reached(record, day(results))),
    ],
  };
}

function replaceScript(
  { now, keepExisting }: PortableDialect,
  version: number,
  record: JournalRecord,
  leaseMs: number,
  share: DailyShare,
): SqlScript {
  const held = newVersion();
  const next = newVersion();
  const isPayment = keyIs(journalKeyValues(record));
  const hold = (from: number, to: number): SqlPiece =>
    sql`UPDATE ${JOURNAL} SET version = ${to} WHERE ${isPayment} AND version = ${from}`;
  const day = (results: readonly SqlResult[]): number | undefined => dayIn(results[1]);
  // The time of the attempt is that of its day.
  const change = (results: readonly SqlResult[]): SqlPiece =>
    replacement(sql`${Number(results[1]?.rows[0]?.['time_ms'])}`, record, leaseMs, next, held);
  const stored = sql`SELECT ${counterDay(record)} AS counted_on, ${storedColumns(now)} FROM ${JOURNAL} WHERE ${isPayment} AND version = ${next}`;
  return {
    atomic: true,
    steps: [
      hold(version, held),
      ([holding]) => (isDone(holding) ? sql`SELECT ${now} AS time_ms` : undefined),
      (results) => take(record, day(results), share),
      (results) => (isDone(results[2]) ? change(results) : newCounter({ keepExisting }, record)),
      (results) => (isDone(results[2]) ? stored : take(record, day(results), share)),
      (results) => {
        if (isDone(results[2])) return undefined;
        return isDone(results[4]) ? change(results) : hold(held, version);
      },
      (results) => (isDone(results[4]) ? stored : reached(record, day(results))),
    ],
  };
}

/** Whether a statement changed a row. */
function isDone(result: SqlResult | undefined): boolean {
  return (result?.rowCount ?? 0) > 0;
}

/** The day of a time that was read; undefined if there is no row. */
function dayIn(result: SqlResult | undefined): number | undefined {
  const time = result?.rows[0]?.['time_ms'];
  return time == null ? undefined : dailyCapDay(Number(time));
}

/** Counts a payment if its day has room. Affects no row if it has none, or if there is no counter. */
function take(
  scope: JournalScope,
  day: number | undefined,
  { cents, maxCount = Number.MAX_SAFE_INTEGER, maxCents = Number.MAX_SAFE_INTEGER }: DailyShare,
): SqlPiece | undefined {
  if (day === undefined) return undefined;
  const isNew = isNewDay(day);
  // MySQL assigns from left to right: `day` comes after what looks at it.
  return sql`UPDATE ${COUNTS} SET
      payments = CASE WHEN ${isNew} THEN 1 ELSE payments + 1 END,
      cents = CASE WHEN ${isNew} THEN ${cents} ELSE cents + ${cents} END,
      day = CASE WHEN ${isNew} THEN ${day} ELSE day END
    WHERE ${scopeIs(scope)} AND ${cents} <= ${maxCents}
      AND (${isNew} OR (payments < ${maxCount} AND cents + ${cents} <= ${maxCents}))`;
}

/** Whether the counter begins again: its day is over, or the clock was ahead by more than a day when it was written. */
function isNewDay(day: number): SqlPiece {
  return sql`(day < ${day} OR day > ${day + 1})`;
}

/** The day that the counter counts. */
function counterDay(scope: JournalScope): SqlPiece {
  return sql`(SELECT day FROM ${COUNTS} WHERE ${scopeIs(scope)})`;
}

/** The counter of a scope that has counted nothing yet. */
function newCounter(
  { keepExisting }: Pick<PortableDialect, 'keepExisting'>,
  { account, environment, family }: JournalScope,
): SqlPiece {
  return sql`INSERT INTO ${COUNTS} (account, environment, family, day, payments, cents)
    VALUES (${account}, ${environment}, ${family}, 0, 0, 0) ${keepExisting(TABLES.dailyCounts, SCOPE)}`;
}

function reached(scope: JournalScope, day: number | undefined): SqlPiece | undefined {
  if (day === undefined) return undefined;
  return sql`SELECT CASE WHEN ${isNewDay(day)} THEN ${day} ELSE day END AS reached_on FROM ${COUNTS} WHERE ${scopeIs(scope)}`;
}
