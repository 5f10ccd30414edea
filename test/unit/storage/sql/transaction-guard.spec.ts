import { describe, expect, it, vi } from 'vitest';
import { TransactionGuard } from '../../../../lib/storage/sql/transaction-guard.js';

describe('a guarded transaction', () => {
  const sent = (): Promise<string> => Promise.resolve('sent');

  it('takes nothing more from handlers when it is closed, and waits for what runs', async () => {
    const guard = new TransactionGuard('postgres');
    let answer: (text: string) => void = () => undefined;
    const early = guard.run('UPDATE a', () => new Promise<string>((resolve) => (answer = resolve)));
    const closed = vi.fn();
    const closing = guard.close().then(closed);
    await expect(guard.run('UPDATE b', sent)).rejects.toThrow('is over');
    expect(closed).not.toHaveBeenCalled();
    answer('early');
    await closing;
    expect(await early).toBe('early');
    expect(await guard.own(() => guard.run('UPDATE inbox', sent))).toBe('sent');
    expect(guard.isOver).toBe(false);
    await guard.own(() => guard.run('COMMIT', sent));
    expect(guard.isOver).toBe(true);
    await expect(guard.own(() => guard.run('SELECT 1', sent))).rejects.toThrow('is over');
  });

  it('refuses to be committed if what ran at its close failed', async () => {
    const guard = new TransactionGuard('postgres');
    const failing = guard.run('UPDATE a', () => Promise.reject(new Error('no')));
    await expect(guard.close()).rejects.toThrow('had begun and not awaited');
    await expect(failing).rejects.toThrow('no');
    await guard.stop();
    expect(await guard.own(() => guard.run('ROLLBACK', sent))).toBe('sent');
  });

  it('waits for a statement that hangs no longer than for an answer', async () => {
    vi.useFakeTimers();
    try {
      const guard = new TransactionGuard('mysql');
      void guard.run('SELECT SLEEP(60)', () => new Promise(() => undefined));
      const closing = expect(guard.close()).rejects.toThrow('4000 ms');
      await vi.advanceTimersByTimeAsync(4_000);
      await closing;
      await expect(guard.stop()).rejects.toThrow('4000 ms');
    } finally {
      vi.useRealTimers();
    }
  });

  it('refuses a COMMIT of somebody else at any time, and then its own close', async () => {
    const guard = new TransactionGuard('postgres');
    await expect(guard.run('COMMIT', sent)).rejects.toThrow('out of the handler');
    await expect(guard.own(() => guard.foreign(() => guard.run('COMMIT', sent)))).rejects.toThrow(
      'out of the handler',
    );
    await expect(guard.close()).rejects.toThrow('out of the handler');
    await expect(guard.run('ROLLBACK', sent)).rejects.toThrow('is over');
    await guard.own(() => guard.run('ROLLBACK TO SAVEPOINT part', sent));
    expect(guard.isOver).toBe(false);
  });

  it('knows the package by its own context only', async () => {
    const guard = new TransactionGuard('postgres');
    const other = new TransactionGuard('postgres');
    await expect(other.own(() => guard.run('COMMIT', sent))).rejects.toThrow('out of the handler');
  });
});
