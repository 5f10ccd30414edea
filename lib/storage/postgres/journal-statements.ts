import { type ForgettablePayments } from '../journal-store.js';
import { intentText } from '../stored-record.js';
import { brief, change, type SqlRow, statement } from '../sql/sql-database.js';
import { type JournalStatements } from '../sql/sql-statements.js';
import { journalKeyValues } from '../sql/sql-text.js';
import { accountsOf } from './account-statements.js';
import { deleteBatch } from './delete-batch.js';
import { epochText, milliseconds, MOMENT, MOMENT_ALONE, timelyMoment } from './postgres-text.js';
import { isJoined } from './joined-token.js';
import { LISTED, LISTED_TOMBSTONE } from './index-conditions.js';
import { nextOf, type TableNames } from './table-names.js';

/** Each condition has its own index. */
export const PURGE_CONDITIONS: Readonly<Record<ForgettablePayments, string>> = {
  settled: "state = 'settled'",
  rejected: "state = 'rejected'",
  'accepted-payouts': "state = 'accepted' AND family = 'disbursement'",
};

/** The first four parameters of every statement about one payment. */
export const SCOPE = 'account = $1 AND environment = $2 AND family = $3';
export const KEY = `${SCOPE} AND reference = $4`;

// The aliases differ from the column names, because ORDER BY would otherwise sort by these texts.
export const STORED = `account, environment, family, reference, state, attempt::text AS attempt_text, record::text AS record_text,
   version::text AS version_text, id::text AS id_text,
  ${epochText('clock_timestamp()')} AS now_ms, ${epochText('created_at')} AS created_ms,
  ${epochText('updated_at')} AS updated_ms, ${epochText('attempt_at')} AS attempt_ms,
  ${epochText('lease_until')} AS lease_ms`;

/** A hash of 16 bytes for a payment of an account. A family contains no space. */
function paymentHash(family: string, reference: string): string {
  return `substring(sha256(convert_to(${family} || ' ' || ${reference}, 'UTF8')) FOR 16)`;
}

/** Whether a tombstone is that of the payment in the first four parameters. */
const IS_TOMBSTONE = `account = $1 AND environment = $2 AND payment = ${paymentHash('$3::text', '$4::text')}`;

/** The operations of the journal in PostgreSQL: one statement each. */
export function journalStatements(names: TableNames): JournalStatements {
  return statementsOf(
    journalTexts(names, { moment: MOMENT, timely: timelyMoment }, () => 'true'),
    [],
  );
}

/**
 * The same in a transaction of the application, which keeps its own lock timeout and durability. Each writing
 * statement checks by itself that the joined transaction is still open: a ROLLBACK could come between two statements.
 */
export function joinedJournalStatements(names: TableNames): (token: string) => JournalStatements {
  const texts = journalTexts(names, { moment: MOMENT_ALONE, timely: () => MOMENT_ALONE }, isJoined);
  return (token) => statementsOf(texts, [token]);
}

/** @param more Further parameters of what writes. */
function statementsOf(texts: ReturnType<typeof journalTexts>, more: readonly string[]): JournalStatements {
  return {
    insert: (record, leaseMs) => {
      const { state, attempt } = record;
      const values = [...journalKeyValues(record), state, attempt, JSON.stringify(record), leaseMs, ...more];
      return {
        ...brief(statement(texts.insert, values)),
        // The caller was told that nothing is sent, and recovery would find a payment that may have been.
        undoLate: ({ rows: [late] }) =>
          late && isOwnRow(late)
            ? change(texts.remove, [...journalKeyValues(record), late['version_text']])
            : undefined,
      };
    },
    get: (key) => brief(statement(texts.get, journalKeyValues(key))),
    tombstone: (key) => brief(statement(texts.tombstone, journalKeyValues(key))),
    endTombstone: (key, { end, settledBy }) =>
      brief(change(texts.endTombstone, [...journalKeyValues(key), end, settledBy])),
    replace: (version, record, leaseMs) => {
      const { state, attempt } = record;
      const json = JSON.stringify(record);
      const values = [
        ...journalKeyValues(record),
        state,
        attempt,
        json,
        leaseMs,
        version,
        intentText(record),
        ...more,
      ];
      return brief(statement(texts.replace, values));
    },
    remove: (key, version) => brief(change(texts.remove, [...journalKeyValues(key), version])),
    list: ({ account, environment, family }, except, { createdAt, id }, limit) =>
      statement(texts.list, [account, environment, family, except, createdAt, id, limit]),
    purge: ({ account, environment }, what, olderThanMs) =>
      change(texts.purge[what], [account, environment, olderThanMs]),
    accounts: texts.accounts,
  };
}

/** Whether an insert gave the row that it wrote, and not one that was there. */
export function isOwnRow({ inserted }: SqlRow): boolean {
  return inserted === 'yes' || inserted === 'instead';
}

