import {
  type JournalInsertion,
  type JournalRecord,
  type JournalScope,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { type JournalState } from '../../common/vocabulary.js';
import { type ContractExpect } from './contract-framework.js';

/**
 * A journal under test, with a clock that the tests can move.
 *
 * @publicApi
 */
export interface JournalUnderTest {
  /** Empty. */
  readonly journal: JournalStore;
  /** Lets time pass for the store, in milliseconds. A number below 0 turns its clock back. */
  readonly pass: (ms: number) => Promise<void> | void;
}

/** What a test of a journal gets. */
export interface JournalTest extends JournalUnderTest {
  readonly expect: ContractExpect;
  readonly insert: (record: JournalRecord, leaseMs?: number) => Promise<StoredJournalRecord>;
  readonly storedEntry: (reference: string) => Promise<StoredJournalRecord | undefined>;
}

export const JOURNAL_SCOPE: JournalScope = {
  account: 'default',
  environment: 'sandbox',
  family: 'collection',
};
export const LEASE_MS = 90_000;

export const JOURNAL_STATES: readonly JournalState[] = [
  'planned',
  'in-flight',
  'accepted',
  'rejected',
  'unknown',
  'settled',
];

export function journalTest(expect: ContractExpect, { journal, pass }: JournalUnderTest): JournalTest {
  return {
    expect,
    journal,
    pass,
    insert: async (record, leaseMs = LEASE_MS) => storedBy(await journal.insert(record, leaseMs)),
    storedEntry: (reference) => journal.get(journalRecord(reference)),
  };
}

export function journalRecord(reference: string, change: Partial<JournalRecord> = {}): JournalRecord {
  return {
    ...JOURNAL_SCOPE,
    reference,
    operation: 'collection.mobile-money',
    amount: '1180.50',
    currency: 'TZS',
    attempt: 1,
    idempotencyKey: '0c5a1f6e-7d0b-5e57-8f5c-7a3f0d3f9b11',
    intent: 'a-call',
    bodyHash: '1:abc',
    state: 'in-flight',
    probe: 'after-silence',
    sent: true,
    body: '{"reference":"…"}',
    ...change,
  };
}

/** The record after an insertion that no tombstone stopped. */
export function storedBy({ stored }: JournalInsertion): StoredJournalRecord {
  if (!stored) throw new Error('The journal has forgotten this payment.');
  return stored;
}

/** What `list` is to leave out, so that it gives the payments in these states, and those in states that nobody knows. */
export function allBut(...states: readonly JournalState[]): readonly JournalState[] {
  return JOURNAL_STATES.filter((state) => !states.includes(state));
}
