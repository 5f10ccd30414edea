import { describe, expect, it, vi } from 'vitest';
import { GroupCommit } from '../../../../lib/storage/postgres/group-commit.js';
import { type PostgresClient } from '../../../../lib/storage/postgres/postgres-pool.js';
import { eventually } from '../../../support/eventually.js';

const RESULT = { rows: [], rowCount: 1 };

function statement(text: string): {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
} {
  return { name: text, text, values: [text] };
}

/** Knows neither the protocol nor its names. */
function plainClient(query = vi.fn(() => Promise.resolve(RESULT))): PostgresClient {
  return { query, release: () => undefined, on: () => undefined, removeListener: () => undefined };
}

describe('statements that wait for a connection', () => {
  it('are refused with it if it cannot be had, and those that came later wait for the next one', async () => {
    const asked: { resolve(client: PostgresClient): void; reject(error: Error): void }[] = [];
    const connect = (): Promise<PostgresClient> =>
      new Promise((resolve, reject) => asked.push({ resolve, reject }));
    const group = new GroupCommit({ connect }, () => Promise.resolve(RESULT));
    const first = group.run(statement('first'));
    const second = group.run(statement('second'));
    expect(asked).toHaveLength(1);
    asked[0]!.reject(new Error('refused'));
    // The second one came when the connection was already asked for.
    await expect(first).rejects.toMatchObject({ name: 'PaymentsStorageError' });
    expect(asked).toHaveLength(2);
    asked[1]!.resolve(plainClient());
    expect(await second).toBe(RESULT);
  });

  it('run by themselves on a client that can run only one at a time', async () => {
    const connect = vi.fn(() => Promise.resolve(plainClient()));
    const alone = vi.fn(() => Promise.resolve(RESULT));
    const group = new GroupCommit({ connect }, alone);
    expect(await Promise.all(['a', 'b', 'c'].map((text) => group.run(statement(text))))).toEqual([
      RESULT,
      RESULT,
      RESULT,
    ]);
    expect(alone.mock.calls).toEqual([
      ['a', ['a']],
      ['b', ['b']],
      ['c', ['c']],
    ]);
    expect(connect).toHaveBeenCalledTimes(1);
  });

  it('ask for another connection while one works, and for none if nothing waits', async () => {
    let answer: (() => void) | undefined;
    const slow = plainClient(
      vi.fn(
        () =>
          new Promise(
            (resolve) =>
              (answer = () => {
                resolve(RESULT);
              }),
          ),
      ),
    );
    const connect = vi.fn(() => Promise.resolve(plainClient())).mockResolvedValueOnce(slow);
    const group = new GroupCommit({ connect }, () => Promise.resolve(RESULT));
    const first = group.run(statement('slow'));
    await eventually(() => {
      expect(answer).toBeDefined();
    });
    expect(await group.run(statement('fast'))).toBe(RESULT);
    expect(connect).toHaveBeenCalledTimes(2);
    answer?.();
    expect(await first).toBe(RESULT);
  });

  it('are refused after four seconds each, and then are not run', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const query = vi.fn(() => Promise.resolve(RESULT));
      let give: ((client: PostgresClient) => void) | undefined;
      const connect = vi.fn(() => new Promise<PostgresClient>((resolve) => (give = resolve)));
      const group = new GroupCommit({ connect }, () => Promise.resolve(RESULT));
      const ended: string[] = [];
      const run = async (name: string): Promise<void> => {
        await group.run(statement(name)).then(
          () => ended.push(`${name} ran`),
          (error: unknown) => ended.push(`${name}: ${(error as Error).message}`),
        );
      };
      const early = run('early');
      await vi.advanceTimersByTimeAsync(3_000);
      const late = run('late');
      await vi.advanceTimersByTimeAsync(3_999);
      expect(ended).toEqual(['early: Timed out after 4000 ms waiting for a free connection of the pool.']);
      await vi.advanceTimersByTimeAsync(1);
      expect(ended).toHaveLength(2);
      const last = run('last');
      give?.(plainClient(query));
      await Promise.all([early, late, last]);
      expect(ended.slice(1)).toEqual([
        'late: Timed out after 4000 ms waiting for a free connection of the pool.',
        'last ran',
      ]);
      expect(query.mock.calls).toEqual([['last', ['last']]]);
    } finally {
      vi.useRealTimers();
    }
  });
});
