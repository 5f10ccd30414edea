import { performance } from 'node:perf_hooks';
import { percentile } from '../shared/statistics.mjs';

/** Failures that count as time-outs. */
export const TIME_OUT = 'time-out';
export const LATE = 'written late';

/**
 * Does a piece of work so many times, so many at once.
 *
 * @returns Milliseconds that all took, latencies of what succeeded, and how often each kind of failure came.
 */
export async function underLoad(times, concurrency, work) {
  const tookMs = [];
  const failures = {};
  let begun = 0;
  const worker = async () => {
    while (begun < times) {
      const index = begun;
      begun += 1;
      const startedAt = performance.now();
      try {
        await work(index);
        tookMs.push(performance.now() - startedAt);
      } catch (error) {
        const kind = failureOf(error);
        failures[kind] = (failures[kind] ?? 0) + 1;
      }
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { done: tookMs.length, ...latencies(tookMs), allMs: performance.now() - startedAt, failures };
}

export function latencies(tookMs) {
  if (tookMs.length === 0) return { p50: Number.NaN, p99: Number.NaN };
  return { p50: percentile(tookMs, 0.5), p99: percentile(tookMs, 0.99) };
}

function failureOf({ name, message }) {
  return /within|time(?:d )?-?out/i.test(message) ? TIME_OUT : name;
}
