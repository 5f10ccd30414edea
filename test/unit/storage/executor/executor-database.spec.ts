import { EventEmitter, once } from 'node:events';
import { Pool } from 'pg';
import { paymentsPool } from 'nestjs-payments/postgres';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { executorDatabase } from '../../../../lib/storage/executor/executor-database.js';
import { OpenTransactions } from '../../../../lib/storage/mysql/joined-transaction.js';
import { MYSQL_DIALECT } from '../../../../lib/storage/mysql/mysql-dialect.js';
import { type SqlExecutor } from '../../../../lib/storage/sql/sql-executor.js';
import {
  type SqlDatabase,
  type SqlScript,
  type SqlSession,
} from '../../../../lib/storage/sql/sql-database.js';

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

  it('a database through an executor asks for the version of the tables again if no answer ever comes', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    query.mockReset().mockResolvedValue([]);
    const ready = vi
      .fn<() => Promise<unknown>>()
      .mockReturnValueOnce(new Promise(() => undefined))
      .mockResolvedValue(undefined);
    const dialect = { ...MYSQL_DIALECT, join: new OpenTransactions().join };
    const database = executorDatabase(executor, dialect, ready);
    void database.prepare();
    const inVain = expect(database.run(READ)).rejects.toThrow('waiting for the version of the tables');
    await vi.advanceTimersByTimeAsync(4_000);
    await inVain;
    await database.run(READ);
    await database.run(READ);
    expect(ready).toHaveBeenCalledTimes(2);
  });

  it('a database through an executor asks again once for all that wait for the version of the tables', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    query.mockReset().mockResolvedValue([]);
    const ready = vi.fn<() => Promise<unknown>>(() => new Promise(() => undefined));
    const dialect = { ...MYSQL_DIALECT, join: new OpenTransactions().join };
    const database = executorDatabase(executor, dialect, ready);
    const late: Promise<void>[] = [];
    // The first has waited in vain after four steps, and the next one asks again, for all that follow.
    for (let step = 0; step < 8; step += 1) {
      late.push(expect(database.run(READ)).rejects.toThrow('waiting for the version of the tables'));
      await vi.advanceTimersByTimeAsync(1_000);
    }
    await vi.advanceTimersByTimeAsync(4_000);
    await Promise.all(late);
    expect(ready).toHaveBeenCalledTimes(2);
  });

  it('a database through an executor gives up after six tries, and says nothing of what was to be stored', async () => {
    const database = open();
    execute.mockRejectedValue(DEADLOCK);
    await expect(database.run(WRITE)).rejects.toMatchObject({ name: 'PaymentsStorageError' });
    expect(execute).toHaveBeenCalledTimes(6);
  });

  it('a database through an executor begins no other try after its caller has got an error', async () => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => void vi.useRealTimers().restoreAllMocks());
    const database = open();
    const hindered = new EventEmitter();
    execute
      .mockImplementationOnce(async () => {
        await once(hindered, 'end');
        throw DEADLOCK;
      })
      .mockResolvedValue({ affectedRows: 1 });
    const inVain = expect(database.run(WRITE)).rejects.toThrow('Timed out after 4000 ms');
    await vi.advanceTimersByTimeAsync(4_000);
    await inVain;
    hindered.emit('end');
    await vi.advanceTimersByTimeAsync(0);
    // The pause of another operation begins later, and is as long.
    execute.mockRejectedValueOnce(DEADLOCK);
    await database.run(WRITE);
    expect(execute).toHaveBeenCalledTimes(3);
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
    query.mockResolvedValue([{ mode: 'STRICT_ALL_TABLES', client: 'utf8mb4', connection: 'utf8mb4' }]);
    await database.run(WRITE);
    expect(execute.mock.lastCall?.[0]).toContain('innodb_lock_wait_timeout = 2');
    await (
      await database.join?.('given', 'token')
    )?.(WRITE);
    expect(execute.mock.lastCall?.[0]).toBe('UPDATE a SET b = ?');
  });
});

describe('the transactions of deliveries through an executor', () => {
  const runner = { query: () => Promise.resolve([]), execute: () => Promise.resolve({ affectedRows: 1 }) };
  let begun = 0;
  let pool = {};
  /** What ends a transaction that was rolled back. */
  const ends: (() => void)[] = [];
  const executor: SqlExecutor = {
    ...runner,
    dialect: 'mysql',
    poolSize: 2,
    wrapTransaction: () => ({ ...runner, handle: 'own' }),
    transaction: async (work) => {
      begun += 1;
      try {
        return await work({ ...runner, handle: 'own' });
      } finally {
        await new Promise<void>((resolve) => ends.push(resolve));
      }
    },
  };
  const connect = (given: Partial<SqlExecutor> = {}): Promise<SqlSession> =>
    executorDatabase(
      { ...executor, pool, ...given },
      { ...MYSQL_DIALECT, join: new OpenTransactions().join },
      () => Promise.resolve(),
    ).connect();
  const begin = async (given: Partial<SqlExecutor> = {}): Promise<SqlSession> => {
    const session = await connect(given);
    await session.begin({ values: [], fence: '1' }, 1_000);
    return session;
  };

  beforeEach(() => {
    begun = 0;
    pool = {};
    ends.length = 0;
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('wait for one of another executor of the same pool, until that has given its connection back', async () => {
    const first = await begin();
    const second = begin();
    first.release('unknown');
    await vi.advanceTimersByTimeAsync(3_000);
    expect(begun).toBe(1);
    for (const end of ends) end();
    (await second).release('unknown');
    expect(begun).toBe(2);
  });

  it.each<[what: string, wrapped: (own: object) => object]>([
    ['a view', (own) => paymentsPool(own as Pool)],
    ['a wrapper with promises', (own) => ({ pool: own })],
  ])(
    'wait for one that names the same pool by %s of it, whose size it says itself',
    async (_what, wrapped) => {
      const own = new Pool({ max: 2 });
      const first = await begin({ pool: wrapped(own), poolSize: undefined });
      const refused = expect(begin({ pool: own, poolSize: undefined })).rejects.toThrow(
        'waiting for the connection of the pool',
      );
      await vi.advanceTimersByTimeAsync(4_000);
      await refused;
      first.release('unknown');
    },
  );

  it('wait no longer than a connection may take', async () => {
    const first = await begin();
    const refused = expect(begin()).rejects.toThrow('waiting for the connection of the pool');
    await vi.advanceTimersByTimeAsync(4_000);
    await refused;
    first.release('unknown');
  });

  it('give their turn back if they cannot begin', async () => {
    const failing = (): Promise<never> => Promise.reject(new Error('no connection'));
    await expect(begin({ transaction: failing })).rejects.toMatchObject({ name: 'PaymentsStorageError' });
    const next = await begin();
    next.release('unknown');
    expect(begun).toBe(1);
  });

  it('give their turn back if there is nothing to handle', async () => {
    const nothing = await connect();
    nothing.release('usable');
    const next = await begin();
    next.release('unknown');
    expect(begun).toBe(1);
  });

  it('take no turn in the handlers of another one of the same pool', async () => {
    const first = await begin();
    const inner = await first.within?.(() => begin());
    expect(begun).toBe(2);
    for (const session of [first, inner]) session?.release('unknown');
  });
});
