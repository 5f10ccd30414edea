import {
  type ForgettablePayments,
  type JournalRecord,
  type StoredJournalRecord,
} from '../common/journal-port.js';
import { deleteBatch } from './delete-in-batches.js';
import { epochText, milliseconds, MOMENT } from './sql-time.js';
import { nextOf, type TableNames } from './table-names.js';

/** One row as the statements below give it. */
type JournalRow = Readonly<Record<string, string | null>>;

/** Each has an index of its own. */
export const FORGETTABLE: Readonly<Record<ForgettablePayments, string>> = {
  settled: "state = 'settled'",
  rejected: "state = 'rejected'",
  'accepted-payouts': "state = 'accepted' AND family = 'disbursement'",
};

/** The first four parameters of every statement about one payment. */
const KEY = 'account = $1 AND environment = $2 AND family = $3 AND reference = $4';

// The names differ from those of the columns, which ORDER BY would otherwise take for the texts.
const STORED = `record::text AS record_text, version::text AS version_text, id::text AS id_text,
  ${epochText('clock_timestamp()')} AS now_ms, ${epochText('created_at')} AS created_ms,
  ${epochText('updated_at')} AS updated_ms, ${epochText('attempt_at')} AS attempt_ms,
  ${epochText('lease_until')} AS lease_ms`;

/** What the journal asks of PostgreSQL. */
export interface JournalStatements {
  /** Key, state, attempt, record, lease. No row: another one was written since the statement began to look. */
  readonly insert: string;
  readonly get: string;
  /** Key, state, attempt, record, lease, version. */
  readonly replace: string;
  /** Key, version. */
  readonly remove: string;
  /** Scope, state, the two numbers of `pageStart`, limit. */
  readonly list: string;
  /** Account, environment, age. */
  readonly purge: Readonly<Record<ForgettablePayments, string>>;
}

export function journalStatements({ journal, versions }: TableNames): JournalStatements {
  return {
    insert: `WITH ${MOMENT}, written AS (
        INSERT INTO ${journal} (account, environment, family, reference, state, attempt, record, version,
                                created_at, updated_at, attempt_at, lease_until)
        SELECT $1, $2, $3, $4, $5, $6::integer, $7::json, ${nextOf(versions)}, now, now, now, now + ${milliseconds('$8')}
        FROM moment
        ON CONFLICT (account, environment, family, reference) DO NOTHING
        RETURNING *
      )
      SELECT 'true' AS inserted, ${STORED} FROM written
      UNION ALL
      SELECT 'false', ${STORED} FROM ${journal} WHERE ${KEY} AND NOT EXISTS (SELECT FROM written)`,

    get: `SELECT ${STORED} FROM ${journal} WHERE ${KEY}`,

    replace: `WITH ${MOMENT}
      UPDATE ${journal} SET state = $5, attempt = $6::integer, record = $7::json, version = ${nextOf(versions)},
        updated_at = now, lease_until = now + ${milliseconds('$8')},
        attempt_at = CASE WHEN attempt = $6::integer THEN attempt_at ELSE now END
      FROM moment WHERE ${KEY} AND version = $9::bigint
      RETURNING ${STORED}`,

    remove: `WITH ${MOMENT} DELETE FROM ${journal} USING moment WHERE ${KEY} AND version = $5::bigint`,

    list: `SELECT ${STORED} FROM ${journal}
      WHERE account = $1 AND environment = $2 AND family = $3 AND state = $4
        AND (created_at, id) > (timestamptz 'epoch' + ${milliseconds('$5')}, $6::bigint)
      ORDER BY created_at, id LIMIT $7::integer`,

    purge: {
      settled: deleteBatch(journal, FORGETTABLE.settled, 'updated_at'),
      rejected: deleteBatch(journal, FORGETTABLE.rejected, 'updated_at'),
      'accepted-payouts': deleteBatch(journal, FORGETTABLE['accepted-payouts'], 'updated_at'),
    },
  };
}

export function storedRecord(row: JournalRow): StoredJournalRecord {
  const now = Number(row['now_ms']);
  const createdAt = Number(row['created_ms']);
  const updatedAt = Number(row['updated_ms']);
  return {
    record: JSON.parse(row['record_text'] ?? '') as JournalRecord,
    version: Number(row['version_text']),
    createdAt,
    updatedAt,
    ageMs: now - Number(row['attempt_ms']),
    idleMs: now - updatedAt,
    leaseLeftMs: Math.max(0, Number(row['lease_ms']) - now),
  };
}

/** Where the page after this row begins. */
export function cursorAfter(row: JournalRow): string {
  return `${row['created_ms'] ?? ''}.${row['id_text'] ?? ''}`;
}

/** Creation time in milliseconds and id that the rows of a page come after. */
export function pageStart(cursor = '0.0'): readonly [string, string] {
  const [createdAt = '', id = ''] = cursor.split('.');
  return [createdAt, id];
}
