import { afterEach, beforeEach, expect, it } from 'vitest';
import { type JournalStore } from 'nestjs-payments';
import { type SqlExecutor, sqlStorage } from 'nestjs-payments/sql';
import { journalRecord, storedBy } from '../support/journal-contract.js';
import { describeWith, mysqlService } from '../support/services.js';
import { type MysqlDatabase, openMysql } from './mysql-database.js';

const LEASE_MS = 60_000;
const ACCEPTED = journalRecord('order-1', { state: 'accepted' });

describeWith([mysqlService], 'a record that another process changes before it is read again', () => {
  let database: MysqlDatabase;
  let others: JournalStore;

  beforeEach(async () => {
    database = await openMysql();
    others = sqlStorage({ executor: database.executor }).journal;
  });
  afterEach(() => database.close());

  /** Replaces a record; `meanwhile` happens between the write and the read. */
  async function replaceAnd(
    meanwhile: (version: number) => Promise<unknown>,
  ): ReturnType<JournalStore['replace']> {
    const executor: SqlExecutor = {
      ...database.executor,
      execute: async (text, params) => {
        const result = await database.executor.execute(text, params);
        if (text.includes('UPDATE payments_journal')) {
          const now = await others.get(ACCEPTED);
          await meanwhile(now?.version ?? 0);
        }
        return result;
      },
    };
    const { version } = storedBy(await others.insert(journalRecord('order-1'), LEASE_MS));
    return sqlStorage({ executor }).journal.replace(version, ACCEPTED, LEASE_MS);
  }

  it('was written, and is not what the other process wrote', async () => {
    const settled = journalRecord('order-1', { state: 'settled', outcome: 'success' });
    const stored = await replaceAnd((version) => others.replace(version, settled, 0));
    const after = await others.get(ACCEPTED);
    expect(after?.record).toEqual(settled);
    expect(stored?.record).toEqual(ACCEPTED);
    expect(stored?.version).not.toBe(after?.version);
    expect(stored?.createdAt).toBe(after?.createdAt);
    expect(stored?.leaseLeftMs).toBe(LEASE_MS);
    // Whoever goes on with it writes over nothing.
    expect(await others.replace(stored?.version ?? 0, ACCEPTED, 0)).toBeUndefined();
  });

  it('was written, also if the other process has removed it', async () => {
    const stored = await replaceAnd((version) => others.remove(ACCEPTED, version));
    expect(stored?.record).toEqual(ACCEPTED);
    expect(stored?.ageMs).toBe(0);
    expect(await others.get(ACCEPTED)).toBeUndefined();
  });

  it('was not written over another version', async () => {
    const { version } = storedBy(await others.insert(journalRecord('order-1'), LEASE_MS));
    expect(await others.replace(version + 1, ACCEPTED, 0)).toBeUndefined();
    expect((await others.get(ACCEPTED))?.record.state).toBe('in-flight');
  });
});
