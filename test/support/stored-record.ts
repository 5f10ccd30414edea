import { type JournalRecord, type StoredJournalRecord } from 'nestjs-payments';
import { journalRecord } from './journal-contract.js';

/** What a process with the option `encryption` has written, as one without it reads it. */
export const SEALED = 'sealed:1:2026-11:c2FsdCwgbm9uY2UsIHRleHQgYW5kIHRhZw';
/** Why a process without it cannot read that. */
export const SEALED_PROBLEM = 'it is sealed, and the account has no option encryption';

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
