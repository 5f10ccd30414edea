import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { performance } from 'node:perf_hooks';
import { PaymentsStorageError } from '../../../../lib/errors/payments-errors.js';
import { OldestOfAll } from '../../../../lib/integrations/terminus/oldest-of-all.js';

describe('a look at all accounts', () => {
  let looks: ((oldest: undefined) => void)[];
  let oldestOfAll: OldestOfAll;

  const find = (): Promise<unknown> => {
    const oldestUnresolved = (): Promise<undefined> =>
      new Promise((resolve) => {
        looks.push(resolve);
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
    looks[0]?.(undefined);
    await vi.advanceTimersByTimeAsync(0);
    expect(await find()).toBeUndefined();
    expect(looks).toHaveLength(1);
  });
});
