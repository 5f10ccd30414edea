import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LONGEST_TIMER_MS, withTimeout, leftBehind } from '../../../lib/common/timing.js';
import { fakePerformance } from '../../support/fake-performance.js';
import { libraryTimers } from '../../support/library-timers.js';

const late = (): Error => new Error('late');
const never = (): Promise<never> => new Promise<never>(() => undefined);

describe('work that is waited for until a deadline', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    fakePerformance();
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('gives its value or its error, and leaves no timer', async () => {
    const timers = libraryTimers();
    expect(await withTimeout(Promise.resolve('done'), performance.now() + 10, late)).toBe('done');
    await expect(
      withTimeout(Promise.reject(new Error('away')), performance.now() + 10, late),
    ).rejects.toThrow('away');
    expect(timers()).toBe(0);
  });

  it('is late at the deadline and not before', async () => {
    const failed = vi.fn();
    const waiting = withTimeout(never(), performance.now() + 10, late).catch(failed);
    await vi.advanceTimersByTimeAsync(9);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
    expect(failed).toHaveBeenCalledWith(late());
  });

  it('waits for the longest timer if the deadline is later', async () => {
    const failed = vi.fn();
    const waiting = withTimeout(never(), performance.now() + LONGEST_TIMER_MS + 500, late).catch(failed);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(LONGEST_TIMER_MS);
    await waiting;
    expect(failed).toHaveBeenCalledWith(late());
  });

  it('keeps no process from ending', () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    void withTimeout(never(), performance.now() + 10, late);
    expect(timers.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([false]);
  });
});

it('its error leads to the work that still runs, and no other error does', async () => {
  const work = new Promise<void>(() => undefined);
  const error = await withTimeout(work, performance.now(), () => new Error('late')).catch(
    (late: unknown) => late,
  );
  expect(leftBehind(error)).toBe(work);
  for (const other of [new Error('late'), undefined, 'late']) expect(leftBehind(other)).toBeUndefined();
  const failed = new Error('it failed');
  await expect(
    withTimeout(Promise.reject(failed), performance.now() + 1_000, () => new Error('late')),
  ).rejects.toBe(failed);
  expect(leftBehind(failed)).toBeUndefined();
});
