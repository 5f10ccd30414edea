import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { performance } from 'node:perf_hooks';
import { PaymentsStorageError } from '../../../../lib/errors/payments-errors.js';
import { OldestOfAll } from '../../../../lib/integrations/terminus/oldest-of-all.js';

describe('a look at all accounts', () => {
  let looks: { readonly resolve: (oldest: unknown) => void; readonly reject: (error: Error) => void }[];
  let oldestOfAll: OldestOfAll;

  const find = (): Promise<unknown> => {
    const oldestUnresolved = (): Promise<unknown> =>
      new Promise((resolve, reject) => {
        looks.push({ resolve, reject });
      });
    const all = { journal: { oldestUnresolved } };
    return oldestOfAll.find({ all: all as never }, 60_000).catch((error: unknown) => error);
  };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    vi.spyOn(performance, 'now').mockImplementation(() => Date.now());
    looks = [];
    oldestOfAll = new OldestOfAll();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('that takes over half a minute holds no check for longer, and a later check gets its result', async () => {
    const ended: string[] = [];
    const first = find().finally(() => ended.push('first'));
    await vi.advanceTimersByTimeAsync(20_000);
    const second = find().finally(() => ended.push('second'));
    await vi.advanceTimersByTimeAsync(9_990);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(ended).toEqual(['first', 'second']);
    expect(await first).toBeInstanceOf(PaymentsStorageError);
    expect(await second).toBeInstanceOf(PaymentsStorageError);
    const third = find();
    await vi.advanceTimersByTimeAsync(1);
    expect(await third).toBeInstanceOf(PaymentsStorageError);
    expect(looks).toHaveLength(1);
    looks[0]?.resolve(undefined);
    await vi.advanceTimersByTimeAsync(0);
    expect(await find()).toBeUndefined();
    expect(looks).toHaveLength(1);
  });

  /** Begins the first look, or the next one, and waits in vain. */
  const findTooLate = async (): Promise<unknown> => {
    const found = find();
    await vi.advanceTimersByTimeAsync(30_000);
    return found;
  };
  const endLook = async (oldest: unknown): Promise<void> => {
    if (oldest instanceof Error) looks.at(-1)?.reject(oldest);
    else looks.at(-1)?.resolve(oldest);
    await vi.advanceTimersByTimeAsync(0);
  };

  it('that takes over half a minute each time leaves the result of the one before until it has ended', async () => {
    expect(await findTooLate()).toBeInstanceOf(PaymentsStorageError);
    for (let look = 1; look <= 5; look += 1) {
      await endLook({ ageMs: look });
      expect(await find()).toEqual({ ageMs: look });
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await findTooLate()).toEqual({ ageMs: look });
      const further = find();
      await vi.advanceTimersByTimeAsync(1);
      expect(await further).toEqual({ ageMs: look });
      expect(looks).toHaveLength(look + 1);
    }
  });

  it('that failed leaves no result of one before it', async () => {
    void find();
    await endLook({ ageMs: 1 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await findTooLate()).toEqual({ ageMs: 1 });
    const failed = new PaymentsStorageError('away');
    await endLook(failed);
    const next = find();
    await endLook(failed);
    expect(await next).toBe(failed);
    expect(await findTooLate()).toBeInstanceOf(PaymentsStorageError);
  });

  it('leaves no result of one that is ten minutes too old', async () => {
    void find();
    await endLook({ ageMs: 1 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await findTooLate()).toEqual({ ageMs: 1 });
    await vi.advanceTimersByTimeAsync(600_000 - 31_000);
    const before = find();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await before).toEqual({ ageMs: 1 });
    const after = find();
    await vi.advanceTimersByTimeAsync(1);
    expect(await after).toBeInstanceOf(PaymentsStorageError);
    expect(looks).toHaveLength(2);
  });
});
