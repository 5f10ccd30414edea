import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { backOffMs, pause } from '../../../lib/common/timing.js';
import { libraryTimers } from '../../support/library-timers.js';

describe('a pause', () => {
  let timers: () => number;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    timers = libraryTimers();
  });
  afterEach(() => {
    expect(timers()).toBe(0);
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it.each([
    ['without a signal', undefined],
    ['with a signal that stays silent', new AbortController().signal],
  ])('lasts as long as said and resolves to true, %s', async (_, signal) => {
    const ended = vi.fn();
    void pause(10, signal).then(ended);
    await vi.advanceTimersByTimeAsync(9);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(ended.mock.calls).toEqual([[true]]);
    if (signal) expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('resolves to false as soon as its signal fires', async () => {
    const controller = new AbortController();
    const paused = pause(10, controller.signal);
    controller.abort();
    expect(await paused).toBe(false);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('resolves to false at once if its signal has fired before', async () => {
    expect(await pause(10, AbortSignal.abort())).toBe(false);
  });
});

describe('the back-off', () => {
  const waits = { baseDelayMs: 500, maxDelayMs: 1_500 };

  it.each([
    [1, 1, 500],
    [2, 1, 1_000],
    [3, 1, 1_500],
    [60, 1, 1_500],
    [2, 0.5, 500],
    [2, 0, 0],
  ])('after %d tries with the chance %d is %d ms', (tries, chance, ms) => {
    expect(backOffMs(tries, waits, () => chance)).toBe(ms);
  });

  it('is another one each time', () => {
    expect(new Set(Array.from({ length: 10 }, () => backOffMs(3, waits))).size).toBeGreaterThan(1);
  });
});
