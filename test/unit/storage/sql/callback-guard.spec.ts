import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallbackGuard } from '../../../../lib/storage/sql/callback-guard.js';

const NESTED = /^sp\d+$/;
const never = (): Promise<never> => new Promise(() => undefined);
const done = (): Promise<string> => Promise.resolve('done');

describe('the guard of a transaction that an ORM ends', () => {
  let sent: string[];
  /** What the connection answers to the package. */
  let answer: (text: string) => Promise<unknown>;
  const connection = {
    send: (text: string): Promise<unknown> => {
      sent.push(text);
      return answer(text);
    },
    close: (): unknown => sent.push('close'),
  };
  const begun = async (dialect: 'postgres' | 'mysql'): Promise<CallbackGuard> => {
    const guard = new CallbackGuard(dialect, NESTED);
    await guard.begin(connection);
    return guard;
  };

  beforeEach(() => {
    sent = [];
    answer = done;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(['COMMIT;', 'rollback'])(
    'keeps MySQL from committing by itself until %s is answered',
    async (end) => {
      const guard = await begun('mysql');
      await expect(guard.run(end, done)).rejects.toThrow('out of the handler');
      expect(sent).toEqual(['SET autocommit = 0']);
      let answered: (result: string) => void = () => undefined;
      const ended = guard.own(() =>
        guard.run(end, () => new Promise<string>((resolve) => (answered = resolve))),
      );
      expect(sent).toEqual(['SET autocommit = 0']);
      answered('done');
      expect(await ended).toBe('done');
      expect(sent).toEqual(['SET autocommit = 0', 'SET autocommit = 1']);
    },
  );

  it('changes no setting of PostgreSQL', async () => {
    const guard = await begun('postgres');
    expect(await guard.own(() => guard.run('commit', done))).toBe('done');
    expect(sent).toEqual([]);
  });

  it('closes a connection to MySQL whose transaction did not end, and never lets the setting commit it', async () => {
    const guard = await begun('mysql');
    const failed = guard.own(() => guard.run('ROLLBACK', () => Promise.reject(new Error('killed'))));
    await expect(failed).rejects.toThrow('killed');
    expect(sent).toEqual(['SET autocommit = 0', 'close']);
  });

  it('closes a connection to MySQL that does not answer COMMIT', async () => {
    vi.useFakeTimers();
    const guard = await begun('mysql');
    const late = expect(guard.own(() => guard.run('COMMIT', never))).rejects.toThrow('4000 ms');
    await vi.advanceTimersByTimeAsync(4_000);
    await late;
    expect(sent).toEqual(['SET autocommit = 0', 'close']);
  });

  it('believes a COMMIT of MySQL after which the setting fails, and closes the connection', async () => {
    const guard = await begun('mysql');
    answer = () => Promise.reject(new Error('lost'));
    expect(await guard.own(() => guard.run('COMMIT', done))).toBe('done');
    expect(sent).toEqual(['SET autocommit = 0', 'SET autocommit = 1', 'close']);
  });

  it.each(['postgres', 'mysql'] as const)(
    'closes a connection of %s whose server takes no writes, also if a handler hides that',
    async (dialect) => {
      const guard = await begun(dialect);
      const refused = guard.run('UPDATE a', () =>
        Promise.reject(Object.assign(new Error(), { code: '25006' })),
      );
      await expect(refused).rejects.toMatchObject({ code: '25006' });
      sent = [];
      expect(await guard.own(() => guard.run('ROLLBACK', done))).toBe('done');
      expect(sent).toEqual(['close']);
    },
  );

  it('refuses what a nested transaction sends after its savepoint has ended, and commits nothing', async () => {
    const guard = await begun('postgres');
    let late: () => Promise<unknown> = done;
    await guard.nested.begin(async () => {
      await guard.run('savepoint sp1', done);
      let goOn: (value: unknown) => void = () => undefined;
      const went = new Promise((resolve) => (goOn = resolve)).then(() => guard.run('UPDATE a', done));
      late = () => {
        goOn(undefined);
        return went;
      };
      await guard.run('rollback to savepoint sp1', done);
    });
    expect(await guard.run('UPDATE b', done)).toBe('done');
    await expect(late()).rejects.toThrow('beside a nested transaction');
    await expect(guard.close()).rejects.toThrow('beside a nested transaction');
  });

  it('takes what a nested transaction sends after a savepoint that its code made by itself', async () => {
    const guard = await begun('postgres');
    await guard.nested.begin(async () => {
      for (const text of [
        'savepoint sp1',
        'savepoint sp9',
        'release savepoint sp9',
        'UPDATE a',
        'release savepoint sp1',
      ])
        expect(await guard.run(text, done)).toBe('done');
    });
    await guard.close();
  });
});
