import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OpenTransaction } from '../../../../lib/storage/executor/open-transaction.js';
import { type SqlExecutor, type SqlTransaction } from '../../../../lib/storage/sql/sql-executor.js';

const TRANSACTION: SqlTransaction = {
  query: () => Promise.resolve([]),
  execute: () => Promise.resolve({ affectedRows: 0 }),
  handle: 'the own object of the application',
};
type Run = SqlExecutor['transaction'];

describe('a transaction of a callback, turned inside out', () => {
  const ends: string[] = [];
  /** Commits and rolls back as an ORM does. */
  const run: Run = async (work) => {
    try {
      const result = await work(TRANSACTION);
      ends.push('commit');
      return result;
    } catch (error) {
      ends.push('rollback');
      throw error;
    }
  };
  const begin = (transaction: Run): Promise<OpenTransaction> =>
    OpenTransaction.begin(
      { ...TRANSACTION, dialect: 'postgres', wrapTransaction: () => TRANSACTION, transaction },
      {},
    );

  beforeEach(() => {
    ends.length = 0;
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('a transaction of a callback is open until somebody asks for its end', async () => {
    const open = await begin(run);
    expect(open.transaction).toBe(TRANSACTION);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ends).toEqual([]);
    await open.commit();
    expect(ends).toEqual(['commit']);
  });

  it('a transaction of a callback is rolled back', async () => {
    const open = await begin(run);
    await open.rollback();
    expect(ends).toEqual(['rollback']);
    await expect(open.commit()).rejects.toThrow('rolled back');
    expect(ends).toEqual(['rollback']);
  });

  it('a transaction of a callback never counts as rolled back once COMMIT was asked for', async () => {
    const open = await begin(async (work) => {
      await work(TRANSACTION);
      throw new Error('lost');
    });
    await expect(open.commit()).rejects.toThrow('lost');
    await expect(open.rollback()).rejects.toThrow('The answer to COMMIT was lost');
  });

  it('a transaction of a callback has an unknown end if the executor rejects its rollback with another error', async () => {
    const open = await begin((work) => work(TRANSACTION).catch(() => Promise.reject(new Error('broken'))));
    await expect(open.rollback()).rejects.toThrow('broken');
  });

  it('a transaction of a callback rejects if nothing answers to COMMIT for four seconds', async () => {
    const open = await begin((work) => work(TRANSACTION).then(() => new Promise(() => undefined)));
    const committing = expect(open.commit()).rejects.toThrow(
      'Timed out after 4000 ms waiting for the answer to COMMIT',
    );
    await vi.advanceTimersByTimeAsync(4_000);
    await committing;
  });

  it('a transaction of a callback does not begin if the executor has no connection', async () => {
    await expect(begin(() => Promise.reject(new Error('no connection')))).rejects.toThrow('no connection');
  });

  it('a transaction of a callback does not begin if the executor never calls', async () => {
    await expect(begin(() => Promise.resolve(undefined as never))).rejects.toThrow('had not begun');
  });

  it('a transaction of a callback is rolled back if it begins too late', async () => {
    let start = (): void => undefined;
    const beginning = begin(async (work) => {
      await new Promise<void>((resolve) => (start = resolve));
      return run(work);
    });
    const refused = expect(beginning).rejects.toThrow('waiting for a transaction of the pool');
    await vi.advanceTimersByTimeAsync(4_000);
    await refused;
    start();
    await vi.advanceTimersByTimeAsync(0);
    expect(ends).toEqual(['rollback']);
  });

  it('a transaction of a callback is not committed if the executor begins it again: the second one would hold nothing of the handlers', async () => {
    const open = await begin(async (work) => {
      await work(TRANSACTION);
      return run(work);
    });
    await expect(open.commit()).rejects.toThrow('rolled back');
    expect(ends).toEqual(['rollback']);
  });
});
