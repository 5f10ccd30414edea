import { performance } from 'node:perf_hooks';
import { vi } from 'vitest';

/**
 * Makes `performance` of `node:perf_hooks` follow the faked timers. Vitest fakes the global one alone, and on a busy
 * machine real time would pass between two readings of the library. Call it after the timers were faked;
 * `vi.restoreAllMocks()` ends it.
 */
export function fakePerformance(): void {
  vi.spyOn(performance, 'now').mockImplementation(() => globalThis.performance.now());
}
