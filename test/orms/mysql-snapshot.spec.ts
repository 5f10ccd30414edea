import { afterEach, beforeEach, expect, it } from 'vitest';
import { type JournalInTransaction, type JournalStore } from 'nestjs-payments';
import { sqlStorage } from 'nestjs-payments/sql';
import { type PoolConnection } from 'mysql2/promise';
import { journalRecord } from '../support/journal-contract.js';
import { describeWith, mysqlService } from '../support/services.js';
import { type MysqlDatabase, openMysql } from './mysql-database.js';

const planned = journalRecord('order-1', { state: 'planned' });
const forgotten = { attempt: 1, end: 'success' };

describeWith(
  [mysqlService],
  'a payment on MariaDB that is purged after the snapshot of a transaction',
  () => {
    let database: MysqlDatabase;
    let journal: JournalStore;
    let connection: PoolConnection;

    beforeEach(async () => {
      database = await openMysql(5);
      ({ journal } = sqlStorage({ executor: database.executor }));
      connection = await database.pool.getConnection();
    });
    afterEach(async () => {
      connection.destroy();
      await database.close();
    });

    async function afterPurge(level: string): Promise<JournalInTransaction> {
      await journal.insert(journalRecord('order-1', { state: 'settled', outcome: 'success' }), 0);
      await database.pass(10_000);
      await connection.query(`SET TRANSACTION ISOLATION LEVEL ${level}`);
      await connection.beginTransaction();
      await connection.query('SELECT COUNT(*) FROM payments_inbox');
      expect(await journal.purge(planned, 'settled', 5_000)).toBe(1);
      return (await journal.within?.(connection))!;
    }

    it('is not planned at REPEATABLE READ, which does not see the tombstone, and the error says what to do', async () => {
      const joined = await afterPurge('REPEATABLE READ');
      await expect(joined.insert(planned, 0)).rejects.toMatchObject({
        name: 'PaymentsStorageError',
        mayHaveBeenProcessed: 'not-by-this-call',
        hint: expect.stringContaining('run the transaction again') as unknown,
      });
      await connection.commit();
      expect(await journal.get(planned)).toBeUndefined();
    });

    it.each(['READ COMMITTED', 'SERIALIZABLE'])('is found as forgotten at %s', async (level) => {
      const joined = await afterPurge(level);
      expect(await joined.insert(planned, 0)).toMatchObject({ inserted: false, tombstone: forgotten });
      await connection.commit();
      expect(await journal.get(planned)).toBeUndefined();
    });
  },
);
