import { describe, expect, it, vi } from 'vitest';
import { executorDatabase } from '../../../../lib/storage/executor/executor-database.js';
import { OpenTransactions } from '../../../../lib/storage/mysql/joined-transaction.js';
import { MYSQL_DIALECT } from '../../../../lib/storage/mysql/mysql-dialect.js';
import { type SqlExecutor } from '../../../../lib/storage/sql/sql-executor.js';
import { type SqlDatabase, type SqlScript } from '../../../../lib/storage/sql/sql-database.js';

const DEADLOCK = Object.assign(new Error('deadlock'), { errno: 1213 });
const WRITE: SqlScript = { steps: [{ text: 'UPDATE a SET b = ?', values: [1], counts: true }] };
const READ: SqlScript = { steps: [{ text: 'SELECT b FROM a', values: [] }] };

describe('a database through an executor', () => {
  const execute = vi.fn<SqlExecutor['execute']>();
  const query = vi.fn();
  const begun = vi.fn();
  const runner = { query: query as SqlExecutor['query'], execute };
  const executor: SqlExecutor = {
    ...runner,
    dialect: 'mysql',
    wrapTransaction: () => ({ ...runner, handle: executor }),
    transaction: (work, options) => {
      begun(options);
      return work({ ...runner, handle: 'own' });
    },
  };
  const open = (): SqlDatabase => {
    for (const mock of [execute, query, begun]) mock.mockReset();
    return executorDatabase(executor, { ...MYSQL_DIALECT, join: new OpenTransactions().join }, () =>
      Promise.resolve(),
    );
  };

  it('a database through an executor runs a statement again that a deadlock kept from being done', async () => {
    const database = open();
    execute.mockRejectedValueOnce(DEADLOCK).mockResolvedValueOnce({ affectedRows: 3 });
    expect(await database.run(WRITE)).toEqual({ rows: [], rowCount: 3 });
    expect(execute).toHaveBeenCalledTimes(2);
  });

  it('a database through an executor gives up after four tries, and says nothing of what was to be stored', async () => {
    const database = open();
    execute.mockRejectedValue(DEADLOCK);
    await expect(database.run(WRITE)).rejects.toMatchObject({ name: 'PaymentsStorageError' });
    expect(execute).toHaveBeenCalledTimes(4);
  });

  it('a database through an executor runs nothing again that may have been done', async () => {
    const database = open();
    execute.mockRejectedValue(new Error('connection lost'));
    await expect(database.run(WRITE)).rejects.toThrow('did not do what it was asked');
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it('a database through an executor runs nothing again in a transaction: the deadlock has undone what came before it', async () => {
    const database = open();
    execute.mockResolvedValueOnce({ affectedRows: 0 }).mockRejectedValueOnce(DEADLOCK);
    const session = await database.connect();
    await session.begin({ values: [], fence: '1' }, 1_000);
    await expect(session.run(WRITE)).rejects.toMatchObject({ name: 'PaymentsStorageError' });
    expect(execute).toHaveBeenCalledTimes(2);
    session.release('unknown');
  });

  it('a database through an executor runs an operation in a transaction of its own that is all or nothing', async () => {
    const database = open();
    execute.mockResolvedValue({ affectedRows: 1 });
    await database.run({ ...WRITE, atomic: true });
    expect(begun).toHaveBeenCalledWith({ isolationLevel: 'read committed' });
    await database.run(WRITE);
    expect(begun).toHaveBeenCalledTimes(1);
  });

  it('a database through an executor reads every column as text, whatever the driver makes of it', async () => {
    const database = open();
    query.mockResolvedValueOnce([{ a: 1, b: 9_007_199_254_740_991n, c: Buffer.from('é'), d: null, e: 'x' }]);
    expect((await database.run(READ)).rows).toEqual([
      { a: '1', b: '9007199254740991', c: 'é', d: null, e: 'x' },
    ]);
  });

  it('a database through an executor limits how long it waits for a lock, but not in a transaction of the application', async () => {
    const database = open();
    execute.mockResolvedValue({ affectedRows: 1 });
    query.mockResolvedValue([]);
    await database.run(WRITE);
    expect(execute.mock.lastCall?.[0]).toContain('innodb_lock_wait_timeout = 2');
    await (
      await database.join?.('given', 'token')
    )?.(WRITE);
    expect(execute.mock.lastCall?.[0]).toBe('UPDATE a SET b = ?');
  });
});
