import { dayExpression } from '../daily-cap.js';
import { type JournalKey, type JournalScope } from '../journal-store.js';
import { intentText } from '../stored-record.js';
import { type SqlResult, type SqlRow, type SqlScript } from '../sql/sql-database.js';
import { type DailyCapStatements } from '../sql/sql-statements.js';
import { journalKeyValues } from '../sql/sql-text.js';
import { isOwnRow, journalStatements, KEY, SCOPE, STORED } from './journal-statements.js';
import { milliseconds, MOMENT, timelyMoment } from './postgres-text.js';
import { nextOf, type TableNames } from './table-names.js';

/**
 * The operations of the daily caps in PostgreSQL, each in one transaction. The payment comes first and the counter last, so
 * that nobody holds the counter of an account while it waits for a payment, and two of them never wait for each other.
 */
export function dailyCapStatements(names: TableNames): DailyCapStatements {
  const texts = dailyCapTexts(names);
  const journal = journalStatements(names);
  const releasing = ({ account, environment, family }: JournalScope, day: number, cents: number) => ({
    text: texts.release,
    values: [account, environment, family, day, cents],
    counts: true as const,
  });
  const undoing = (key: JournalKey, version: number, day: number, cents: number): SqlScript => ({
    atomic: true,
    steps: [
      ...journal.remove(key, version).steps,
      ([removed]) => (removed?.rowCount === 1 ? releasing(key, day, cents) : undefined),
    ],
  });
  return {
    release: (scope, day, cents) => ({ steps: [releasing(scope, day, cents)] }),
    insert: (record, leaseMs, { cents, maxCount = null, maxCents = null }) => {
      const own = ([written]: readonly SqlResult[]): SqlRow | undefined => {
        const row = written?.rows[0];
        return row && isOwnRow(row) ? row : undefined;
      };
      const key = journalKeyValues(record);
      return {
        atomic: true,
        // Nothing is sent, so nothing may count.
        undoLate: ({ rows: [late] }) =>
          late && isOwnRow(late)
            ? undoing(record, Number(late['version_text']), Number(late['counted_on']), cents)
            : undefined,
        steps: [
          ...journal.insert(record, leaseMs).steps,
          (results) => {
            const row = own(results);
            if (!row) return undefined;
            const values = [...key, row['version_text'], cents, maxCount, maxCents, row['inserted']];
            return { text: texts.count, values };
          },
          (results) => {
            if (results[1]?.rows.length !== 0) return undefined;
            return { text: texts.undo, values: [...key, own(results)?.['version_text']] };
          },
        ],
      };
    },
    replace: (version, record, leaseMs, { cents, maxCount = null, maxCents = null }) => {
      const { state, attempt } = record;
      const written = [state, attempt, JSON.stringify(record), leaseMs];
      const expected = [version, intentText(record)];
      const values = [...journalKeyValues(record), ...written, ...expected, cents, maxCount, maxCents];
      return { atomic: true, steps: [{ text: texts.replace, values }] };
    },
  };
}

