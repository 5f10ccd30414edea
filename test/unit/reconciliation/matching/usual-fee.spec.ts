import { describe, expect, it } from 'vitest';
import { UsualFee } from '../../../../lib/reconciliation/matching/usual-fee.js';

const feeOf = (samples: readonly (readonly [number, number])[], cents: number): number | undefined => {
  const usual = new UsualFee();
  for (const [amount, fee] of samples) usual.add(amount, fee);
  return usual.of(cents);
};

describe('the usual fee', () => {
  it.each<[string, readonly (readonly [number, number])[], number, number | undefined]>([
    ['is not known without a payment', [], 100, undefined],
    [
      'is the same for every amount if it always was',
      [
        [1_000, 50],
        [9_000, 50],
      ],
      300,
      50,
    ],
    [
      'is a part of the amount if it always was',
      [
        [1_000, 10],
        [12_345, 123],
      ],
      200_000,
      1_993,
    ],
    [
      'follows no rule if one payment does not',
      [
        [1_000, 10],
        [2_000, 20],
        [3_000, 31],
      ],
      1_000,
      undefined,
    ],
  ])('%s', (_, samples, cents, fee) => {
    expect(feeOf(samples, cents)).toBe(fee);
  });
});
