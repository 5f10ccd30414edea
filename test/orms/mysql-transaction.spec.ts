import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createPool, type PoolConnection } from 'mysql2/promise';
import { fromMysql2 } from 'nestjs-payments/mysql';
import { type PaymentsStorage } from 'nestjs-payments';
import { sqlStorage } from 'nestjs-payments/sql';
import { journalRecord } from '../support/journal-contract.js';
import { describeWith, mysqlService } from '../support/services.js';
import { type EntityManager } from 'typeorm';
import { mysqlAccounts } from './accounts.js';
import { handlerCases, type HandlerWay, POOL_SIZE } from './handler-cases.js';
import { type MysqlDatabase, openMysql, openTypeOrmOnMysql } from './mysql-database.js';
import { TYPEORMS } from './typeorm-database.js';
import { creditsEntity, MANAGER_ENDINGS, managerWay } from './typeorm-way.js';

/** What mysql2 has, and its types do not show. */
interface Preparing {
  readonly connection: unknown;
  prepare(text: string): Promise<{ execute(values?: readonly unknown[]): Promise<unknown> }>;
  close(): void;
}

describeWith([mysqlService], 'a handler that writes on MariaDB', () => {
  describe('with a connection of mysql2', () => {
    handlerCases<PoolConnection>(async (): Promise<HandlerWay<PoolConnection>> => {
      const database = await openMysql(POOL_SIZE);
      return {
        ...database,
        ...(await mysqlAccounts<PoolConnection>(database, (connection, text) => connection.query(text))),
        credit: (connection, reference) =>
          connection.execute('UPDATE credits SET times = times + 1 WHERE reference = ?', [reference]),
        nested: async (connection, work) => {
          await connection.query('SAVEPOINT part');
          try {
            await work(connection);
          } catch (error) {
            await connection.query('ROLLBACK TO SAVEPOINT part');
            throw error;
          }
        },
      };
    }, [
      ['COMMIT', (connection) => connection.query('COMMIT')],
      ['ROLLBACK as an object', (connection) => connection.query({ sql: 'ROLLBACK' })],
      ['START TRANSACTION', (connection) => connection.query('START TRANSACTION')],
      ['CREATE TABLE', (connection) => connection.query('CREATE TABLE other (id INT)')],
      ['LOCK TABLES', (connection) => connection.query('LOCK TABLES credits WRITE')],
      [
        'a prepared COMMIT',
        async (connection) => {
          const statement = await (connection as unknown as Preparing).prepare('COMMIT');
          await statement.execute();
        },
      ],
      ['commit()', (connection) => connection.commit()],
      ['rollback()', (connection) => connection.rollback()],
      // Newer versions of mysql2 have it.
      [
        'await using',
        async (connection) => (connection as unknown as AsyncDisposable)[Symbol.asyncDispose](),
      ],
      [
        'release()',
        async (connection) => {
          await Promise.resolve();
          connection.release();
        },
      ],
    ]);
  });

  describe.each(TYPEORMS)('with the EntityManager of TypeORM %s', (_version, packed) => {
    handlerCases(async () => {
      const credits = creditsEntity(packed);
      const database = await openTypeOrmOnMysql(packed, [credits], POOL_SIZE);
      return {
        ...database,
        ...(await mysqlAccounts<EntityManager>(database, (manager, text) => manager.query(text))),
        ...managerWay(credits),
      };
    }, MANAGER_ENDINGS);
  });
});

describeWith([mysqlService], 'a connection of mysql2 that a handler kept', () => {
  let database: MysqlDatabase;

  beforeEach(async () => {
    database = await openMysql(1);
  });
  afterEach(() => database.close());

  it('runs no prepared statement after the end, does not give the one of the driver, and commits at once again', async () => {
    const { pool, executor } = database;
    await pool.query('CREATE TABLE credits (reference VARCHAR(64) PRIMARY KEY)');
    const kept = await executor.transaction(async ({ handle }) => {
      const connection = handle as Preparing;
      const statement = await connection.prepare('INSERT INTO credits VALUES (?)');
      await statement.execute(['order-1']);
      return { connection, statement };
    });
    await expect(kept.statement.execute(['order-2'])).rejects.toThrow('is over');
    expect(() => kept.connection.connection).toThrow('go around');
    expect(() => {
      kept.connection.close();
    }).toThrow('out of the handler');
    const [rows] = await pool.query('SELECT reference, @@autocommit AS autocommit FROM credits');
    expect(rows).toEqual([{ reference: 'order-1', autocommit: 1 }]);
  });
});

