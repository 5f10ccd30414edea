import { type PaymentsStorage } from 'nestjs-payments';
import { sqlStorage } from 'nestjs-payments/sql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { inboxDelivery } from '../support/inbox-contract.js';
import { journalRecord } from '../support/journal-contract.js';
import { describeWith, mysqlService } from '../support/services.js';
import { borrowMysql, type MysqlDatabase } from './mysql-database.js';

const LEASE_MS = 60_000;

describeWith(
  [mysqlService],
  'a table on MariaDB that somebody else has locked for longer than a call waits',
  () => {
    let database: MysqlDatabase;
    let storage: PaymentsStorage;

    beforeEach(async () => {
      database = await borrowMysql();
      storage = sqlStorage({ executor: database.executor });
      await storage.journal.get(journalRecord('order-1'));
    });
    afterEach(() => database.close());

    /** Until the server carries nothing out any more. */
    function whenIdle(): Promise<void> {
      return eventually(async () => {
        const [running] = await database.pool.query(
          "SELECT info FROM information_schema.processlist WHERE db = DATABASE() AND command <> 'Sleep' AND id <> CONNECTION_ID()",
        );
        expect(running).toEqual([]);
      });
    }

    it.each<[what: string, lock: string, write: () => Promise<unknown>, written: string]>([
      [
        'a payment, as a dump without --single-transaction locks it',
        'payments_journal READ',
        () => storage.journal.insert(journalRecord('order-1'), LEASE_MS),
        'payments_journal',
      ],
      [
        'a payment that counts towards a limit',
        'payments_journal READ',
        () => storage.journal.dailyCaps!.insert(journalRecord('order-1'), LEASE_MS, { cents: 1_000 }),
        'payments_journal',
      ],
      [
        'a webhook',
        'payments_inbox READ',
        () => storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS),
        'payments_inbox',
      ],
    ])('gets no row of %s afterwards', async (_what, lock, write, written) => {
      const other = await database.pool.getConnection();
      await other.query(`LOCK TABLES ${lock}`);
      await expect(write()).rejects.toMatchObject({ name: 'PaymentsStorageError' });
      await other.query('UNLOCK TABLES');
      other.release();
      await whenIdle();
      const [rows] = await database.pool.query(`SELECT reference FROM ${written}`);
      expect(rows).toEqual([]);
    });
  },
);
