import { type JournalRecord, type StoredJournalRecord } from '../common/journal-port.js';
import { PaymentsStorageError } from '../errors/payments-storage.error.js';

/** A payment as it came from Redis, with its place in the lists. */
export interface JournalRow {
  readonly sequence: string;
  readonly stored: StoredJournalRecord;
}

const ROW = /^(\d+) (\d+) (\d+) (\d+) (\d+) (\d+) \d+ \S+ (.*)$/s;

/**
 * Reads a row of the journal (`journal-scripts.ts` says what stands in it).
 *
 * @param now The server's time when the row was read.
 */
export function readRow(row: string, now: number): JournalRow {
  const [, version, created, updated, attemptAt, leaseUntil, sequence = '', json = ''] = ROW.exec(row) ?? [];
  if (version === undefined) {
    throw new PaymentsStorageError('Redis holds something else where a payment of the journal was expected.');
  }
  const updatedAt = Number(updated);
  return {
    sequence,
    stored: {
      record: JSON.parse(json) as JournalRecord,
      version: Number(version),
      createdAt: Number(created),
      updatedAt,
      ageMs: now - Number(attemptAt),
      idleMs: now - updatedAt,
      leaseLeftMs: Math.max(0, Number(leaseUntil) - now),
    },
  };
}
