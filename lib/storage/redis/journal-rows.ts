import {
  type JournalInsertion,
  type JournalKey,
  type JournalRecord,
  type PaymentTombstone,
  type StoredJournalRecord,
} from '../journal-store.js';
import { type JournalState } from '../../common/vocabulary.js';
import { leaseLeftMs } from '../../common/timing.js';
import { intentText, readRecord } from '../stored-record.js';
import { referenceField } from './redis-keys.js';

/** The arguments of a script that writes a record. A lease may have fractions of a millisecond. */
export function scriptArguments(record: JournalRecord, leaseMs: number): readonly string[] {
  const { reference, attempt, state } = record;
  const lease = String(Math.ceil(leaseMs));
  return [referenceField(reference), String(attempt), state, lease, JSON.stringify(record)];
}

export function replaceArguments(version: number, record: JournalRecord, leaseMs: number): readonly string[] {
  return [...scriptArguments(record, leaseMs), String(version), intentText(record)];
}

/** What the scripts answer that insert a payment. */
export function readInsertion(reply: unknown, record: JournalRecord): JournalInsertion {
  const [said = '', now, row] = reply as readonly string[];
  if (row === undefined) return { inserted: false, tombstone: readTombstone(said) };
  return { inserted: said === '1', stored: readRow(row, Number(now), keyOf(record)) };
}

export function storedIn(reply: unknown, key: JournalKey): StoredJournalRecord | undefined {
  if (reply === null) return undefined;
  const [now, row = ''] = reply as readonly string[];
  return readRow(row, Number(now), keyOf(key));
}

/** Picks the key from a possible whole record. */
export function keyOf({ account, environment, family, reference }: JournalKey): JournalKey {
  return { account, environment, family, reference };
}

const ROW = /^(\d+) (\d+) (\d+) (\d+) (\d+) \d+ (\d+) (\S+) (.*)$/s;

/**
 * Parses a row of the journal (`journal-scripts.ts` describes the format).
 *
 * @param now The server's time when the row was read.
 */
export function readRow(row: string, now: number, key: JournalKey): StoredJournalRecord {
  const [, version, created, updated, attemptAt, leaseUntil, attempt, state, json] = ROW.exec(row) ?? [];
  if (version === undefined) return unreadableRow(key);
  const updatedAt = Number(updated);
  // Node 20 gives a new shape to each object that gets properties after a spread.
  const columns = { state: state as JournalState, attempt: Number(attempt), ...key };
  const { record, damaged } = readRecord(json ?? '', columns);
  const stored: StoredJournalRecord = {
    record,
    version: Number(version),
    createdAt: Number(created),
    updatedAt,
    ageMs: now - Number(attemptAt),
    idleMs: now - updatedAt,
    leaseLeftMs: leaseLeftMs(now, updatedAt, Number(leaseUntil)),
  };
  return damaged === undefined ? stored : { ...stored, damaged };
}

/** A row of which only the key is known. Its version is 0: the end of the payment overwrites it, once. */
function unreadableRow(key: JournalKey): StoredJournalRecord {
  const times = { createdAt: 0, updatedAt: 0, ageMs: 0, idleMs: 0, leaseLeftMs: 0 };
  const { record } = readRecord('', { ...key, state: 'unknown', attempt: 1 });
  return { record, version: 0, ...times, damaged: 'Redis holds something else in its place' };
}

/** Parses a tombstone (`journal-scripts.ts` describes the format). */
export function readTombstone(text: string): PaymentTombstone {
  const [attempt, end, settledBy] = text.split(' ');
  const by = settledBy === '-' ? {} : { settledBy: settledBy as PaymentTombstone['settledBy'] };
  return { attempt: Number(attempt), end: end as PaymentTombstone['end'], ...by };
}
