import { sqlStorage } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { expect, it } from 'vitest';
import { journalRecord } from '../support/journal-contract.js';
import { retryHelper } from '../support/retry-helper.js';
import { describeWith, mysqlService, postgresService } from '../support/services.js';
import { EXECUTORS } from './executors.js';
import { openMysql, openTypeOrmOnMysql } from './mysql-database.js';
import { ORM_SERVERS } from './orm-database.js';
import { type ExecutorDatabase } from './executor-contracts.js';
import { openTypeOrm, TYPEORMS } from './typeorm-database.js';
import { beginOn } from './typeorm-way.js';

/** A database, and an application that enlists payments in it. */
type Subject = Pick<ExecutorDatabase, 'executor' | 'schema' | 'begin' | 'close'>;
type Write = (reference: string) => Promise<unknown>;

function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

/** Each of two transactions waits for what the other one has written. */
async function deadlock(
  begin: Subject['begin'],
  writeIn: (handle: unknown) => Promise<Write>,
): Promise<unknown> {
  const transactions = [await begin(), await begin()] as const;
  const [one, two] = [await writeIn(transactions[0].handle), await writeIn(transactions[1].handle)];
  await one('order-1');
  await two('order-2');
  const ends = [one('order-2'), two('order-1')].map(async (writing, at) => {
    const error = await errorOf(writing);
    await transactions[at]?.rollback();
    return error;
  });
  const [error] = (await Promise.all(ends)).filter((end) => end !== undefined);
  return error;
}

/** Enlists payments in a transaction. */
async function enlistIn(
  { executor, schema }: Pick<Subject, 'executor' | 'schema'>,
  handle: unknown,
): Promise<Write> {
  const { journal } = sqlStorage({ executor, ...(schema !== undefined && { schema }) });
  const joined = await journal.within?.(handle);
  return (reference) => joined!.insert(journalRecord(reference, { state: 'planned' }), 0);
}

async function expectRunAgain(error: unknown, cause: object): Promise<void> {
  expect(error).toMatchObject({
    name: 'PaymentsStorageError',
    code: 'STORAGE_UNAVAILABLE',
    message: expect.stringContaining('roll it back, and run the whole transaction again') as unknown,
    cause,
  });
  expect(JSON.stringify([error, (error as Error).cause])).not.toContain('order-');
  const { isConcurrent } = await retryHelper();
  expect(isConcurrent(error)).toBe(true);
}

function saysSo(who: string, open: () => Promise<Subject>, cause: object): void {
  it(`a deadlock of payments that ${who} enlists says that the transaction is to be run again, and the retry helper of the documents knows it`, async () => {
    const subject = await open();
    const error = await deadlock(subject.begin, (handle) => enlistIn(subject, handle));
    await subject.close();
    await expectRunAgain(error, cause);
  });
}

const DEADLOCKS: Readonly<Record<string, object>> = {
  PostgreSQL: { code: '40P01' },
  MariaDB: { code: 'ER_LOCK_DEADLOCK', errno: 1213, sqlState: '40001' },
};

ORM_SERVERS.forEach(({ name: server, service, openWay }) => {
  describeWith([service], `transactions at the same time on ${server}`, () => {
    EXECUTORS.forEach((orm) => {
      saysSo(orm.name, () => openWay(orm, 10), DEADLOCKS[server]!);

      it.each([
        ['its own way', orm.credit],
        [
          'SQL',
          (handle: never, reference: string) =>
            orm.send(handle, `UPDATE credits SET times = times + 1 WHERE reference = '${reference}'`),
        ],
      ])(
        `the retry helper of the documents knows a deadlock of the application's own rows, written with ${orm.name} in %s`,
        async (_, write) => {
          const { begin, open, close } = await openWay(orm, 10);
          await open(['order-1', 'order-2']);
          const error = await deadlock(begin, (handle) =>
            Promise.resolve((reference) => write(handle as never, reference)),
          );
          await close();
          const { isConcurrent } = await retryHelper();
          expect(isConcurrent(error)).toBe(true);
        },
      );
    });
  });
});

describeWith([postgresService], 'transactions of TypeORM at the same time on PostgreSQL', () => {
  TYPEORMS.forEach(([name, packed]) => {
    saysSo(
      name,
      async () => {
        const { dataSource, schema, close } = await openTypeOrm(packed);
        return { executor: fromTypeOrm(dataSource), schema, begin: () => beginOn(dataSource), close };
      },
      DEADLOCKS['PostgreSQL']!,
    );
  });
});

describeWith([mysqlService], 'transactions of TypeORM and mysql2 at the same time on MariaDB', () => {
  saysSo('TypeORM', () => openTypeOrmOnMysql(TYPEORMS[0]![1]), DEADLOCKS['MariaDB']!);
  saysSo('mysql2', () => openMysql(), DEADLOCKS['MariaDB']!);

  it('a payment that another transaction enlisted after the snapshot of this one says that the transaction is to be run again', async () => {
    const { executor, pool, close } = await openMysql();
    const { journal } = sqlStorage({ executor });
    const connection = await pool.getConnection();
    await connection.query('SET SESSION innodb_snapshot_isolation = 1');
    await connection.beginTransaction();
    await connection.query('SELECT COUNT(*) FROM payments_inbox');
    await journal.insert(journalRecord('order-1', { state: 'planned' }), 0);
    const enlist = await enlistIn({ executor }, connection);
    const error = await errorOf(enlist('order-1'));
    connection.destroy();
    await close();
    await expectRunAgain(error, { code: 'ER_CHECKREAD', errno: 1020, sqlState: 'HY000' });
  });
});
