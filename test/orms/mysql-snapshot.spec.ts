import { afterEach, beforeEach, expect, it } from 'vitest';
import { type JournalInTransaction, type JournalStore } from 'nestjs-payments';
import { sqlStorage } from 'nestjs-payments/sql';
import { type PoolConnection } from 'mysql2/promise';
import { bankRequest } from '../support/gateway-answers.js';
import { journalRecord } from '../support/journal-contract.js';
import { startMisbehavingGateway } from '../support/misbehaving-gateway.js';
import { startPaymentsApp } from '../support/payments-app.js';
import { describeWith, mysqlService } from '../support/services.js';
import { scheme, secret } from '../support/webhook-app.js';
import { accept } from '../support/working-gateway.js';
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

    it.each(['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'])(
      'is found as forgotten at %s',
      async (level) => {
        const joined = await afterPurge(level);
        expect(await joined.insert(planned, 0)).toMatchObject({ inserted: false, tombstone: forgotten });
        await connection.commit();
        expect(await journal.get(planned)).toBeUndefined();
      },
    );

    it('is not planned if the transaction still sees a record that was removed, and cannot know why', async () => {
      const { stored } = await journal.insert(journalRecord('order-1'), 0);
      await connection.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await connection.beginTransaction();
      await connection.query('SELECT COUNT(*) FROM payments_inbox');
      await journal.remove(planned, stored?.version ?? 0);
      const joined = await journal.within?.(connection);
      await expect(joined?.insert(planned, 0)).rejects.toThrow('removed its earlier record');
      await connection.commit();
      expect(await journal.get(planned)).toBeUndefined();
    });

    it('is not sent if all of it is hidden from the transaction', async () => {
      const gateway = await startMisbehavingGateway();
      gateway.answer(accept);
      const payments = await startPaymentsApp({
        baseUrl: gateway.baseUrl,
        apiKey: 'pk_test_demo',
        apiSecret: 'sk_test_demo',
        webhooks: { scheme, secrets: [secret] },
        storage: sqlStorage({ executor: database.executor }),
      });
      await connection.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await connection.beginTransaction();
      await connection.query('SELECT COUNT(*) FROM payments_inbox');
      await payments.disbursements.bank(bankRequest);
      await database.pass(10_000);
      expect(await payments.journal.purge({ olderThanMs: 1, acceptedPayoutsOlderThanMs: 1 })).toBe(1);
      const enlisted = await payments.disbursements.enlistBank(connection, bankRequest);
      await connection.commit();
      await expect(enlisted.send()).rejects.toMatchObject({ name: 'ReferenceReusedError' });
      expect(gateway.seen).toHaveLength(1);
      expect(await payments.journal.get('disbursement', bankRequest.reference)).toBeUndefined();
      await payments.app.close();
      await gateway.close();
    });
  },
);