/** The statements. Only `mayWrite` uses a token. Each comment lists the parameters. */
function journalTexts(
  { journal, tombstones, versions }: TableNames,
  { moment, timely }: { readonly moment: string; readonly timely: typeof timelyMoment },
  mayWrite: (parameter: string) => string,
) {
  const tombstone = `FROM ${tombstones} WHERE ${IS_TOMBSTONE}`;
  return {
    /** Key, state, attempt, record, lease, token. */
    insert: `WITH ${timely()}, written AS (
        INSERT INTO ${journal} (account, environment, family, reference, state, attempt, record, version,
                                created_at, updated_at, attempt_at, lease_until)
        SELECT $1, $2, $3, $4, $5, $6::integer, $7::json, ${nextOf(versions)}, now, now, now, now + ${milliseconds('$8')}
        FROM moment WHERE ${mayWrite('$9')} AND NOT EXISTS (SELECT ${tombstone})
        ON CONFLICT (account, environment, family, reference) DO NOTHING
        RETURNING *
      )
      SELECT CASE WHEN EXISTS (SELECT FROM ${journal} WHERE ${KEY}) THEN 'instead' ELSE 'yes' END AS inserted, ${STORED}
      FROM written
      UNION ALL
      SELECT 'no', ${STORED} FROM ${journal} WHERE ${KEY} AND NOT EXISTS (SELECT FROM written)`,

    /** Key. */
    get: `SELECT ${STORED} FROM ${journal} WHERE ${KEY}`,

    /** Key. */
    tombstone: `SELECT attempt::text, ended, settled_by ${tombstone}`,

    /** Key, end, source of the outcome. */
    endTombstone: `WITH ${moment}
      UPDATE ${tombstones} SET ended = $5, settled_by = $6, left_at = now FROM moment WHERE ${IS_TOMBSTONE}`,

    /** Key, state, attempt, record, lease, version, `intentText`, token. How an attempt ended is written however late. */
    replace: `WITH ${timely("$5::text = 'in-flight'")}
      UPDATE ${journal} SET state = $5, attempt = $6::integer, record = $7::json, version = ${nextOf(versions)},
        updated_at = now, lease_until = now + ${milliseconds('$8')},
        attempt_at = CASE WHEN attempt = $6::integer AND strpos(record::text, $10::text) > 0 THEN attempt_at ELSE now END
      FROM moment WHERE ${KEY} AND version = $9::bigint AND ${mayWrite('$11')}
      RETURNING ${STORED}`,

    /** Key, version. */
    remove: `WITH ${moment} DELETE FROM ${journal} USING moment WHERE ${KEY} AND version = $5::bigint`,

    /**
     * Scope, states to leave out, creation time and id before the page, limit. Finds each existing state by one step in
     * the index, then a page of each in index order.
     */
    list: `WITH RECURSIVE states AS (
        SELECT min(state) AS name FROM ${journal} WHERE ${SCOPE} AND ${LISTED}
        UNION ALL
        SELECT (SELECT min(state) FROM ${journal} WHERE ${SCOPE} AND ${LISTED} AND state > states.name)
        FROM states WHERE name IS NOT NULL
      )
      SELECT ${STORED} FROM states, LATERAL (
        SELECT * FROM ${journal}
        WHERE ${SCOPE} AND ${LISTED} AND state = states.name
          AND (created_at, id) > (timestamptz 'epoch' + ${milliseconds('$5')}, $6::bigint)
        ORDER BY created_at, id LIMIT $7::integer
      ) AS page
      WHERE states.name <> ALL ($4::text[])
      ORDER BY created_at, id LIMIT $7::integer`,

    /** Account, environment, age. */
    purge: {
      settled: forgetBatch(journal, tombstones, PURGE_CONDITIONS.settled),
      rejected: forgetBatch(journal, tombstones, PURGE_CONDITIONS.rejected),
      'accepted-payouts': forgetBatch(journal, tombstones, PURGE_CONDITIONS['accepted-payouts']),
      tombstones: deleteBatch(tombstones, LISTED_TOMBSTONE, 'left_at'),
    },

    accounts: accountsOf([journal, tombstones]),
  };
}

/**
 * Deletes a batch and leaves its tombstones, in one statement.
 *
 * Searches the record's text instead of parsing it: PostgreSQL fails at texts that JSON allows (U+0000). A
 * quotation mark without a preceding backslash ends a name or a value, so no text within a value can match.
 */
function forgetBatch(journal: string, tombstones: string, condition: string): string {
  const field = (name: string): string => `substring(record::text FROM '"${name}":"([a-z]+)"')`;
  return `${deleteBatch(journal, condition, 'updated_at', 'gone')}
    INSERT INTO ${tombstones} (account, environment, payment, attempt, ended, settled_by, left_at)
    SELECT account, environment, ${paymentHash('family', 'reference')}, attempt,
      coalesce(${field('outcome')}, CASE
        WHEN state <> 'rejected' THEN 'accepted'
        WHEN strpos(record::text, '"keepsKey":true') > 0 THEN 'unlisted-refusal'
        ELSE state
      END), ${field('settledBy')}, now
    FROM gone, moment
    ON CONFLICT (account, environment, payment) DO UPDATE SET attempt = excluded.attempt, ended = excluded.ended,
      settled_by = excluded.settled_by, left_at = excluded.left_at`;
}
