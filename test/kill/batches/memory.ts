import { type Line } from '../history.js';

/** The resident memory of the replica that nobody kills, in kilobytes: what it has at most in half of its time. */
export interface MemoryOfHalves {
  readonly samples: number;
  readonly firstKb: number;
  readonly secondKb: number;
}

/** Memory rises while a process compiles and fills its pools. */
const WARM_SAMPLES = 10;
const FEWEST_SAMPLES = 40;
/** What a garbage collection that comes later may leave. */
const MARGIN = 1.15;

/** Undefined if it did not live long enough to say anything. */
export function memoryOfHalves(history: readonly Line[]): MemoryOfHalves | undefined {
  const samples = history.flatMap((line) => (line.what === 'memory' ? [line.kb] : [])).slice(WARM_SAMPLES);
  if (samples.length < FEWEST_SAMPLES) return undefined;
  const middle = Math.floor(samples.length / 2);
  return {
    samples: samples.length,
    firstKb: Math.max(...samples.slice(0, middle)),
    secondKb: Math.max(...samples.slice(middle)),
  };
}

export function memoryFaults(memory: MemoryOfHalves | undefined): readonly string[] {
  if (!memory || memory.secondKb <= memory.firstKb * MARGIN) return [];
  return [`the memory of a replica rose from ${memory.firstKb} to ${memory.secondKb} kB`];
}
