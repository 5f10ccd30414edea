import { type JournalRecord, type StoredJournalRecord } from 'nestjs-payments';
import { journalRecord } from './journal-contract.js';

/** A record as a store would hand it out. */
export function storedRecord(
  change: Partial<JournalRecord> = {},
  around: Partial<Omit<StoredJournalRecord, 'record'>> = {},
): StoredJournalRecord {
  return {
    record: journalRecord('order-1', change),
    version: 1,
    createdAt: 1_800_000_000_000,
    updatedAt: 1_800_000_000_000,
    ageMs: 0,
    idleMs: 0,
    leaseLeftMs: 0,
    ...around,
  };
}
