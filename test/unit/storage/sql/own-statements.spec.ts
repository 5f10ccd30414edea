import { AsyncResource } from 'node:async_hooks';
import { describe, expect, it, vi } from 'vitest';
import { closeLeftOpen, ownExecutor, takeOwn } from '../../../../lib/storage/sql/own-statements.js';
import { type SqlExecutor } from '../../../../lib/storage/sql/sql-executor.js';

/** What MySQL says to SET TRANSACTION inside of a transaction. */
const LEFT_OPEN = Object.assign(new Error('a transaction is open'), { errno: 1568 });
const CONNECTION = {};
const lending = { dialect: 'mysql', take: () => Promise.resolve(CONNECTION), close: vi.fn() } as const;

/** An executor that takes a connection for each statement, and then does something else. */
function executorThat(work: () => Promise<unknown>): SqlExecutor {
  const execute = async (): Promise<never[]> => {
    await takeOwn(lending);
    await work();
    return [];
  };
  return ownExecutor(
    { dialect: 'mysql', query: execute, execute } as unknown as SqlExecutor,
    () => undefined,
  );
}

describe('the connection that a call of a storage has taken', () => {
  const close = vi.fn();
  const begin = (): Promise<never> => closeLeftOpen(close, () => Promise.reject(LEFT_OPEN));

  it('is closed if a transaction was left open on it', async () => {
    await expect(executorThat(begin).query('BEGIN')).rejects.toBe(LEFT_OPEN);
    expect(close.mock.calls).toEqual([[CONNECTION]]);
    close.mockReset();
  });

  it.each([
    ['ended', () => Promise.resolve()],
    ['failed', () => Promise.reject(new Error('the connection broke'))],
  ])(
    'is forgotten when the call has %s: what was begun in it would keep it in memory',
    async (_how, work) => {
      let begunInIt = begin;
      const executor = executorThat(() => {
        begunInIt = AsyncResource.bind(begin);
        return work();
      });
      await executor.query('SELECT 1').catch(() => undefined);
      await expect(begunInIt()).rejects.toBe(LEFT_OPEN);
      expect(close).not.toHaveBeenCalled();
    },
  );
});
