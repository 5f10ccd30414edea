import { drizzle as drizzleOnMysql } from 'drizzle-orm/mysql2';
import { drizzle } from 'drizzle-orm/node-postgres';
import knexPackage from 'knex';
import { type PaymentsStorage } from 'nestjs-payments';
import { type DrizzleDatabase, fromDrizzle } from 'nestjs-payments/drizzle';
import { fromKnex } from 'nestjs-payments/knex';
import { fromMikroOrm } from 'nestjs-payments/mikro-orm';
import { fromMysql2 } from 'nestjs-payments/mysql';
import { type SqlExecutor, sqlStorage, type SqlStorageOptions } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { type Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimed, inboxDelivery } from '../support/inbox-contract.js';
import { journalRecord } from '../support/journal-contract.js';
import { describeWith, mysqlService, postgresService } from '../support/services.js';
import { EXECUTORS } from './executors.js';
import { openMikroOrmOnMariaDb } from './mikro-executor.js';
import { borrowMysql, type MysqlDatabase } from './mysql-database.js';
import { borrowPostgres, type PostgresDatabase } from './postgres-database.js';
import { TYPEORMS } from './typeorm-database.js';

const LEASE_MS = 60_000;
const SCOPE = { account: 'default', environment: 'sandbox' } as const;
/** Their connections cannot be seen: docs/storage.md says what to do. */
const HIDDEN = ['Kysely', 'Prisma'];

/** What the specs ask of a database. */
interface Place {
  readonly executor: SqlExecutor;
  readonly storage: (options?: Partial<SqlStorageOptions>) => PaymentsStorage;
  /** What others see of a table. */
  readonly count: (table: string) => Promise<number>;
}

/** What code of an application does that forgets its transaction, on the only connection of the pool. */
async function forget({ executor }: Place): Promise<void> {
  await executor.execute('BEGIN');
  await executor.execute(`INSERT INTO refunds VALUES ('undone')`);
}

function writes(open: () => Place): void {
  it('is closed, and the payment is written on another one', async () => {
    const place = open();
    const { journal } = place.storage();
    await journal.get(journalRecord('order-1'));
    await forget(place);
    expect((await journal.insert(journalRecord('order-1'), LEASE_MS)).inserted).toBe(true);
    expect(await place.count('payments_journal')).toBe(1);
    expect(await place.count('refunds')).toBe(0);
  });
}

/** Whether the package can write or not. */
function commits(open: () => Place, canWrite = true): void {
  it('is never committed by an operation of several statements', async () => {
    const place = open();
    const { journal } = place.storage();
    await journal.get(journalRecord('order-1'));
    await forget(place);
    const counted = journal.dailyCaps!.insert(journalRecord('order-1'), LEASE_MS, { cents: 1_000 });
    const isWritten = await counted.then(
      () => 1,
      () => 0,
    );
    expect(await place.count('refunds')).toBe(0);
    expect(await place.count('payments_journal')).toBe(isWritten);
    if (canWrite) expect(isWritten).toBe(1);
  });

  it('is never committed by a delivery', async () => {
    const place = open();
    const { inbox } = place.storage({ transactional: true });
    await inbox.purge(SCOPE, 0);
    await forget(place);
    const handle = async (): Promise<boolean> => {
      const claim = claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS));
      return claim.finish();
    };
    const isDone = await handle().catch(() => false);
    expect(await place.count('refunds')).toBe(0);
    if (!canWrite) return;
    expect(isDone).toBe(true);
    expect(await place.count('payments_inbox')).toBe(1);
  });
}

/** Traces the transactions of Drizzle as some packages do: what is called is always the method of the database's own session. */
function traceBound<Database extends DrizzleDatabase>(db: Database): Database {
  const { session } = db as unknown as { readonly session: Pick<DrizzleDatabase, 'transaction'> };
  session.transaction = session.transaction.bind(session);
  return db;
}

/** What an application uses beside the package. */
interface OpenKnex {
  readonly knex: {
    raw(text: string): PromiseLike<unknown>;
    once(event: 'query', listener: () => void): unknown;
  };
  readonly executor: SqlExecutor;
  readonly close: () => Promise<unknown>;
}

function openKnex(connection: string): OpenKnex {
  const knex = knexPackage.knex({ client: 'mysql2', connection, pool: { min: 0, max: 1 } });
  return { knex: knex as unknown as OpenKnex['knex'], executor: fromKnex(knex), close: () => knex.destroy() };
}

function openMikro(url: string): OpenKnex {
  const orm = openMikroOrmOnMariaDb(url, 1);
  const connection = orm.em.getConnection('write') as unknown as { readonly getKnex: () => OpenKnex['knex'] };
  return { knex: connection.getKnex(), executor: fromMikroOrm(orm), close: () => orm.close(true) };
}

/** Opens Drizzle with its tracer, whichever of both comes first. */
const TRACED: [first: string, open: (db: DrizzleDatabase) => SqlExecutor][] = [
  ['the tracer', (db) => fromDrizzle(traceBound(db))],
  [
    'the package',
    (db) => {
      const executor = fromDrizzle(db);
      traceBound(db);
      return executor;
    },
  ],
];

