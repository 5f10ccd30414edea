import { type JournalStore } from 'nestjs-payments';
import { type SqlExecutor, type SqlRunner, sqlStorage } from 'nestjs-payments/sql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { journalRecord } from '../support/journal-contract.js';
import { describeWith, mysqlService } from '../support/services.js';
import { type MysqlDatabase, openMysql } from './mysql-database.js';

const POOL_SIZE = 3;
const planned = journalRecord('order-1', { state: 'planned' });

/** Its transactions refuse one statement. */
function failingAt(executor: SqlExecutor, statement: RegExp): SqlExecutor {
  const failing = <Runner extends SqlRunner>(runner: Runner): Runner => ({
    ...runner,
    query: (text: string, params?: readonly unknown[]) =>
      statement.test(text) ? Promise.reject(new Error('refused')) : runner.query(text, params),
  });
  return { ...executor, wrapTransaction: (handle) => failing(executor.wrapTransaction(handle)) };
}

describeWith([mysqlService], 'transactions on MariaDB that enlist a payment', () => {
  let database: MysqlDatabase;

  beforeEach(async () => {
    database = await openMysql(POOL_SIZE);
  });
  afterEach(() => database.close());

  /** That of a storage which was used before. */
  async function journalOf(executor = database.executor): Promise<JournalStore> {
    const { journal } = sqlStorage({ executor });
    await journal.get(planned);
    return journal;
  }

  it('need no connection but their own: they may have all connections of the pool', async () => {
    const journal = await journalOf();
    const transactions = await Promise.all(Array.from({ length: POOL_SIZE }, () => database.begin()));
    const enlisted = transactions.map(async ({ handle }, at) =>
      (await journal.within?.(handle))?.insert(journalRecord(`order-${at}`, { state: 'planned' }), 0),
    );
    expect(await Promise.all(enlisted)).toMatchObject(transactions.map(() => ({ inserted: true })));
    await Promise.all(transactions.map(({ commit }) => commit()));
    expect((await journal.get(planned))?.record).toEqual(planned);
  });

  it('are refused within seconds if it takes another connection to tell that their database is another one', async () => {
    const journal = await journalOf();
    const other = await openMysql(1);
    const { handle, rollback } = await other.begin();
    const busy = await Promise.all(Array.from({ length: POOL_SIZE }, () => database.begin()));
    await expect(journal.within?.(handle)).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringContaining('waiting for an answer of the database') as unknown,
    });
    await Promise.all(busy.map((transaction) => transaction.rollback()));
    await rollback();
    await other.close();
  });

  it.each([
    ['it reads what it wrote', /CASE WHEN EXISTS/],
    ['it reads how the forgotten payment ended', /FROM payments_tombstones[^)]*FOR UPDATE/],
  ])(
    'leave nothing that could be sent if they are refused as %s, and committed anyway',
    async (_when, statement) => {
      const journal = await journalOf();
      await journal.insert(journalRecord('order-1', { state: 'settled', outcome: 'success' }), 0);
      await database.pass(10_000);
      await journal.purge(planned, 'settled', 5_000);
      const failing = await journalOf(failingAt(database.executor, statement));
      const { handle, commit } = await database.begin();
      const joined = await failing.within?.(handle);
      await expect(joined?.insert(planned, 0)).rejects.toThrow('did not do what it was asked');
      await commit();
      expect(await journal.get(planned)).toBeUndefined();
    },
  );
});
