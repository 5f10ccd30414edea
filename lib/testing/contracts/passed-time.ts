import { performance } from 'node:perf_hooks';
import { type ContractExpect } from './contract-framework.js';

/** A store may round to whole milliseconds, or read a clock of another process. */
const ROUNDING_MS = 5;

/**
 * Starts to measure. The returned function expects that a store says of a time that so much has passed, and besides no more
 * than what has really passed since: on a machine that stands still, that is more.
 */
export function measureTime(expect: ContractExpect): (saidMs: number | undefined, passedMs: number) => void {
  const startedAt = performance.now();
  return (saidMs, passedMs) => {
    const reallyMs = performance.now() - startedAt;
    expect(saidMs).toBeGreaterThanOrEqual(passedMs - ROUNDING_MS);
    expect(saidMs).toBeLessThanOrEqual(passedMs + reallyMs + ROUNDING_MS);
  };
}
