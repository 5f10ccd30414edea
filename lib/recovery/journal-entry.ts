import { type JournalEntry, type StoredJournalRecord } from '../common/journal-port.js';

/** What an application sees of a record: neither the request nor the answer, which hold personal data. */
export function journalEntry({ record, createdAt, updatedAt, damaged }: StoredJournalRecord): JournalEntry {
  const { account, family, operation, reference, amount, attempt, idempotencyKey, state } = record;
  return {
    account,
    family,
    operation,
    reference,
    amount,
    attempt,
    idempotencyKey,
    state,
    ...(record.outcome !== undefined && { outcome: record.outcome }),
    ...(record.evidence !== undefined && { evidence: record.evidence }),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    ...(damaged !== undefined && { damaged }),
  };
}
