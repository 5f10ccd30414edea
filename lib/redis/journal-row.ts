import {
  type JournalKey,
  type JournalState,
  type PaymentTombstone,
  type StoredJournalRecord,
} from '../common/journal-port.js';
import { readRecord } from '../storage/read-record.js';

const ROW = /^(\d+) (\d+) (\d+) (\d+) (\d+) \d+ (\d+) (\S+) (.*)$/s;

/**
 * Reads a row of the journal (`journal-scripts.ts` says what stands in it).
 *
 * @param now The server's time when the row was read.
 */
export function readRow(row: string, now: number, key: JournalKey): StoredJournalRecord {
  const [, version, created, updated, attemptAt, leaseUntil, attempt, state, json] = ROW.exec(row) ?? [];
  if (version === undefined) return unreadableRow(key);
  const updatedAt = Number(updated);
  const columns = { ...key, state: state as JournalState, attempt: Number(attempt) };
  const { record, damaged } = readRecord(json ?? '', columns);
  const stored: StoredJournalRecord = {
    record,
    version: Number(version),
    createdAt: Number(created),
    updatedAt,
    ageMs: now - Number(attemptAt),
    idleMs: now - updatedAt,
    leaseLeftMs: Math.max(0, Number(leaseUntil) - now),
  };
  return damaged === undefined ? stored : { ...stored, damaged };
}

/** Nothing but the key is known. Its version is 0: whoever ends the payment writes over it, once. */
function unreadableRow(key: JournalKey): StoredJournalRecord {
  const times = { createdAt: 0, updatedAt: 0, ageMs: 0, idleMs: 0, leaseLeftMs: 0 };
  const { record } = readRecord('', { ...key, state: 'unknown', attempt: 1 });
  return { record, version: 0, ...times, damaged: 'Redis holds something else in its place' };
}

/** Reads a tombstone (`journal-scripts.ts` says what stands in it). */
export function readTombstone(text: string): PaymentTombstone {
  const [attempt, end, settledBy] = text.split(' ');
  const by = settledBy === '-' ? {} : { settledBy: settledBy as PaymentTombstone['settledBy'] };
  return { attempt: Number(attempt), end: end as PaymentTombstone['end'], ...by };
}
