import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { migratePayments, postgresStorage } from 'nestjs-payments/postgres';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { storageContracts } from '../../../support/storage-contracts.js';
import { migrateAsNextBuild } from '../../../support/table-migrations.js';

describeWith([postgresService], 'a build whose tables a later one has migrated', () => {
  let database: PaymentsDatabase;
  const replica = (transactional = false): PaymentsStorage => {
    const { pool, schema } = database;
    return postgresStorage({ pool, schema, transactional });
  };

  describe('on the migrated tables', () => {
    beforeAll(async () => {
      database = await openPaymentsDatabase(postgresService.url);
      await migrateAsNextBuild(database.pool, database.schema);
    });
    afterEach(() => database.clear());
    afterAll(() => database.close());

    storageContracts(() => ({ ...replica(), pass: database.pass }));

    it('changes nothing if it restarts and migrates, and both builds do the same work', async () => {
      const { pool, schema } = database;
      await migratePayments(pool, { schema });
      await migrateAsNextBuild(pool, schema);
      const { rows } = await pool.query('SELECT max(version) AS version FROM payments_migrations');
      expect(rows).toEqual([{ version: 9 }]);
      expect((await replica(true).journal.insert(journalRecord('order-1'), 0)).inserted).toBe(true);
    });
  });

  describe('while it is at work', () => {
    beforeAll(async () => {
      database = await openPaymentsDatabase(postgresService.url);
    });
    afterAll(() => database.close());

    it('loses no payment and no delivery that it began before, during and after the migration', async () => {
      const { pool, schema } = database;
      const old = replica();
      const handlers = replica(true);
      const before = storedBy(await old.journal.insert(journalRecord('before'), 90_000));
      const claim = claimed(await handlers.inbox.claim(inboxDelivery('before'), 90_000));
      // The migration waits for the open transaction of the handler only where the handler has touched what it changes.
      const migrating = migrateAsNextBuild(pool, schema);
      const during = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const { version, record } = storedBy(await old.journal.insert(journalRecord(`during-${index}`), 0));
          return old.journal.replace(version, { ...record, state: 'accepted' }, 0);
        }),
      );
      await claim.finish();
      await migrating;
      expect(during.map((stored) => stored?.record.state)).toEqual(during.map(() => 'accepted'));
      const settled = { ...before.record, state: 'settled', outcome: 'success' } as const;
      expect((await old.journal.replace(before.version, settled, 0))?.record).toEqual(settled);
      expect(await handlers.inbox.claim(inboxDelivery('before'), 0)).toEqual({ result: 'done' });
      const { rows } = await pool.query('SELECT count(*)::int AS n FROM payments_journal WHERE note IS NULL');
      expect(rows).toEqual([{ n: 41 }]);
    });
  });
});
