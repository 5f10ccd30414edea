import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { performance } from 'node:perf_hooks';
import { AccountPool } from '../../../lib/accounts/account-pool.js';
import { type Account } from '../../../lib/accounts/account.js';
import { inFlightPlaces } from '../../../lib/common/in-flight.js';
import { MinuteLog } from '../../../lib/common/minute-log.js';
import { Turns } from '../../../lib/common/turns.js';
import { PathLookups } from '../../../lib/accounts/path-lookups.js';
import { resolveResolverOptions } from '../../../lib/config/resolve-accounts.js';

let now: number;

beforeEach(() => {
  now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('turns', () => {
  it('turns of lookups begin a number in a second, and not more after a pause', () => {
    const turns = new Turns(100, 3);
    const begun = (): number => Array.from({ length: 10 }, () => turns.isWithinRate()).filter(Boolean).length;
    expect(begun()).toBe(3);
    now += 999 / 3;
    expect(begun()).toBe(0);
    now += 1;
    expect(begun()).toBe(1);
    now += 3_600_000;
    expect(begun()).toBe(3);
  });

  it('turns of lookups let a number run at once, the others in the order in which they came, or not at all', async () => {
    const turns = new Turns(2, Infinity);
    expect([turns.begin(1_000), turns.begin(1_000)]).toEqual([true, true]);
    const ends: string[] = [];
    const late = Promise.resolve(turns.begin(1)).then((has) => ends.push(`late ${has}`));
    await late;
    const waiting = ['first', 'second'].map((name) =>
      Promise.resolve(turns.begin(60_000)).then((has) => ends.push(`${name} ${has}`)),
    );
    turns.end();
    await waiting[0];
    turns.end();
    await waiting[1];
    expect(ends).toEqual(['late false', 'first true', 'second true']);
    turns.end();
    expect(turns.begin(1)).toBe(true);
    expect(turns.begin(1)).toBeInstanceOf(Promise);
  });
});

it('a report a minute says how often it happened', () => {
  const lines: string[] = [];
  const log = new MinuteLog((line) => lines.push(line));
  for (let turn = 0; turn < 5; turn += 1) log.report('It failed');
  now += 60_000;
  log.report('It failed');
  expect(lines).toEqual(['It failed.', 'It failed (4 more since the last line).']);
});

describe('names of paths', () => {
  const idle = (): Promise<void> => Promise.resolve();
  const answerOf = (name: string) =>
    name.startsWith('shop') ? { apiKey: `pk_test_${name}`, apiSecret: `sk_test_${name}` } : undefined;
  const asked: string[] = [];
  let answer: (name: string) => unknown;
  let lookups: PathLookups;
  let pool: AccountPool;

  beforeEach(() => {
    asked.length = 0;
    answer = answerOf;
    const options = resolveResolverOptions(
      {
        baseUrl: 'http://127.0.0.1:1/api/v1',
        accounts: {
          resolve: (name: string) => {
            asked.push(name);
            return answer(name);
          },
          maxPathLookups: 2,
          pathLookupsPerSecond: 100,
        },
      },
      'default',
    );
    pool = new AccountPool(
      options,
      ({ account }) =>
        ({ services: { account }, receiver: undefined, stop: () => undefined, idle }) as unknown as Account,
      inFlightPlaces(10),
    );
    lookups = new PathLookups(pool, { ...options.accounts, waitingBytes: 10_000_000 });
  });

  const found = async (name: string): Promise<string> => {
    const one = await lookups.find(name, 100);
    return typeof one === 'string' ? one : one.name;
  };

  it('names of paths that are invented by the thousand neither reach the resolver nor push out what is known', async () => {
    expect(await found('shop')).toBe('shop');
    expect(await found('nobody')).toBe('unknown');
    const ends = await Promise.all(Array.from({ length: 20_000 }, (_, index) => found(`invented-${index}`)));
    expect(ends.filter((end) => end === 'unknown')).toHaveLength(99 - 1);
    expect(ends.filter((end) => end === 'busy')).toHaveLength(20_000 - 98);
    expect(asked).toHaveLength(100);
    // Its keys are past cacheMs, and no turn of a stranger is left.
    now += 4_000;
    const flood = Array.from({ length: 200 }, (_, turn) => found(`more-${turn}`));
    pool.forget('shop');
    expect(await found('shop')).toBe('shop');
    expect(await found('nobody')).toBe('unknown');
    expect(asked.filter((name) => name === 'nobody')).toHaveLength(1);
    await Promise.all(flood);
  });

  it('names of paths are looked up even for a body that is longer than what may wait, but for no second one meanwhile', async () => {
    const small = new PathLookups(pool, {
      maxPathLookups: 2,
      pathLookupsPerSecond: 9,
      timeoutMs: 9,
      waitingBytes: 10,
    });
    const [first, second] = await Promise.all([small.find('shop', 100), small.find('shop', 1)]);
    expect(first).toMatchObject({ name: 'shop' });
    expect(second).toBe('busy');
    expect(await small.find('nobody', 100)).toBe('unknown');
  });

  it('names of paths that the resolver fails on are busy for a second, without another question', async () => {
    answer = () => {
      throw new Error('away');
    };
    for (let turn = 0; turn < 5; turn += 1) expect(await found('shop')).toBe('busy');
    expect(asked).toEqual(['shop']);
    answer = () => ({ apiKey: 'pk_test_shop', apiSecret: 'sk_test_shop' });
    expect(await found('shop')).toBe('busy');
    now += 1_000;
    expect(await found('shop')).toBe('shop');
  });

  it('names of paths wait for a hanging resolver at most two at once, and known accounts do not wait behind them', async () => {
    await found('shop');
    const free: (() => void)[] = [];
    answer = (name) => (name === 'shop' ? undefined : new Promise<void>((resolve) => free.push(resolve)));
    const ends = ['a', 'b', 'c', 'a'].map(found);
    await new Promise(setImmediate);
    expect(asked).toEqual(['shop', 'a', 'b']);
    pool.forget('shop');
    expect(await found('shop')).toBe('unknown');
    while (free.length > 0) {
      free.pop()!();
      await new Promise(setImmediate);
    }
    expect(await Promise.all(ends)).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
    expect(asked).toEqual(['shop', 'a', 'b', 'shop', 'c']);
  });

  describe('while time passes', () => {
    beforeEach(() => {
      vi.useFakeTimers();
      const begun = Date.now();
      vi.spyOn(performance, 'now').mockImplementation(() => now + Date.now() - begun);
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    /** Accounts that are known, for some of which the resolver hangs from now on. */
    const hangs = async (...names: string[]): Promise<void> => {
      for (const name of names) expect(await found(name)).toBe(name);
      answer = (name) => (name.startsWith('shop-bad') ? new Promise(() => undefined) : answerOf(name));
      for (const name of names) pool.forget(name);
      asked.length = 0;
    };
    const bad = Array.from({ length: 20 }, (_, at) => `shop-bad-${at}`);

    it('known accounts for which the resolver hangs keep no other known account waiting for long', async () => {
      await hangs('shop', ...bad);
      const waiting = bad.map(found);
      const healthy = found('shop');
      expect(asked).toEqual([]);
      await vi.advanceTimersByTimeAsync((20 / 2) * 100);
      expect(await healthy).toBe('shop');
      await vi.advanceTimersByTimeAsync(5_000);
      expect(new Set(await Promise.all(waiting))).toEqual(new Set(['busy']));
    });

    it('known accounts for which the resolver has hung wait for each other alone, at most two at once', async () => {
      await hangs('shop', ...bad);
      const first = Promise.all(bad.map(found));
      await vi.advanceTimersByTimeAsync(1_000 + 5_000);
      await first;
      await vi.advanceTimersByTimeAsync(1_000);
      asked.length = 0;
      const second = bad.map(found);
      expect(await found('shop')).toBe('shop');
      await vi.advanceTimersByTimeAsync(4_900);
      expect(asked).toEqual(['shop-bad-0', 'shop-bad-1', 'shop']);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(new Set(await Promise.all(second))).toEqual(new Set(['busy']));
      // A minute later they count as the others.
      answer = answerOf;
      expect(await found('shop-bad-9')).toBe('shop-bad-9');
    });

    it('a lookup that is slow, and ends, keeps its account among the others and ends its turn once', async () => {
      await hangs('shop-1', 'shop-2', 'shop-3', 'shop-4');
      // Those that were not slow have ended their turns once, too.
      for (const name of ['shop-1', 'shop-2', 'shop-3', 'shop-4']) await found(name);
      await vi.advanceTimersByTimeAsync(1_000);
      await hangs('shop-1', 'shop-2', 'shop-3', 'shop-4');
      answer = async (name) => {
        await new Promise((resolve) => setTimeout(resolve, name === 'shop-1' ? 150 : 10_000));
        return answerOf(name);
      };
      const waiting = ['shop-1', 'shop-2', 'shop-3', 'shop-4'].map(found);
      await vi.advanceTimersByTimeAsync(99);
      expect(asked).toEqual(['shop-1', 'shop-2']);
      await vi.advanceTimersByTimeAsync(1);
      expect(asked).toEqual(['shop-1', 'shop-2', 'shop-3', 'shop-4']);
      await vi.advanceTimersByTimeAsync(50);
      expect(await waiting[0]).toBe('shop-1');
      pool.forget('shop-1');
      const again = found('shop-1');
      await vi.advanceTimersByTimeAsync(49);
      // The two turns are those of the third and of the fourth.
      expect(asked).toHaveLength(4);
      await vi.advanceTimersByTimeAsync(1);
      expect(asked).toHaveLength(5);
      await vi.advanceTimersByTimeAsync(150);
      expect(await again).toBe('shop-1');
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await Promise.all(waiting)).toEqual(['shop-1', 'busy', 'busy', 'busy']);
    });
  });
});
