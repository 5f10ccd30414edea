import {
  type ForgettablePayments,
  type PaymentTombstone,
  type StoredJournalRecord,
} from '../journal-store.js';
import { readRecord, type RecordColumns } from '../stored-record.js';
import { deleteBatch } from './delete-in-batches.js';
import { fromSqlText, epochText, milliseconds, MOMENT } from './sql-text.js';
import { nextOf, type TableNames } from './table-names.js';

/** One row of the statements below. */
type JournalRow = Readonly<Record<string, string | null>>;

/** Each condition has its own index. */
export const PURGE_CONDITIONS: Readonly<Record<ForgettablePayments, string>> = {
  settled: "state = 'settled'",
  rejected: "state = 'rejected'",
  'accepted-payouts': "state = 'accepted' AND family = 'disbursement'",
};

/** The first four parameters of every statement about one payment. */
const SCOPE = 'account = $1 AND environment = $2 AND family = $3';
const KEY = `${SCOPE} AND reference = $4`;

// The aliases differ from the column names, because ORDER BY would otherwise sort by these texts.
const STORED = `account, environment, family, reference, state, attempt::text AS attempt_text, record::text AS record_text,
   version::text AS version_text, id::text AS id_text,
  ${epochText('clock_timestamp()')} AS now_ms, ${epochText('created_at')} AS created_ms,
  ${epochText('updated_at')} AS updated_ms, ${epochText('attempt_at')} AS attempt_ms,
  ${epochText('lease_until')} AS lease_ms`;

/** The statements of the journal. Each comment lists the parameters. */
export interface JournalStatements {
  /**
   * Key, state, attempt, record, lease. `inserted` is `no` for an existing row, and `instead` if the new row replaced
   * one that existed when the statement began to look. No row: there is a tombstone, or another row was written since
   * then.
   */
  readonly insert: string;
  readonly get: string;
  /** Key. */
  readonly tombstone: string;
  /** Key, end, source of the outcome. */
  readonly endTombstone: string;
  /** Key, state, attempt, record, lease, version, `intentText`. */
  readonly replace: string;
  /** Key, version. */
  readonly remove: string;
  /** Scope, states to leave out, the two numbers of `pageStart`, limit. */
  readonly list: string;
  /** Account, environment, age. */
  readonly purge: Readonly<Record<ForgettablePayments | 'tombstones', string>>;
}

/** A hash of 16 bytes for a payment of an account. A family contains no space. */
function paymentHash(family: string, reference: string): string {
  return `substring(sha256(convert_to(${family} || ' ' || ${reference}, 'UTF8')) FOR 16)`;
}

