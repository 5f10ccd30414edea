import { getEventListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LONGEST_TIMER_MS, withDeadline } from '../../../lib/common/timing.js';
import { fakePerformance } from '../../support/fake-performance.js';
import { libraryTimers } from '../../support/library-timers.js';

const never = (): Promise<never> => new Promise<never>(() => undefined);

describe('work with a deadline and a signal', () => {
  let timers: () => number;
  let signal: AbortSignal;
  let abort: () => void;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    fakePerformance();
    timers = libraryTimers();
    const controller = new AbortController();
    signal = controller.signal;
    abort = () => {
      controller.abort();
    };
  });
  afterEach(() => {
    // The wait leaves no listener and no timer behind.
    expect(timers()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('waits for the longest timer if the deadline is later', async () => {
    const waited = withDeadline(never(), performance.now() + LONGEST_TIMER_MS + 500, signal);
    await vi.advanceTimersByTimeAsync(1_000);
    abort();
    expect(await waited).toEqual({ ended: 'aborted' });
  });

  it('leaves no timer behind if the signal is none', async () => {
    const none = new AbortController() as unknown as AbortSignal;
    await expect(withDeadline(never(), performance.now() + 100, none)).rejects.toThrow(TypeError);
  });

  it('gives the value of the work', async () => {
    expect(await withDeadline(Promise.resolve(5), performance.now() + 10, signal)).toEqual({
      ended: 'done',
      value: 5,
    });
    expect(await withDeadline(Promise.resolve(5), performance.now() + 10)).toEqual({
      ended: 'done',
      value: 5,
    });
  });

  it('rejects with what the work rejects with, whatever it is', async () => {
    const error = new Error('away');
    await expect(withDeadline(Promise.reject(error), performance.now() + 10, signal)).rejects.toBe(error);
  });

  it('is late at the deadline and not before', async () => {
    const ended = vi.fn();
    void withDeadline(never(), performance.now() + 10, signal).then(ended);
    await vi.advanceTimersByTimeAsync(9);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(ended.mock.calls).toEqual([[{ ended: 'late' }]]);
  });

  it('is late at once if the deadline has passed', async () => {
    const waiting = withDeadline(never(), performance.now() - 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await waiting).toEqual({ ended: 'late' });
  });

  it('is aborted as soon as the signal fires', async () => {
    const waiting = withDeadline(never(), performance.now() + 10, signal);
    abort();
    expect(await waiting).toEqual({ ended: 'aborted' });
  });

  it('is aborted at once if the signal has fired before', async () => {
    abort();
    expect(await withDeadline(Promise.resolve(5), performance.now() + 10, signal)).toEqual({
      ended: 'aborted',
    });
  });
});

it('the longest timer is one that Node.js does not cut short', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  clearTimeout(setTimeout(() => undefined, LONGEST_TIMER_MS));
  expect(warned).not.toHaveBeenCalled();
  clearTimeout(setTimeout(() => undefined, LONGEST_TIMER_MS + 1));
  expect(warned).toHaveBeenCalledOnce();
  warned.mockRestore();
});
