import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPool } from 'mysql2/promise';
import { type PaymentsStorage } from 'nestjs-payments';
import { fromMysql2 } from 'nestjs-payments/mysql';
import { type SqlExecutor, sqlStorage } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { Pool } from 'pg';
import { type DataSource } from 'typeorm';
import { type CountingProxy, countingProxy } from '../support/counting-proxy.js';
import { claimed, inboxDelivery } from '../support/inbox-contract.js';
import { journalRecord, storedBy } from '../support/journal-contract.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../support/payments-database.js';
import { describeWith, mysqlService, postgresService } from '../support/services.js';
import { EXECUTORS } from './executors.js';
import { type MysqlDatabase, openMysql } from './mysql-database.js';
import { TYPEORMS } from './typeorm-database.js';

const LEASE_MS = 60_000;

/** How often an operation waits for the server, once its driver knows the statements. */
interface RoundTrips {
  /** To claim a delivery and to finish the claim. */
  readonly claimAndFinish: number;
  /** The same in the transaction of the handlers. */
  readonly inTransaction: number;
  /** To write a payment down before it is sent. */
  readonly insert: number;
  /** To write its answer down. */
  readonly replace: number;
}

async function claimAndFinish({ inbox }: PaymentsStorage, reference: string): Promise<void> {
  await claimed(await inbox.claim(inboxDelivery(reference), LEASE_MS)).finish();
}

async function roundTripsOf(
  proxy: CountingProxy,
  storage: (transactional: boolean) => PaymentsStorage,
): Promise<RoundTrips> {
  let before = 0;
  const sinceLast = (): number => {
    const trips = proxy.roundTrips - before;
    before = proxy.roundTrips;
    return trips;
  };
  const plain = storage(false);
  const transactional = storage(true);
  const cost = async (reference: string): Promise<RoundTrips> => {
    sinceLast();
    await claimAndFinish(plain, `plain ${reference}`);
    const plainTrips = sinceLast();
    await claimAndFinish(transactional, `transactional ${reference}`);
    const inTransaction = sinceLast();
    const { version, record } = storedBy(await plain.journal.insert(journalRecord(reference), LEASE_MS));
    const insert = sinceLast();
    await plain.journal.replace(version, { ...record, state: 'accepted' }, 0);
    return { claimAndFinish: plainTrips, inTransaction, insert, replace: sinceLast() };
  };
  // The first time also connects, looks at the version of the tables and prepares statements.
  await cost('order-1');
  return cost('order-2');
}

describeWith([postgresService], 'round trips to PostgreSQL', () => {
  let database: PaymentsDatabase;
  let proxy: CountingProxy;

  beforeEach(async () => {
    database = await borrowPaymentsDatabase(postgresService.url);
    proxy = await countingProxy(postgresService.url);
  });
  afterEach(async () => {
    await proxy.close();
    await database.close();
  });

  it.each(EXECUTORS)('are as few as they can be with $name', async (orm) => {
    const pool = new Pool({ ...database.pool.options, connectionString: proxy.url, max: 1 });
    // The end of the spec cuts the connection.
    pool.on('error', () => undefined);
    const { executor } = orm.openPostgres(pool);
    const { schema } = database;
    const trips = await roundTripsOf(proxy, (transactional) =>
      sqlStorage({ executor, transactional, schema }),
    );
    expect(trips).toEqual({ claimAndFinish: 2, inTransaction: 5, insert: 1, replace: 1 });
  });
});

describeWith([mysqlService], 'round trips to MariaDB', () => {
  const EXPECTED: RoundTrips = { claimAndFinish: 4, inTransaction: 11, insert: 3, replace: 2 };
  let database: MysqlDatabase;
  let proxy: CountingProxy;

  beforeEach(async () => {
    database = await openMysql();
    proxy = await countingProxy(database.url);
  });
  afterEach(async () => {
    await proxy.close();
    await database.close();
  });

  const roundTrips = (executor: SqlExecutor): Promise<RoundTrips> =>
    roundTripsOf(proxy, (transactional) => sqlStorage({ executor, transactional }));

  it.each(EXECUTORS)('are these with $name', async (orm) => {
    const { executor, close } = orm.openMysql(proxy.url, 1);
    expect(await roundTrips(executor)).toEqual(EXPECTED);
    await close();
  });

  it('are these with a pool of mysql2', async () => {
    const pool = createPool({ uri: proxy.url, connectionLimit: 1 });
    expect(await roundTrips(fromMysql2(pool))).toEqual(EXPECTED);
    await pool.end();
  });

  it.each(TYPEORMS)('are these with TypeORM %s', async (_version, packed) => {
    const options = { type: 'mariadb', url: proxy.url, poolSize: 1 };
    const dataSource: DataSource = await new packed.DataSource(options).initialize();
    expect(await roundTrips(fromTypeOrm(dataSource))).toEqual(EXPECTED);
    await dataSource.destroy();
  });
});
