import { type PaymentTombstone, type StoredJournalRecord } from '../journal-store.js';
import { leaseLeftMs } from '../../common/timing.js';
import { readRecord, type RecordColumns } from '../stored-record.js';
import { type SqlRow } from './sql-database.js';
import { type PageStart } from './sql-statements.js';
import { fromSqlText } from './sql-text.js';

export function storedTombstone(row: SqlRow): PaymentTombstone {
  const settledBy = row['settled_by'];
  return {
    attempt: Number(row['attempt']),
    end: row['ended'] as PaymentTombstone['end'],
    ...(settledBy !== null && { settledBy: settledBy as PaymentTombstone['settledBy'] }),
  };
}

export function storedRecord(row: SqlRow): StoredJournalRecord {
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
    leaseLeftMs: leaseLeftMs(now, updatedAt, Number(row['lease_ms'])),
  };
  return damaged === undefined ? stored : { ...stored, damaged };
}

function columnsOf(row: SqlRow): RecordColumns {
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
export function cursorAfter(row: SqlRow): string {
  return `${row['created_ms'] ?? ''}.${row['id_text'] ?? ''}`;
}

/**
 * The creation time in milliseconds and the id after which a page begins.
 *
 * @param from The earliest creation time of the list.
 */
export function pageStart(cursor = '0.0', from = 0): PageStart {
  const [createdAt = '', id = ''] = cursor.split('.');
  // Ids begin with 1.
  return Number(createdAt) < from ? { createdAt: String(from), id: '0' } : { createdAt, id };
}
