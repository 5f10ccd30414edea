import { dayExpression } from '../daily-cap.js';
import { intentText } from '../stored-record.js';
import { change, statement } from '../sql/sql-database.js';
import { type DailyCapStatements } from '../sql/sql-statements.js';
import { journalKeyValues } from '../sql/sql-text.js';
import { IS_TOMBSTONE, KEY, SCOPE, STORED } from './journal-statements.js';
import { milliseconds, MOMENT } from './postgres-text.js';
import { nextOf, type TableNames } from './table-names.js';

/** The day of the time that is written: a column rounds it to milliseconds. */
const TODAY = `today AS (
  SELECT floor(${dayExpression('extract(epoch FROM now::timestamptz(3)) * 1000')})::bigint AS day FROM moment
)`;

/** The operations of the daily caps in PostgreSQL: one statement each. */
export function dailyCapStatements(names: TableNames): DailyCapStatements {
  const texts = dailyCapTexts(names);
  return {
    insert: (record, leaseMs, { cents, maxCount = null, maxCents = null }) => {
      const { state, attempt } = record;
      const json = JSON.stringify(record);
      const values = [...journalKeyValues(record), state, attempt, json, leaseMs, cents, maxCount, maxCents];
      return statement(texts.insert, values);
    },
    replace: (version, record, leaseMs, { cents, maxCount = null, maxCents = null }) => {
      const { state, attempt } = record;
      const written = [state, attempt, JSON.stringify(record), leaseMs];
      const expected = [version, intentText(record)];
      const share = [cents, maxCount, maxCents];
      return statement(texts.replace, [...journalKeyValues(record), ...written, ...expected, ...share]);
    },
    giveBack: ({ account, environment, family }, day, cents) =>
      change(texts.giveBack, [account, environment, family, day, cents]),
  };
}

/** Each comment lists the parameters. */
function dailyCapTexts({ journal, tombstones, versions, dailyCounts }: TableNames) {
  return {
    /**
     * Key, state, attempt, record, lease, cents, largest number, largest sum.
     *
     * It waits for the counter before it writes, so another process may have written the payment since the statement
     * began: then the counter has counted a payment too much.
     */
    insert: `WITH ${MOMENT}, ${TODAY}, counted AS (
        ${count(
          dailyCounts,
          ['$9', '$10', '$11'],
          `today WHERE NOT EXISTS (SELECT FROM ${tombstones} WHERE ${IS_TOMBSTONE})
          AND NOT EXISTS (SELECT FROM ${journal} WHERE ${KEY})`,
        )}
      ), written AS (
        INSERT INTO ${journal} (account, environment, family, reference, state, attempt, record, version,
                                created_at, updated_at, attempt_at, lease_until)
        SELECT $1, $2, $3, $4, $5, $6::integer, $7::json, ${nextOf(versions)}, now, now, now, now + ${milliseconds('$8')}
        FROM moment, counted
        ON CONFLICT (account, environment, family, reference) DO NOTHING
        RETURNING *
      ), found AS (
        SELECT * FROM written
        UNION ALL
        SELECT * FROM ${journal} WHERE ${KEY} AND NOT EXISTS (SELECT FROM written)
      ), met AS (
        SELECT CASE
          WHEN EXISTS (SELECT FROM written)
            THEN CASE WHEN EXISTS (SELECT FROM ${journal} WHERE ${KEY}) THEN 'instead' ELSE 'yes' END
          WHEN EXISTS (SELECT FROM found) THEN 'no'
          WHEN EXISTS (SELECT FROM counted) THEN 'counted'
          WHEN EXISTS (SELECT FROM ${tombstones} WHERE ${IS_TOMBSTONE}) THEN 'forgotten'
          ELSE 'reached'
        END AS inserted
      )
      SELECT inserted, (SELECT counted_on::text FROM counted) AS counted_on,
        CASE inserted WHEN 'reached' THEN ${dayOfCounter(dailyCounts)}::text END AS reached_on, ${STORED}
      FROM met LEFT JOIN found ON true
      WHERE inserted <> 'forgotten'`,

    /** Key, state, attempt, record, lease, version, `intentText`, cents, largest number, largest sum. */
    replace: `WITH ${MOMENT}, ${TODAY}, target AS (
        SELECT 1 AS one FROM ${journal} WHERE ${KEY} AND version = $9::bigint FOR UPDATE
      ), counted AS (
        ${count(dailyCounts, ['$11', '$12', '$13'], 'today, target WHERE true')}
      ), changed AS (
        UPDATE ${journal} AS entry SET state = $5, attempt = $6::integer, record = $7::json, version = ${nextOf(versions)},
          updated_at = now, lease_until = now + ${milliseconds('$8')},
          attempt_at = CASE WHEN attempt = $6::integer AND strpos(record::text, $10::text) > 0 THEN attempt_at ELSE now END
        FROM moment, counted WHERE ${KEY} AND version = $9::bigint
        RETURNING entry.*
      )
      SELECT CASE WHEN NOT EXISTS (SELECT FROM counted) THEN ${dayOfCounter(dailyCounts)}::text END AS reached_on, ${STORED}
      FROM target LEFT JOIN changed ON true`,

    /** Scope, day, cents. */
    giveBack: `WITH ${MOMENT}
      UPDATE ${dailyCounts} SET payments = greatest(payments - 1, 0), cents = greatest(cents - $5::numeric, 0)
      FROM moment WHERE ${SCOPE} AND day = $4::bigint`,
  };
}

/** Counts a payment for each row of `from`, if the day has room. */
function count(
  dailyCounts: string,
  [cents = '', maxCount = '', maxCents = '']: readonly string[],
  from: string,
): string {
  return `INSERT INTO ${dailyCounts} AS stored (account, environment, family, day, payments, cents)
        SELECT $1, $2, $3, today.day, 1, ${cents}::numeric FROM ${from}
          AND (${maxCents}::numeric IS NULL OR ${cents}::numeric <= ${maxCents}::numeric)
        ON CONFLICT (account, environment, family) DO UPDATE SET
          day = greatest(stored.day, excluded.day),
          payments = CASE WHEN excluded.day > stored.day THEN 1 ELSE stored.payments + 1 END,
          cents = CASE WHEN excluded.day > stored.day THEN excluded.cents ELSE stored.cents + excluded.cents END
        WHERE excluded.day > stored.day OR (
          (${maxCount}::numeric IS NULL OR stored.payments < ${maxCount}::numeric)
          AND (${maxCents}::numeric IS NULL OR stored.cents + excluded.cents <= ${maxCents}::numeric))
        RETURNING day AS counted_on`;
}

function dayOfCounter(dailyCounts: string): string {
  return `greatest((SELECT day FROM today), (SELECT day FROM ${dailyCounts} WHERE ${SCOPE}))`;
}
