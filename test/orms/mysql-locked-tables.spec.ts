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

    /** The number that the next row of the journal gets. */
    async function nextId(): Promise<number> {
      const [rows] = await database.pool.query(
        "SELECT auto_increment AS next FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'payments_journal'",
      );
      return Number((rows as { readonly next: unknown }[])[0]?.next);
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

    it.each<[what: string, write: () => Promise<unknown>]>([
      ['a payment', () => storage.journal.insert(journalRecord('order-1'), LEASE_MS)],
      [
        'a payment that counts towards a limit',
        () => storage.journal.dailyCaps!.insert(journalRecord('order-1'), LEASE_MS, { cents: 1_000 }),
      ],
    ])('keeps no row of %s that is written when nobody waits for it any more', async (_what, write) => {
      const before = await nextId();
      const other = await database.pool.getConnection();
      // The first statement only reads, so it waits for as long as the server lets it.
      await other.query('LOCK TABLES payments_tombstones WRITE');
      await expect(write()).rejects.toMatchObject({ name: 'PaymentsStorageError' });
      await other.query('UNLOCK TABLES');
      other.release();
      await eventually(async () => {
        expect(await nextId()).toBeGreaterThan(before);
      });
      await eventually(async () => {
        const [rows] = await database.pool.query('SELECT reference FROM payments_journal');
        const [counts] = await database.pool.query(
          'SELECT payments FROM payments_daily_counts WHERE payments > 0',
        );
        expect([rows, counts]).toEqual([[], []]);
      });
    });
  },
);
