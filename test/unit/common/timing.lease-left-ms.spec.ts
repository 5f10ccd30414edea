import { expect, it } from 'vitest';
import { leaseLeftMs } from '../../../lib/common/timing.js';

it.each<[what: string, now: number, updatedAt: number, leaseUntil: number, leftMs: number]>([
  ['granted this moment', 1_000, 1_000, 1_500, 500],
  ['that holds', 1_400, 1_000, 1_500, 100],
  ['that has run out', 1_500, 1_000, 1_500, 0],
  ['that ran out long ago', 9_000, 1_000, 1_500, 0],
  ['that was ended', 1_000, 1_000, 1_000, 0],
  ['that was ended before the clock was set back', 200, 1_000, 1_000, 0],
  ['that holds, by a clock that was set back', 200, 1_000, 1_500, 500],
])('a lease %s, at %d, written at %d until %d, has %d ms left', (_, now, updatedAt, leaseUntil, leftMs) => {
  expect(leaseLeftMs(now, updatedAt, leaseUntil)).toBe(leftMs);
});
