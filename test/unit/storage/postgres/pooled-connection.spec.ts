import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PooledConnection } from '../../../../lib/storage/postgres/pooled-connection.js';
import { type PostgresPool } from '../../../../lib/storage/postgres/postgres-pool.js';

describe('a connection of the pool', () => {
  const ANSWER = { rows: [], rowCount: 0 };
  const client = {
    query: vi.fn((_text: string): Promise<typeof ANSWER> => Promise.resolve(ANSWER)),
    release: vi.fn((_destroy?: boolean) => {}),
    on: vi.fn((_event: 'error', _listener: () => void) => undefined),
    removeListener: vi.fn(),
  };
  const { query, release } = client;
  const take = (): Promise<PooledConnection> =>
    PooledConnection.from({ connect: () => Promise.resolve({ ...client }) });

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.clearAllMocks();
    query.mockReset().mockResolvedValue(ANSWER);
  });

  it('goes back as it was, once', async () => {
    const connection = await take();
    expect(await connection.run('SELECT 1')).toBe(ANSWER);
    connection.release('usable');
    connection.release('unknown');
    expect(release.mock.calls).toEqual([[false]]);
    await expect(connection.run('SELECT 2')).rejects.toThrow('is gone');
    expect(query).toHaveBeenCalledTimes(1);
  });

  it('serves on after a statement that PostgreSQL refused', async () => {
    const connection = await take();
    query.mockRejectedValueOnce(new Error('secret'));
    await expect(connection.run('SELECT 1')).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.not.stringContaining('secret') as unknown,
    });
    await connection.run('ROLLBACK');
    connection.release('usable');
    expect(release.mock.calls).toEqual([[false]]);
  });

  it('takes nothing more, and is closed, once it gave no answer for four seconds', async () => {
    const connection = await take();
    query.mockReturnValueOnce(new Promise(() => {}));
    const run = expect(connection.run('SELECT 1')).rejects.toThrow('an answer of PostgreSQL');
    await vi.advanceTimersByTimeAsync(4_000);
    await run;
    await expect(connection.run('ROLLBACK')).rejects.toThrow('is gone');
    expect(query).toHaveBeenCalledTimes(1);
    connection.release('usable');
    expect(release.mock.calls).toEqual([[true]]);
  });

  it('takes nothing more, and is closed, once it broke', async () => {
    const connection = await take();
    client.on.mock.lastCall?.[1]();
    await expect(connection.run('SELECT 1')).rejects.toThrow('is gone');
    connection.release('usable');
    expect(release.mock.calls).toEqual([[true]]);
  });

  it('goes straight back if it comes too late', async () => {
    let connect: (given: typeof client) => void = () => {};
    const pool = { connect: () => new Promise<typeof client>((resolve) => (connect = resolve)) };
    const taken = expect(PooledConnection.from(pool as unknown as PostgresPool)).rejects.toThrow(
      'a free connection of the pool',
    );
    await vi.advanceTimersByTimeAsync(4_000);
    await taken;
    connect(client);
    await vi.advanceTimersByTimeAsync(0);
    expect(release.mock.calls).toEqual([[]]);
  });
});