describeWith([mysqlService], 'a payment that is enlisted on a connection of mysql2', () => {
  const planned = journalRecord('order-1', { state: 'planned' });
  let database: MysqlDatabase;
  const storage = (): PaymentsStorage => sqlStorage({ executor: database.executor, transactional: true });

  beforeEach(async () => {
    database = await openMysql();
  });
  afterEach(() => database.close());

  it('is refused if no transaction is open, before anything is written', async () => {
    const { journal } = storage();
    const connection = await database.pool.getConnection();
    await expect(journal.within?.(connection)).rejects.toMatchObject({
      name: 'PaymentsConfigError',
      message: expect.stringContaining('No transaction is open') as unknown,
    });
    await connection.beginTransaction();
    const joined = await journal.within?.(connection);
    expect(await joined?.insert(planned, 0)).toMatchObject({ inserted: true });
    expect(await journal.get(planned)).toBeUndefined();
    await connection.rollback();
    connection.release();
    expect(await journal.get(planned)).toBeUndefined();
  });

  it('is refused on a connection to another database that has the tables, too', async () => {
    const other = await openMysql();
    const connection = await other.pool.getConnection();
    await connection.beginTransaction();
    await expect(storage().journal.within?.(connection)).rejects.toMatchObject({
      name: 'PaymentsConfigError',
      message: expect.stringContaining('another database') as unknown,
    });
    connection.release();
    await other.close();
  });

  it('is written with others that are enlisted at the same time', async () => {
    const { journal } = storage();
    const connection = await database.pool.getConnection();
    await connection.beginTransaction();
    const records = ['order-1', 'order-2', 'order-3'].map((reference) => ({ ...planned, reference }));
    await Promise.all(records.map(async (record) => (await journal.within?.(connection))?.insert(record, 0)));
    await connection.commit();
    connection.release();
    for (const record of records) expect((await journal.get(record))?.record).toEqual(record);
  });

  it.each([
    ['SAVEPOINT nestjs', 'ROLLBACK'],
    ['INSERT INTO payments_journal', 'ROLLBACK'],
    ['RELEASE', 'ROLLBACK'],
    ['INSERT INTO payments_journal', 'ROLLBACK TO SAVEPOINT part'],
  ])('is not written if the application sends, right before %s, %s', async (statement, ends) => {
    const { journal } = storage();
    const connection = await database.pool.getConnection();
    await connection.beginTransaction();
    await connection.query('SAVEPOINT part');
    const joined = await journal.within?.(connection);
    for (const method of ['query', 'execute'] as const) {
      const send = connection[method].bind(connection);
      connection[method] = async (given, ...values) => {
        const text = typeof given === 'string' ? given : given.sql;
        if (text.startsWith(statement)) await connection.query(ends);
        return send(given, ...values);
      };
    }
    await expect(joined?.insert(planned, 0)).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringContaining('The transaction ended before') as unknown,
    });
    connection.destroy();
    expect(await journal.get(planned)).toBeUndefined();
  });

  it('is not planned as the next attempt if the transaction ends meanwhile', async () => {
    const { journal } = storage();
    const { stored } = await journal.insert(journalRecord('order-1', { state: 'rejected' }), 0);
    const connection = await database.pool.getConnection();
    await connection.beginTransaction();
    const joined = await journal.within?.(connection);
    await connection.rollback();
    await expect(joined?.replace(stored?.version ?? 0, planned, 0)).rejects.toMatchObject({
      message: expect.stringContaining('The transaction ended before') as unknown,
    });
    connection.release();
    expect((await journal.get(planned))?.record).toEqual(stored?.record);
  });
});

describeWith([mysqlService], 'connections that do not send their texts as utf8mb4', () => {
  it.each(['latin1', 'UTF8_GENERAL_CI'])('are refused before anything is written: %s', async (charset) => {
    const database = await openMysql();
    const pool = createPool({ uri: database.url, charset });
    const { journal } = sqlStorage({ executor: fromMysql2(pool) });
    await expect(journal.get(journalRecord('order-1'))).rejects.toThrow(/do not send their texts as utf8mb4/);
    await pool.end();
    await database.close();
  });
});

describeWith([mysqlService], 'another connection of the same database', () => {
  it.each([
    ['latin1', 'SET NAMES latin1', /do not send their texts as utf8mb4/],
    ['no strict mode', "SET SESSION sql_mode = ''", /add STRICT_TRANS_TABLES/],
    [
      'other quotes',
      "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES'",
      /NO_BACKSLASH_ESCAPES/,
    ],
  ])('enlists no payment: %s', async (_what, first, why) => {
    const database = await openMysql();
    onTestFinished(() => database.close());
    const connection = await database.openPool(1).getConnection();
    onTestFinished(() => {
      connection.release();
    });
    await connection.query(first);
    await connection.beginTransaction();
    const { journal } = sqlStorage({ executor: database.executor });
    await expect(journal.within?.(connection)).rejects.toThrow(why);
  });
});

describeWith([mysqlService], 'connections with which a purge would fail, or a webhook be lost', () => {
  /** As the documents of the driver show it: it leaves each ? in the text. */
  const queryFormat = (text: string, values?: Readonly<Record<string, unknown>>): string =>
    values ? text.replace(/:(\w+)/g, (_name, key: string) => JSON.stringify(values[key])) : text;

  it.each<[what: string, settings: object, first: string, message: RegExp]>([
    ['that writes values in its own way', { queryFormat }, 'DO 1', /take queryFormat out/],
    ['in safe mode', {}, 'SET SESSION sql_safe_updates = 1', /set sql_safe_updates = 0/],
    [
      'that reads what is not committed',
      {},
      'SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED',
      /set transaction-isolation = READ-COMMITTED/,
    ],
  ])('are refused: a pool %s', async (_what, settings, first, message) => {
    const database = await openMysql();
    const pool = createPool({ uri: database.url, connectionLimit: 1, ...settings });
    await pool.query(first);
    const { journal } = sqlStorage({ executor: fromMysql2(pool) });
    await expect(journal.get(journalRecord('order-1'))).rejects.toThrow(message);
    await pool.end();
    await database.close();
  });
});