export function journalStatements({ journal, tombstones, versions }: TableNames): JournalStatements {
  const isTombstone = `account = $1 AND environment = $2 AND payment = ${paymentHash('$3::text', '$4::text')}`;
  const tombstone = `FROM ${tombstones} WHERE ${isTombstone}`;
  return {
    insert: `WITH ${MOMENT}, written AS (
        INSERT INTO ${journal} (account, environment, family, reference, state, attempt, record, version,
                                created_at, updated_at, attempt_at, lease_until)
        SELECT $1, $2, $3, $4, $5, $6::integer, $7::json, ${nextOf(versions)}, now, now, now, now + ${milliseconds('$8')}
        FROM moment WHERE NOT EXISTS (SELECT ${tombstone})
        ON CONFLICT (account, environment, family, reference) DO NOTHING
        RETURNING *
      )
      SELECT CASE WHEN EXISTS (SELECT FROM ${journal} WHERE ${KEY}) THEN 'instead' ELSE 'yes' END AS inserted, ${STORED}
      FROM written
      UNION ALL
      SELECT 'no', ${STORED} FROM ${journal} WHERE ${KEY} AND NOT EXISTS (SELECT FROM written)`,

    get: `SELECT ${STORED} FROM ${journal} WHERE ${KEY}`,

    tombstone: `SELECT attempt::text, ended, settled_by ${tombstone}`,

    endTombstone: `WITH ${MOMENT}
      UPDATE ${tombstones} SET ended = $5, settled_by = $6, left_at = now FROM moment WHERE ${isTombstone}`,

    replace: `WITH ${MOMENT}
      UPDATE ${journal} SET state = $5, attempt = $6::integer, record = $7::json, version = ${nextOf(versions)},
        updated_at = now, lease_until = now + ${milliseconds('$8')},
        attempt_at = CASE WHEN attempt = $6::integer AND strpos(record::text, $10::text) > 0 THEN attempt_at ELSE now END
      FROM moment WHERE ${KEY} AND version = $9::bigint
      RETURNING ${STORED}`,

    remove: `WITH ${MOMENT} DELETE FROM ${journal} USING moment WHERE ${KEY} AND version = $5::bigint`,

    // Finds each existing state by one step in the index, then a page of each in index order.
    list: `WITH RECURSIVE states AS (
        SELECT min(state) AS name FROM ${journal} WHERE ${SCOPE}
        UNION ALL
        SELECT (SELECT min(state) FROM ${journal} WHERE ${SCOPE} AND state > states.name)
        FROM states WHERE name IS NOT NULL
      )
      SELECT ${STORED} FROM states, LATERAL (
        SELECT * FROM ${journal}
        WHERE ${SCOPE} AND state = states.name
          AND (created_at, id) > (timestamptz 'epoch' + ${milliseconds('$5')}, $6::bigint)
        ORDER BY created_at, id LIMIT $7::integer
      ) AS page
      WHERE states.name <> ALL ($4::text[])
      ORDER BY created_at, id LIMIT $7::integer`,

    purge: {
      settled: forgetBatch(journal, tombstones, PURGE_CONDITIONS.settled),
      rejected: forgetBatch(journal, tombstones, PURGE_CONDITIONS.rejected),
      'accepted-payouts': forgetBatch(journal, tombstones, PURGE_CONDITIONS['accepted-payouts']),
      tombstones: deleteBatch(tombstones, 'true', 'left_at'),
    },
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

export function storedTombstone(row: JournalRow): PaymentTombstone {
  const settledBy = row['settled_by'];
  return {
    attempt: Number(row['attempt']),
    end: row['ended'] as PaymentTombstone['end'],
    ...(settledBy !== null && { settledBy: settledBy as PaymentTombstone['settledBy'] }),
  };
}

export function storedRecord(row: JournalRow): StoredJournalRecord {
  const now = Number(row['now_ms']);
  const updatedAt = Number(row['updated_ms']);
  const { record, damaged } = readRecord(row['record_text'] ?? '', columnsOf(row));
  // One literal: a spread would take three times as long, and a list may have a million rows.
  const stored: StoredJournalRecord = {
    record,
    version: Number(row['version_text']),
    createdAt: Number(row['created_ms']),
    updatedAt,
    ageMs: now - Number(row['attempt_ms']),
    idleMs: now - updatedAt,
    leaseLeftMs: Math.max(0, Number(row['lease_ms']) - now),
  };
  return damaged === undefined ? stored : { ...stored, damaged };
}

function columnsOf(row: JournalRow): RecordColumns {
  return {
    account: row['account'] ?? '',
    environment: row['environment'] as RecordColumns['environment'],
    family: row['family'] as RecordColumns['family'],
    reference: fromSqlText(row['reference'] ?? ''),
    state: row['state'] as RecordColumns['state'],
    attempt: Number(row['attempt_text']),
  };
}

/** The cursor of the page after this row. */
export function cursorAfter(row: JournalRow): string {
  return `${row['created_ms'] ?? ''}.${row['id_text'] ?? ''}`;
}

/** The creation time in milliseconds and the id after which a page begins. */
export function pageStart(cursor = '0.0'): readonly [string, string] {
  const [createdAt = '', id = ''] = cursor.split('.');
  return [createdAt, id];
}
