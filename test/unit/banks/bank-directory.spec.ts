import { describe, expect, it } from 'vitest';
import { usefulness } from '../../../lib/banks/bank-directory.js';

describe('a kept list of banks', () => {
  const limits = { maxAgeMs: 1_000, staleIfErrorMs: 500 };

  it.each([
    [0, limits, 'fresh'],
    [999, limits, 'fresh'],
    [1_000, limits, 'stale'],
    [1_499, limits, 'stale'],
    [1_500, limits, 'expired'],
    [1_000, { ...limits, staleIfErrorMs: 0 }, 'expired'],
  ] as const)('that is %i ms old is, under %p, %s', (age, bounds, use) => {
    expect(usefulness(age, bounds)).toBe(use);
  });
});
