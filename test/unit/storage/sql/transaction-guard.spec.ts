import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type OwnEnds, TransactionGuard } from '../../../../lib/storage/sql/transaction-guard.js';

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

describe('the end of a transaction that the package has begun itself', () => {
  const SETTING = 'SET autocommit = 1';
  let guard: TransactionGuard;
  let done: string[];
  /** What the connection does not do. */
  let fails: readonly string[];
  const act = async (what: string): Promise<void> => {
    done.push(what);
    if (fails.includes(what)) await Promise.reject(new Error(`no ${what}`));
  };
  const last = (text: string): Promise<void> => guard.run(text, () => act(text));
  const ends: OwnEnds = {
    commit: () => last('COMMIT'),
    rollback: () => last('ROLLBACK'),
    send: act,
    release: () => act('release'),
    discard: (reason) => done.push(`discard after ${reason.message}`),
  };
  const failing = (): Promise<never> => Promise.reject(new Error('of the handler'));

  beforeEach(() => {
    guard = new TransactionGuard('mysql');
    done = [];
    fails = [];
  });

  it('commits, and gives the connection back as it was', async () => {
    expect(await guard.ending(ends, () => Promise.resolve('result'))).toBe('result');
    expect(done).toEqual(['COMMIT', SETTING, 'release']);
  });

  it('changes no setting of PostgreSQL', async () => {
    guard = new TransactionGuard('postgres');
    await guard.ending(ends, () => Promise.resolve());
    await expect(new TransactionGuard('postgres').ending(ends, failing)).rejects.toThrow('of the handler');
    expect(done).not.toContain(SETTING);
  });

  it.each<[what: string, work: () => Promise<unknown>, error: string]>([
    ['the work fails', failing, 'of the handler'],
    [
      'a handler hides that it tried to end it',
      () => last('COMMIT').catch(() => undefined),
      'out of the handler',
    ],
    [
      'what a handler left running fails',
      () => {
        const late = (): Promise<never> => new Promise((_, reject) => setImmediate(reject, new Error('no')));
        guard.run('UPDATE a', late).catch(() => undefined);
        return Promise.resolve();
      },
      'had begun and not awaited',
    ],
  ])('rolls back, and gives the connection back as it was, if %s', async (_what, work, error) => {
    await expect(guard.ending(ends, work)).rejects.toThrow(error);
    expect(done).toEqual(['ROLLBACK', SETTING, 'release']);
  });

  it.each<[who: string, send: <T>(work: () => T) => T]>([
    ['a handler', (work) => work()],
    ['the package', (work) => guard.own(work)],
  ])('closes the connection after ROLLBACK if its server takes no writes of %s', async (_who, send) => {
    const refused = Object.assign(new Error('of the server'), { errno: 1792 });
    const write = (): Promise<never> => send(() => guard.run('UPDATE a', () => Promise.reject(refused)));
    await expect(guard.ending(ends, write)).rejects.toThrow('of the server');
    expect(done).toEqual(['ROLLBACK', 'discard after The server of the connection takes no writes.']);
  });

  it('closes the connection, and sends no ROLLBACK, if nobody knows whether COMMIT was done', async () => {
    fails = ['COMMIT'];
    await expect(guard.ending(ends, () => Promise.resolve())).rejects.toThrow('no COMMIT');
    expect(done).toEqual(['COMMIT', 'discard after no COMMIT']);
  });

  it('closes the connection if ROLLBACK fails, and throws what the work threw', async () => {
    fails = ['ROLLBACK'];
    await expect(guard.ending(ends, failing)).rejects.toThrow('of the handler');
    expect(done).toEqual(['ROLLBACK', 'discard after no ROLLBACK']);
  });

  it.each([SETTING, 'release'])(
    'believes a COMMIT after which %s fails, and closes the connection',
    async (what) => {
      fails = [what];
      expect(await guard.ending(ends, () => Promise.resolve('result'))).toBe('result');
      expect(done.at(-1)).toBe(`discard after no ${what}`);
    },
  );

  it.each([
    [
      'a statement that a handler left running',
      'Timed out after 4000 ms waiting for a statement that a handler left running.',
    ],
    ['COMMIT', 'Timed out after 4000 ms waiting for the answer to COMMIT.'],
  ])('closes the connection after four seconds without an answer to %s', async (what, message) => {
    vi.useFakeTimers();
    try {
      const never = (): Promise<never> => new Promise(() => undefined);
      const commit = (): Promise<never> => guard.run('COMMIT', never);
      const late = expect(
        guard.ending({ ...ends, ...(what === 'COMMIT' && { commit }) }, () => {
          if (what !== 'COMMIT') void guard.run('SELECT SLEEP(60)', never);
          return Promise.resolve();
        }),
      ).rejects.toThrow(message);
      await vi.advanceTimersByTimeAsync(4_000);
      await late;
      expect(done).toEqual([`discard after ${message}`]);
    } finally {
      vi.useRealTimers();
    }
  });
});