describeWith([postgresService], 'a transaction on PostgreSQL that is left open on a connection', () => {
  let database: PostgresDatabase;
  const poolOf = (isOld: boolean): Pool => {
    const made = database.openPool({ max: 1 });
    if (isOld) made.on('connect', (client) => Object.assign(client, { getTransactionStatus: undefined }));
    return made;
  };
  const placeOf = (executor: SqlExecutor): Place => ({
    executor,
    storage: (options) => sqlStorage({ executor, schema: database.schema, ...options }),
    count: async (table) => {
      const { rows } = await database.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`);
      return rows[0]!.n;
    },
  });

  beforeEach(async () => {
    database = await borrowPostgres();
    await database.pool.query('CREATE TABLE refunds (text text)');
  });
  afterEach(() => database.close());

  describe.each(EXECUTORS.filter(({ name }) => !HIDDEN.includes(name)))('of $name', (orm) => {
    const open = (): Place => placeOf(orm.openPostgres(poolOf(false)).executor);
    writes(open);
    commits(open);
  });

  it('is no matter where a statement of Drizzle failed: its connection is closed, as its pool does', async () => {
    const pool = poolOf(false);
    const { executor } = EXECUTORS.find(({ name }) => name === 'Drizzle')!.openPostgres(pool);
    await executor.query('SELECT 1');
    expect(pool.idleCount).toBe(1);
    await expect(executor.query('SELECT nothing')).rejects.toThrow('nothing');
    expect(pool.totalCount).toBe(0);
  });

  it.each(TRACED)('takes one connection of Drizzle where %s comes first', async (_first, open) => {
    const executor = open(drizzle({ client: poolOf(false) }));
    await expect(executor.transaction((tx) => tx.query('SELECT 1 AS one'))).resolves.toEqual([{ one: 1 }]);
  });

  it('makes no difference to what Drizzle says when the pool gives no connection', async () => {
    const pool = poolOf(false);
    await pool.end();
    const executor = fromDrizzle(drizzle({ client: pool }));
    const begun = executor.transaction(() => Promise.resolve());
    await expect(begun).rejects.toThrow('Cannot use a pool after calling end on the pool');
  });

  describe.each(['Knex', 'Drizzle'])('of %s, with an old pg', (name) => {
    writes(() => placeOf(EXECUTORS.find((orm) => orm.name === name)!.openPostgres(poolOf(true)).executor));
  });

  describe.each(TYPEORMS)('of TypeORM %s', (_version, packed) => {
    let executor: SqlExecutor;
    beforeEach(async () => {
      const dataSource = await new packed.DataSource({
        type: 'postgres',
        url: postgresService.url,
        poolErrorHandler: () => undefined,
        extra: { options: database.options, application_name: database.schema, max: 1 },
      }).initialize();
      executor = fromTypeOrm(dataSource);
      return () => void dataSource.destroy().catch(() => undefined);
    });
    writes(() => placeOf(executor));
    commits(() => placeOf(executor));
  });
});

describeWith([mysqlService], 'a transaction on MariaDB that is left open on a connection', () => {
  let database: MysqlDatabase;
  const placeOf = (executor: SqlExecutor): Place => ({
    executor,
    storage: (options) => sqlStorage({ executor, ...options }),
    count: async (table) => {
      const [rows] = await database.pool.query(`SELECT count(*) AS n FROM ${table}`);
      return Number((rows as { n: unknown }[])[0]!.n);
    },
  });

  beforeEach(async () => {
    database = await borrowMysql();
    await database.pool.query('CREATE TABLE refunds (text varchar(20))');
  });
  afterEach(() => database.close());

  describe.each(EXECUTORS)('of $name', (orm) => {
    const open = (): Place => {
      const { executor, close } = orm.openMysql(database.url, 1);
      database.onClose(close);
      return placeOf(executor);
    };
    const isHidden = HIDDEN.includes(orm.name);
    if (!isHidden) writes(open);
    commits(open, !isHidden);
  });

  it.each(TRACED)('takes one connection of Drizzle where %s comes first', async (_first, open) => {
    const executor = open(drizzleOnMysql({ client: database.openPool(1) }));
    await expect(executor.transaction((tx) => tx.query('SELECT 1 AS one'))).resolves.toEqual([{ one: 1 }]);
  });

  it.each(['Knex', 'MikroORM'])('of %s fails no query of the application that waits', async (name) => {
    const { knex, ...opened } = name === 'Knex' ? openKnex(database.url) : openMikro(database.url);
    database.onClose(opened.close);
    const { executor, storage, count } = placeOf(opened.executor);
    const { journal } = storage();
    await journal.get(journalRecord('order-1'));
    await forget({ executor, storage, count });
    const answered = new Promise((resolve) => {
      knex.once('query', () => {
        resolve(knex.raw('SELECT 1 AS one'));
      });
    });
    const counted = journal.dailyCaps!.insert(journalRecord('order-1'), LEASE_MS, { cents: 1_000 });
    await expect(answered).resolves.toMatchObject([[{ one: 1 }], {}]);
    expect(await counted).toMatchObject({ inserted: true });
    expect(await count('payments_journal')).toBe(1);
    expect(await count('refunds')).toBe(0);
  });

  describe('of mysql2', () => {
    const open = (): Place => placeOf(fromMysql2(database.openPool(1)));
    writes(open);
    commits(open);
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
      place = placeOf(fromTypeOrm(dataSource));
    });
    writes(() => place);
    commits(() => place);
  });
});
