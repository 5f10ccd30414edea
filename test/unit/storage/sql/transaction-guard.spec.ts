import { describe, expect, it } from 'vitest';
import { TransactionGuard } from '../../../../lib/storage/sql/transaction-guard.js';

describe('a guarded transaction', () => {
  /** Statements in the order in which the connection gets them. */
  function sender() {
    const sent: string[] = [];
    const send =
      (text: string, delay: Promise<unknown> = Promise.resolve()) =>
      async (): Promise<string> => {
        await delay;
        sent.push(text);
        return text;
      };
    return { sent, send };
  }

  it('sends COMMIT after every statement that came before it, even one that a subscriber delays', async () => {
    const guard = new TransactionGuard('postgres');
    const { sent, send } = sender();
    let go = (): void => undefined;
    const delay = new Promise<void>((resolve) => (go = resolve));
    const early = guard.run('UPDATE a', send('UPDATE a', delay));
    guard.ending('commit');
    const end = guard.run('COMMIT', send('COMMIT'));
    await expect(guard.run('UPDATE b', send('UPDATE b'))).rejects.toThrow('is over');
    go();
    expect(await Promise.all([early, end])).toEqual(['UPDATE a', 'COMMIT']);
    expect(sent).toEqual(['UPDATE a', 'COMMIT']);
  });

  it('sends COMMIT after a statement that failed', async () => {
    const guard = new TransactionGuard('postgres');
    const { send } = sender();
    const failing = guard.run('UPDATE a', () => Promise.reject(new Error('no')));
    guard.ending('commit');
    await expect(failing).rejects.toThrow('no');
    expect(await guard.run('COMMIT', send('COMMIT'))).toBe('COMMIT');
    expect(guard.isOver).toBe(true);
  });

  it('refuses a COMMIT of somebody else, and then its own, but not its ROLLBACK', async () => {
    const guard = new TransactionGuard('postgres');
    const { sent, send } = sender();
    await expect(guard.run('COMMIT', send('COMMIT'))).rejects.toThrow('out of the handler');
    expect(() => {
      guard.ending('commit');
    }).toThrow('out of the handler');
    guard.ending('rollback');
    await guard.run('ROLLBACK', send('ROLLBACK'));
    expect(sent).toEqual(['ROLLBACK']);
  });
});
