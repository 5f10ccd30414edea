import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { type JournalStore } from 'nestjs-payments';
import { paymentsPool, postgresStorage, typeOrmDriver } from 'nestjs-payments/postgres';
import { type SqlExecutor, sqlStorage } from 'nestjs-payments/sql';
import { type Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimed, inboxDelivery } from '../support/inbox-contract.js';
import { journalRecord } from '../support/journal-contract.js';
import { describeWith, postgresService } from '../support/services.js';
import { EXECUTORS } from './executors.js';
import { borrowPostgres, type PostgresDatabase } from './postgres-database.js';
import { TYPEORMS } from './typeorm-database.js';

const LEASE_MS = 60_000;
const SHARE = { cents: 1_000 };

/** What opens an executor on a view of the application's pool. MikroORM and Sequelize take no pool. */
type Open = (pool: Pool) => Promise<SqlExecutor>;

const WAYS: readonly (readonly [name: string, open: Open])[] = [
  ...EXECUTORS.filter(({ name }) => !['MikroORM', 'Sequelize'].includes(name)).map(
    (orm) =>
      [orm.name, (pool: Pool) => Promise.resolve(orm.openPostgres(paymentsPool(pool)).executor)] as const,
  ),
  ...TYPEORMS.map(
    ([version, packed]) =>
      [
        `TypeORM ${version}`,
        async (pool: Pool) =>
          fromTypeOrm(
            await new packed.DataSource({ type: 'postgres', driver: typeOrmDriver(pool) }).initialize(),
          ),
      ] as const,
  ),
];

describeWith([postgresService], "an account whose executor is on a view of another account's pool", () => {
  let database: PostgresDatabase;

  beforeEach(async () => {
    database = await borrowPostgres();
  });
  afterEach(() => database.close());

  describe.each(WAYS)('of %s', (_name, open) => {
    it.each<[how: string, write: (journal: JournalStore) => Promise<unknown>]>([
      ['a statement', (journal) => journal.insert(journalRecord('payout-1'), LEASE_MS)],
      ['a transaction', (journal) => journal.dailyCaps!.insert(journalRecord('payout-1'), LEASE_MS, SHARE)],
    ])('writes a payment of a handler down at once, by %s, though the handler fails', async (_how, write) => {
      const { schema } = database;
      const pool = database.openPool({ max: 4 });
      const { inbox } = postgresStorage({ pool, schema, transactional: true });
      const { journal } = sqlStorage({ executor: await open(pool), schema });
      const claim = claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS));
      const counted = (): Promise<unknown> => database.pool.query('SELECT 1 FROM payments_journal');
      await claim.within?.(() => write(journal));
      expect(await counted()).toMatchObject({ rowCount: 1 });
      await claim.fail();
      expect(await counted()).toMatchObject({ rowCount: 1 });
      expect((await journal.get(journalRecord('payout-1')))?.record).toMatchObject({ reference: 'payout-1' });
    });
  });
});
