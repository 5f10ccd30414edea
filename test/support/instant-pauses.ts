import { syncBuiltinESMExports } from 'node:module';
import { performance } from 'node:perf_hooks';
import timers from 'node:timers/promises';
import { afterEach, beforeEach, vi } from 'vitest';

/** A clock that stands still but for the pauses, which end at once. */
export interface InstantPauses {
  /** What `performance.now()` says. */
  now: number;
  /** How long each pause was to last, in milliseconds. */
  pauses: number[];
}

/** Lets the pauses of every test in the file end at once. */
export function instantPauses(): InstantPauses {
  const clock: InstantPauses = { now: 0, pauses: [] };
  beforeEach(() => {
    clock.now = 1_000;
    clock.pauses = [];
    vi.spyOn(performance, 'now').mockImplementation(() => clock.now);
    vi.spyOn(timers, 'setTimeout').mockImplementation((ms = 0) => {
      clock.pauses.push(ms);
      clock.now += ms;
      return Promise.resolve(undefined as never);
    });
    syncBuiltinESMExports();
  });
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  return clock;
}
