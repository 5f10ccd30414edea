import { type PoolConnection } from 'mysql2/promise';
import { type JournalStore } from 'nestjs-payments';
import { sqlStorage } from 'nestjs-payments/sql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { journalRecord } from '../support/journal-contract.js';
import { describeWith, mysqlService } from '../support/services.js';
import { type MysqlDatabase, openMysql } from './mysql-database.js';

const DAY_MS = 86_400_000;
const settled = journalRecord('old-1', { state: 'settled', outcome: 'success' });

describeWith(
  [mysqlService],
  'beside a transaction on MariaDB that has enlisted a payment and stays open',
  () => {
    let database: MysqlDatabase;
    let journal: JournalStore;
    let connection: PoolConnection;

    beforeEach(async () => {
      database = await openMysql();
      ({ journal } = sqlStorage({ executor: database.executor }));
      await journal.insert(settled, 0);
      await database.pass(DAY_MS);
      connection = await database.pool.getConnection();
      await connection.beginTransaction();
      const joined = await journal.within?.(connection);
      await joined?.insert(journalRecord('order-5', { state: 'planned' }), 0);
    });
    afterEach(async () => {
      connection.destroy();
      await database.close();
    });

    it('a purge forgets what is old, and the tombstones of it when they are old', async () => {
      expect(await journal.purge(settled, 'settled', 1_000)).toBe(1);
      await database.pass(DAY_MS);
      expect(await journal.purge(settled, 'tombstones', 1_000)).toBe(1);
    });

    it.each(['order-1', 'order-4', 'order-6'])(
      'the payment %s is written, and changed',
      async (reference) => {
        const { stored } = await journal.insert(journalRecord(reference), 0);
        expect(
          await journal.replace(stored?.version ?? 0, journalRecord(reference, { state: 'accepted' }), 0),
        ).toBeDefined();
      },
    );

    it.each(['order-1', 'order-4', 'order-6'])(
      'another transaction enlists %s, and commits first',
      async (reference) => {
        const planned = journalRecord(reference, { state: 'planned' });
        const other = await database.begin();
        const joined = await journal.within?.(other.handle);
        expect(await joined?.insert(planned, 0)).toMatchObject({ inserted: true });
        await other.commit();
        expect((await journal.get(planned))?.record).toEqual(planned);
      },
    );

    describe('and another one that waits for the same payment', () => {
      let waiting: PoolConnection;
      let enlisted: Promise<unknown> | undefined;

      beforeEach(async () => {
        waiting = await database.pool.getConnection();
        await waiting.beginTransaction();
        const joined = await journal.within?.(waiting);
        enlisted = joined?.insert(journalRecord('order-5', { state: 'planned' }), 0);
        // InnoDB shows a new list only to who has not asked for a tenth of a second.
        await expect.poll(() => someoneWaits(), { interval: 250, timeout: 20_000 }).toBe(true);
      });
      afterEach(async () => {
        await connection.rollback();
        expect(await enlisted).toMatchObject({ inserted: true });
        waiting.destroy();
      });

      it('a later payment is written, and another transaction enlists one', async () => {
        expect(await journal.insert(journalRecord('order-6'), 0)).toMatchObject({ inserted: true });
        const other = await database.begin();
        const joined = await journal.within?.(other.handle);
        const planned = journalRecord('order-7', { state: 'planned' });
        expect(await joined?.insert(planned, 0)).toMatchObject({ inserted: true });
        await other.commit();
      });
    });

    /** Whether a transaction waits for a lock. */
    async function someoneWaits(): Promise<boolean> {
      const [rows] = await database.pool.query(
        `SELECT 1 FROM information_schema.innodb_trx JOIN information_schema.processlist ON id = trx_mysql_thread_id
          WHERE trx_state = 'LOCK WAIT' AND db = DATABASE()`,
      );
      return (rows as readonly unknown[]).length > 0;
    }
  },
);
