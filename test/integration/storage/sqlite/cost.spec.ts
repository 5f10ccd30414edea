import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../../support/sqlite-file.js';

const LEASE_MS = 60_000;

type Methods<Name extends string> = Readonly<Record<Name, (...values: unknown[]) => unknown>>;

interface SqliteClasses {
  readonly StatementSync: { readonly prototype: Methods<'all' | 'run'> };
  readonly DatabaseSync: { readonly prototype: Methods<'exec'> };
}

/** What an operation asked of SQLite. */
interface Cost {
  readonly statements: number;
  /** How often it waited for the disk. */
  readonly commits: number;
}

describeWithSqlite('what sqliteStorage() asks of SQLite', () => {
  let file: SqliteTestFile;
  /** What was asked since the last call. */
  let cost: () => Cost;

  beforeEach(() => {
    const { StatementSync, DatabaseSync } = process.getBuiltinModule(
      'node:sqlite',
    ) as unknown as SqliteClasses;
    const all = vi.spyOn(StatementSync.prototype, 'all');
    const run = vi.spyOn(StatementSync.prototype, 'run');
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    cost = () => {
      const texts = exec.mock.calls.map(String);
      const counted = (begin: string): number => texts.filter((text) => text.startsWith(begin)).length;
      const statements = all.mock.calls.length + run.mock.calls.length + texts.length;
      // A change outside of a transaction commits itself.
      const commits = counted('BEGIN') > 0 ? counted('COMMIT') : run.mock.calls.length;
      for (const spy of [all, run, exec]) spy.mockClear();
      return { statements, commits };
    };
    file = sqliteFile();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await file.close();
  });

  async function opened(transactional = false): Promise<PaymentsStorage> {
    const storage = file.open(transactional);
    await storage.journal.insert(journalRecord('order-0'), LEASE_MS);
    cost();
    return storage;
  }

  it('to claim and to finish is two commits', async () => {
    const { inbox } = await opened();
    await claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS)).finish();
    expect(cost()).toEqual({ statements: 5, commits: 2 });
  });

  it('to claim and to finish in the transaction of the handlers is one commit', async () => {
    const { inbox } = await opened(true);
    await claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS)).finish();
    expect(cost()).toEqual({ statements: 9, commits: 1 });
  });

  it('to write a payment down is one commit, and its answer another one', async () => {
    const { journal } = await opened();
    const { version, record } = storedBy(await journal.insert(journalRecord('order-1'), LEASE_MS));
    expect(cost()).toEqual({ statements: 4, commits: 1 });
    await journal.replace(version, { ...record, state: 'accepted' }, 0);
    expect(cost()).toEqual({ statements: 2, commits: 1 });
  });
});
