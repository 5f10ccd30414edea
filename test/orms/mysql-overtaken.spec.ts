import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JournalStore } from 'nestjs-payments';
import { fromMysql2 } from 'nestjs-payments/mysql';
import { type SqlExecutor, sqlStorage } from 'nestjs-payments/sql';
import { journalRecord, storedBy } from '../support/journal-contract.js';
import { describeWith, mysqlService } from '../support/services.js';
import { EXECUTORS, type OpenOwnExecutor } from './executors.js';
import { type MysqlDatabase, openMysql } from './mysql-database.js';

const LEASE_MS = 60_000;
const ACCEPTED = journalRecord('order-1', { state: 'accepted' });

describeWith([mysqlService], 'a record that is written before it is read again', () => {
  describe.each(EXECUTORS)('with $name', (orm) => {
    let database: MysqlDatabase;
    let opened: OpenOwnExecutor;
    let others: JournalStore;

    beforeEach(async () => {
      database = await openMysql();
      opened = orm.openMysql(database.url, 2);
      others = sqlStorage({ executor: fromMysql2(database.pool) }).journal;
    });
    afterEach(async () => {
      await opened.close();
      await database.close();
    });

    /** Replaces a record; `meanwhile` happens between the write and the read. */
    async function replaceAnd(
      meanwhile: (version: number) => Promise<unknown>,
    ): ReturnType<JournalStore['replace']> {
      let isWritten = false;
      const { executor } = opened;
      const watched: SqlExecutor = {
        ...executor,
        execute: async (text, params) => {
          const result = await executor.execute(text, params);
          isWritten = text.includes('UPDATE payments_journal');
          return result;
        },
        query: async (text, params) => {
          if (isWritten) {
            isWritten = false;
            await meanwhile((await others.get(ACCEPTED))?.version ?? 0);
          }
          return executor.query(text, params);
        },
      };
      const { version } = storedBy(await others.insert(journalRecord('order-1'), LEASE_MS));
      return sqlStorage({ executor: watched }).journal.replace(version, ACCEPTED, LEASE_MS);
    }

    it('is what this process wrote, and not what another one wrote over it', async () => {
      const settled = journalRecord('order-1', { state: 'settled', outcome: 'success' });
      const stored = await replaceAnd((version) => others.replace(version, settled, 0));
      const after = await others.get(ACCEPTED);
      expect(after?.record).toEqual(settled);
      expect(stored?.record).toEqual(ACCEPTED);
      expect(stored?.version).not.toBe(after?.version);
      expect(stored?.createdAt).toBe(after?.createdAt);
      expect(stored?.leaseLeftMs).toBe(LEASE_MS);
      // A caller that continues with it writes over nothing.
      expect(await others.replace(stored?.version ?? 0, ACCEPTED, 0)).toBeUndefined();
    });

    it('was written, also if another process has removed it', async () => {
      const stored = await replaceAnd((version) => others.remove(ACCEPTED, version));
      expect(stored?.record).toEqual(ACCEPTED);
      expect(stored?.ageMs).toBe(0);
      expect(await others.get(ACCEPTED)).toBeUndefined();
    });

    it('was written, also if it cannot be read', async () => {
      const stored = await replaceAnd(() => Promise.reject(new Error('the connection is gone')));
      const after = await others.get(ACCEPTED);
      expect(stored?.record).toEqual(ACCEPTED);
      expect(stored?.version).toBe(after?.version);
      expect(after?.record).toEqual(ACCEPTED);
    });

    it('is not written over another version', async () => {
      const { journal } = sqlStorage({ executor: opened.executor });
      const { version } = storedBy(await others.insert(journalRecord('order-1'), LEASE_MS));
      expect(await journal.replace(version + 1, ACCEPTED, 0)).toBeUndefined();
      expect((await others.get(ACCEPTED))?.record.state).toBe('in-flight');
    });
  });

  it('is found if the server has carried out the same write twice', async () => {
    const database = await openMysql();
    const executor = fromMysql2(database.pool);
    const twice: SqlExecutor = {
      ...executor,
      execute: async (text, params) => {
        if (text.includes('UPDATE payments_journal')) await executor.execute(text, params);
        return executor.execute(text, params);
      },
    };
    const { journal } = sqlStorage({ executor: twice });
    const { version } = storedBy(await journal.insert(journalRecord('order-1'), LEASE_MS));
    expect((await journal.replace(version, ACCEPTED, 0))?.record).toEqual(ACCEPTED);
    await database.close();
  });
});
