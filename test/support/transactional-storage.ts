import {
  type InboxClaim,
  type JournalRecord,
  type JournalStore,
  memoryStorage,
  type PaymentsStorage,
  type StoredJournalRecord,
} from 'nestjs-payments';

/** A storage in memory whose claims are transactions, and what their ends did. */
export interface TransactionalStorage extends PaymentsStorage {
  readonly ends: readonly ('commit' | 'rollback')[];
  /** Called before every commit. */
  beforeCommit: () => unknown;
  /** Called in the middle of every commit, when nothing can be undone any more. */
  onCommit: () => void;
}

export function transactionalStorage(): TransactionalStorage {
  const memory = memoryStorage();
  const ends: ('commit' | 'rollback')[] = [];
  const storage: TransactionalStorage = {
    ...memory,
    name: 'transactional',
    ends,
    beforeCommit: () => undefined,
    onCommit: () => undefined,
    inbox: Object.assign(Object.create(memory.inbox) as typeof memory.inbox, {
      claim: async (...args: Parameters<typeof memory.inbox.claim>) => {
        const result = await memory.inbox.claim(...args);
        return result.result === 'claimed' ? { ...result, claim: inTransaction(result.claim) } : result;
      },
    }),
  };
  const inTransaction = (claim: InboxClaim): InboxClaim => {
    const { journal, commit } = staged(memory.journal);
    return {
      ...claim,
      transaction: { isTransaction: true },
      journal,
      mark: () => Promise.reject(new Error('a transaction has nothing to remember')),
      finish: async () => {
        ends.push('commit');
        await storage.beforeCommit();
        await commit();
        storage.onCommit();
        return claim.finish();
      },
      fail: () => {
        ends.push('rollback');
        return claim.fail();
      },
      withdraw: () => {
        ends.push('rollback');
        return claim.withdraw();
      },
    };
  };
  return storage;
}

/** A journal whose changes are seen by nobody else before they are committed. */
function staged(journal: JournalStore): { readonly journal: JournalStore; commit(): Promise<void> } {
  const changes: [number, JournalRecord, number][] = [];
  const replace = async (
    version: number,
    record: JournalRecord,
    leaseMs: number,
  ): Promise<StoredJournalRecord | undefined> => {
    const existing = await journal.get(record);
    if (existing?.version !== version) return undefined;
    changes.push([version, record, leaseMs]);
    return { ...existing, record };
  };
  return {
    journal: Object.assign(Object.create(journal) as JournalStore, { replace }),
    commit: async () => {
      for (const change of changes) await journal.replace(...change);
    },
  };
}
