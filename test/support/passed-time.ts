import { expect } from 'vitest';
import { performance } from 'node:perf_hooks';

/** A store may round to whole milliseconds, or read a clock of another process. */
const ROUNDING_MS = 5;

/**
 * Starts to measure. The returned function expects that of a time that a store tells so much has passed, and besides no more
 * than what has really passed since: on a machine that stands still, that is more.
 */
export function measureTime(): (toldMs: number | undefined, passedMs: number) => void {
  const startedAt = performance.now();
  return (toldMs, passedMs) => {
    const reallyMs = performance.now() - startedAt;
    expect(toldMs).toBeGreaterThanOrEqual(passedMs - ROUNDING_MS);
    expect(toldMs).toBeLessThanOrEqual(passedMs + reallyMs + ROUNDING_MS);
  };
}
