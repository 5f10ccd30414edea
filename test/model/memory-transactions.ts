import {
  type JournalInTransaction,
  type JournalRecord,
  type JournalStore,
  type PaymentsStorage,
} from 'nestjs-payments';
import { type ApplicationTransaction } from 'nestjs-payments/testing';

/** A storage in memory beside which the application has transactions. */
export interface TransactionalMemory {
  readonly storage: PaymentsStorage;
  begin(): ApplicationTransaction;
}

/** What one transaction writes into the journal when it is committed. */
class MemoryTransaction implements JournalInTransaction {
  private readonly inserted = new Map<string, JournalRecord>();
  private readonly writes: (() => Promise<boolean>)[] = [];

  constructor(private readonly journal: JournalStore) {}

  async insert(record: JournalRecord, leaseMs: number): ReturnType<JournalStore['insert']> {
    const id = `${record.family} ${record.reference}`;
    const own = this.inserted.get(id);
    if (own) return { inserted: false, stored: unwritten(own) };
    const stored = await this.journal.get(record);
    if (stored) return { inserted: false, stored };
    const tombstone = await this.journal.tombstone(record);
    if (tombstone) return { inserted: false, tombstone };
    this.inserted.set(id, record);
    this.writes.push(async () => (await this.journal.insert(record, leaseMs)).inserted);
    return { inserted: true, stored: unwritten(record) };
  }

  async replace(
    version: number,
    record: JournalRecord,
    leaseMs: number,
  ): ReturnType<JournalStore['replace']> {
    if ((await this.journal.get(record))?.version !== version) return undefined;
    this.inserted.set(`${record.family} ${record.reference}`, record);
    this.writes.push(async () => (await this.journal.replace(version, record, leaseMs)) !== undefined);
    return unwritten(record);
  }

  async commit(): Promise<void> {
    for (const write of this.writes)
      if (!(await write())) throw new Error('the transaction was not committed');
  }
}

/** Adds transactions to a storage in memory. */
export function withTransactions(storage: PaymentsStorage): TransactionalMemory {
  const { journal } = storage;
  const within = (transaction: unknown): Promise<JournalInTransaction> =>
    Promise.resolve(transaction as MemoryTransaction);
  const joined = new Proxy(journal, {
    get: (target, name) => {
      const member: unknown = name === 'within' ? within : Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  return {
    storage: { ...storage, journal: joined },
    begin: () => {
      const handle = new MemoryTransaction(journal);
      return { handle, commit: () => handle.commit(), rollback: () => undefined };
    },
  };
}

function unwritten(record: JournalRecord): NonNullable<Awaited<ReturnType<JournalStore['get']>>> {
  return { record, version: -1, createdAt: 0, updatedAt: 0, ageMs: 0, idleMs: 0, leaseLeftMs: 0 };
}
