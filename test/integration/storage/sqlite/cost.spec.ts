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
      const texts = new Map(
        exec.mock.calls.map(([text], index) => [exec.mock.invocationCallOrder[index] ?? 0, String(text)]),
      );
      const changes = new Map(run.mock.invocationCallOrder.map((order) => [order, 'a change']));
      const inOrder = [...texts, ...changes].sort(([one], [other]) => one - other);
      const statements = all.mock.calls.length + inOrder.length;
      let [commits, isBegun] = [0, false];
      for (const [, text] of inOrder) {
        if (text.startsWith('BEGIN')) isBegun = true;
        if (text.startsWith('COMMIT')) isBegun = false;
        // A change outside of a transaction commits itself.
        if (text.startsWith('COMMIT') || (text === 'a change' && !isBegun)) commits += 1;
      }
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

  it('to claim is one commit, and to finish in the transaction of the handlers is another one', async () => {
    const { inbox } = await opened(true);
    await claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS)).finish();
    expect(cost()).toEqual({ statements: 9, commits: 2 });
  });

  it('to write a payment down is one commit, and its answer another one', async () => {
    const { journal } = await opened();
    const { version, record } = storedBy(await journal.insert(journalRecord('order-1'), LEASE_MS));
    expect(cost()).toEqual({ statements: 4, commits: 1 });
    await journal.replace(version, { ...record, state: 'accepted' }, 0);
    expect(cost()).toEqual({ statements: 2, commits: 1 });
  });
});
