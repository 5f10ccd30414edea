import { type PaymentsStorage, PaymentsStorageError } from 'nestjs-payments';
import { fromMysql2 } from 'nestjs-payments/mysql';
import { type SqlDialect, sqlStorage, type SqlStorageOptions } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimed, inboxDelivery } from '../support/inbox-contract.js';
import { journalRecord } from '../support/journal-contract.js';
import { describeWith, mysqlService, postgresService } from '../support/services.js';
import { EXECUTORS, type OpenExecutor } from './executors.js';
import { borrowMysql, type MysqlDatabase } from './mysql-database.js';
import { borrowPostgres, type PostgresDatabase } from './postgres-database.js';
import { TYPEORMS } from './typeorm-database.js';

const LEASE_MS = 60_000;
/** Nobody can close a single connection of theirs, or not that of a transaction: docs/orm.md says what to do. */
const KEEP: Readonly<Record<SqlDialect, readonly string[]>> = {
  postgres: ['Kysely', 'Prisma'],
  mysql: ['Prisma'],
};
/** A connection that was made while the address led to a standby. */
const READ_ONLY: Readonly<Record<SqlDialect, string>> = {
  postgres: 'SET default_transaction_read_only = on',
  mysql: 'SET SESSION TRANSACTION READ ONLY',
};
const CONNECTION: Readonly<Record<SqlDialect, string>> = {
  postgres: 'SELECT pg_backend_pid() AS id',
  mysql: 'SELECT CONNECTION_ID() AS id',
};

/** An ORM on a pool of one connection. */
interface Place extends OpenExecutor {
  readonly storage: (options?: Partial<SqlStorageOptions>) => PaymentsStorage;
}

type Write = (place: Place, reference: string) => Promise<unknown>;

const WRITES: readonly (readonly [what: string, write: Write])[] = [
  ['one statement', ({ storage }, reference) => storage().journal.insert(journalRecord(reference), LEASE_MS)],
  [
    'an operation of several statements',
    ({ storage }, reference) =>
      storage().journal.dailyCaps!.insert(journalRecord(reference), LEASE_MS, { cents: 1_000 }),
  ],
  [
    'a delivery',
    async ({ storage }, reference) => {
      const { inbox } = storage({ transactional: true });
      return claimed(await inbox.claim(inboxDelivery(reference), LEASE_MS)).finish();
    },
  ],
];

async function idOf({ executor }: Pick<Place, 'executor'>): Promise<unknown> {
  const [connection] = await executor.query<{ readonly id: unknown }>(CONNECTION[executor.dialect]);
  return connection?.id;
}

function closes(open: () => Place): void {
  it.each(WRITES)('is closed when it refuses %s, and the next one is written', async (_what, write) => {
    const place = open();
    await write(place, 'order-1');
    const before = await idOf(place);
    await place.executor.execute(READ_ONLY[place.executor.dialect]);
    await expect(write(place, 'order-2')).rejects.toThrow(PaymentsStorageError);
    await write(place, 'order-2');
    expect(await idOf(place)).not.toBe(before);
  });

  it('is closed when it refuses what a handler writes, also if the handler hides that', async () => {
    const place = open();
    const { executor } = place;
    const before = await idOf(place);
    await executor.execute(READ_ONLY[executor.dialect]);
    const handled = executor.transaction(async (transaction) => {
      await transaction.execute('DELETE FROM payments_journal').catch(() => undefined);
      throw new Error('The handler failed.');
    });
    await expect(handled).rejects.toThrow('The handler failed.');
    expect(await idOf(place)).not.toBe(before);
  });

  it('stays open if the application has it for its own transaction', async () => {
    const place = open();
    const { journal } = place.storage();
    await journal.get(journalRecord('order-1'));
    const before = await idOf(place);
    await place.executor.execute(READ_ONLY[place.executor.dialect]);
    const ended = place.transaction(async (handle) => {
      const joined = await journal.within?.(handle);
      await joined?.insert(journalRecord('order-1', { state: 'planned' }), LEASE_MS);
    });
    await expect(ended).rejects.toThrow(PaymentsStorageError);
    expect(await idOf(place)).toBe(before);
  });
}

describeWith([postgresService], 'a connection to a PostgreSQL that was read-only', () => {
  let database: PostgresDatabase;
  const placeOf = (opened: OpenExecutor): Place => ({
    ...opened,
    storage: (options) => sqlStorage({ executor: opened.executor, schema: database.schema, ...options }),
  });

  beforeEach(async () => {
    database = await borrowPostgres();
  });
  afterEach(() => database.close());

  describe.each(EXECUTORS.filter(({ name }) => !KEEP.postgres.includes(name)))('of $name', (orm) => {
    closes(() => placeOf(orm.openPostgres(database.openPool({ max: 1 }))));
  });

  describe.each(TYPEORMS)('of TypeORM %s', (_version, packed) => {
    let place: Place;
    beforeEach(async () => {
      const dataSource = await new packed.DataSource({
        type: 'postgres',
        url: postgresService.url,
        poolErrorHandler: () => undefined,
        extra: { options: database.options, application_name: database.schema, max: 1 },
      }).initialize();
      place = placeOf({
        executor: fromTypeOrm(dataSource),
        transaction: (work) => dataSource.transaction(work),
      });
      return () => void dataSource.destroy().catch(() => undefined);
    });
    closes(() => place);
  });
});

describeWith([mysqlService], 'a connection to a MariaDB that was read-only', () => {
  let database: MysqlDatabase;
  const placeOf = (opened: OpenExecutor): Place => ({
    ...opened,
    storage: (options) => sqlStorage({ executor: opened.executor, ...options }),
  });

  beforeEach(async () => {
    database = await borrowMysql();
  });
  afterEach(() => database.close());

  describe.each(EXECUTORS.filter(({ name }) => !KEEP.mysql.includes(name)))('of $name', (orm) => {
    closes(() => {
      const { close, ...opened } = orm.openMysql(database.url, 1);
      database.onClose(close);
      return placeOf(opened);
    });
  });

  describe('of mysql2', () => {
    closes(() => {
      const pool = database.openPool(1);
      const transaction: Place['transaction'] = async (work) => {
        const connection = await pool.getConnection();
        try {
          await connection.beginTransaction();
          await work(connection);
          await connection.commit();
        } finally {
          await connection.rollback();
          connection.release();
        }
      };
      return placeOf({ executor: fromMysql2(pool), transaction });
    });
  });

  describe.each(TYPEORMS)('of TypeORM %s', (_version, packed) => {
    let place: Place;
    beforeEach(async () => {
      const dataSource = await new packed.DataSource({
        type: 'mariadb',
        url: database.url,
        poolSize: 1,
      }).initialize();
      database.onClose(() => dataSource.destroy());
      const executor = fromTypeOrm(dataSource);
      place = placeOf({ executor, transaction: (work) => dataSource.transaction(work) });
    });
    closes(() => place);
  });
});