/** Each comment lists the parameters. */
function dailyCapTexts({ journal, versions, dailyCounts }: TableNames) {
  return {
    /** Key, version, cents, largest number, largest sum, `inserted`. Counts the payment that was just written. */
    count: `WITH today AS (
        SELECT ${dayOf('updated_at')} AS day FROM ${journal} WHERE ${KEY} AND version = $5::bigint
      ), counted AS (
        ${count(dailyCounts, ['$6', '$7', '$8'], 'today WHERE true')}
      )
      SELECT $9::text AS inserted, counted_on::text AS counted_on, ${STORED}
      FROM counted, ${journal} WHERE ${KEY} AND version = $5::bigint`,

    /** Key, version. Removes the payment that was just written: its day has no room. */
    undo: `WITH gone AS (
        DELETE FROM ${journal} WHERE ${KEY} AND version = $5::bigint RETURNING updated_at
      ), today AS (
        SELECT ${dayOf('updated_at')} AS day FROM gone
      )
      SELECT 'reached' AS inserted, ${dayOfCounter(dailyCounts)}::text AS reached_on FROM gone`,

    /** Key, state, attempt, record, lease, version, `intentText`, cents, largest number, largest sum. */
    replace: `WITH ${timelyMoment()}, today AS (
        SELECT ${dayOf('now')} AS day FROM moment
      ), target AS (
        -- Only who has the moment has its lock timeout.
        SELECT 1 AS one FROM moment, ${journal} AS entry WHERE ${KEY} AND version = $9::bigint FOR UPDATE OF entry
      ), counted AS (
        ${count(dailyCounts, ['$11', '$12', '$13'], 'today, target WHERE true')}
      ), changed AS (
        UPDATE ${journal} AS entry SET state = $5, attempt = $6::integer, record = $7::json, version = ${nextOf(versions)},
          updated_at = now, lease_until = now + ${milliseconds('$8')},
          attempt_at = CASE WHEN attempt = $6::integer AND strpos(record::text, $10::text) > 0 THEN attempt_at ELSE now END
        FROM moment, counted WHERE ${KEY} AND version = $9::bigint
        RETURNING entry.*
      )
      SELECT (SELECT counted_on::text FROM counted) AS counted_on,
        CASE WHEN NOT EXISTS (SELECT FROM counted) THEN ${dayOfCounter(dailyCounts)}::text END AS reached_on, ${STORED}
      FROM target LEFT JOIN changed ON true`,

    /** Scope, day, cents. */
    release: `WITH ${MOMENT}
      UPDATE ${dailyCounts} SET payments = greatest(payments - 1, 0), cents = greatest(cents - $5::numeric, 0)
      FROM moment WHERE ${SCOPE} AND day = $4::bigint`,
  };
}

/** The day of a time, as a column keeps it: rounded to milliseconds. */
function dayOf(time: string): string {
  return `floor(${dayExpression(`extract(epoch FROM ${time}::timestamptz(3)) * 1000`)})::bigint`;
}

/** Whether the counter begins again: its day is over, or the clock was ahead by more than a day when it was written. */
const IS_NEW_DAY = 'stored.day NOT BETWEEN excluded.day AND excluded.day + 1';

/** Counts a payment for each row of `from`, if the day has room. A day that is full is read, and not locked. */
function count(
  dailyCounts: string,
  [cents = '', maxCount = '', maxCents = '']: readonly string[],
  from: string,
): string {
  const hasRoom = (counted: string): string => `(
          (${maxCount}::numeric IS NULL OR stored.payments < ${maxCount}::numeric)
          AND (${maxCents}::numeric IS NULL OR stored.cents + ${counted} <= ${maxCents}::numeric))`;
  return `INSERT INTO ${dailyCounts} AS stored (account, environment, family, day, payments, cents)
        SELECT $1, $2, $3, today.day, 1, ${cents}::numeric FROM ${from}
          AND (${maxCents}::numeric IS NULL OR ${cents}::numeric <= ${maxCents}::numeric)
          AND NOT EXISTS (
            SELECT FROM ${dailyCounts} AS stored
            WHERE ${SCOPE} AND day BETWEEN today.day AND today.day + 1 AND NOT ${hasRoom(`${cents}::numeric`)})
        ON CONFLICT (account, environment, family) DO UPDATE SET
          day = CASE WHEN ${IS_NEW_DAY} THEN excluded.day ELSE stored.day END,
          payments = CASE WHEN ${IS_NEW_DAY} THEN 1 ELSE stored.payments + 1 END,
          cents = CASE WHEN ${IS_NEW_DAY} THEN excluded.cents ELSE stored.cents + excluded.cents END
        WHERE ${IS_NEW_DAY} OR ${hasRoom('excluded.cents')}
        RETURNING day AS counted_on`;
}

/** The day that has no room. */
function dayOfCounter(dailyCounts: string): string {
  const counter = `SELECT stored.day FROM ${dailyCounts} AS stored, today WHERE ${SCOPE} AND stored.day <= today.day + 1`;
  return `greatest((SELECT day FROM today), (${counter}))`;
}
