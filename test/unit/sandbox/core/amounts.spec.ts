import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { formatCents } from '../../../../lib/common/money.js';
import { centsAsNumber, centsOf, collectionFee } from '../../../../lib/sandbox/core/amounts.js';
import { fieldErrors } from '../../../../lib/sandbox/openapi/request-validation.js';

const cents = fc.bigInt({ min: 1n, max: 10n ** 15n - 1n });

function refuses(amount: unknown): boolean {
  return 'amount' in fieldErrors('MobileMoneyCollectionRequest', { amount });
}

describe('amounts in the emulator', () => {
  it('keep every cent, written as a number or as a string, over the whole range', () => {
    fc.assert(
      fc.property(cents, (value) => {
        const text = formatCents(value);
        expect([refuses(text), refuses(Number(text))]).toEqual([false, false]);
        expect([centsOf(text), centsOf(Number(text))]).toEqual([value, value]);
        expect(formatCents(BigInt(Math.round(centsAsNumber(value) * 100)))).toBe(text);
      }),
    );
  });

  it('are refused with a third decimal', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), fc.integer({ min: 1, max: 9 }), (whole, third) => {
        expect(refuses(`${whole}.00${third}`)).toBe(true);
        expect(refuses(Number(`${whole}.00${third}`))).toBe(true);
      }),
    );
  });

  it.each(['1,000', '01', '.5', '1.', ' 1', '1e3', '-1', '+1', '10000000000000', 'NaN', 1e13, -1, 0, 0.001])(
    'are refused as %j',
    (amount) => {
      expect(refuses(amount)).toBe(true);
    },
  );

  it.each([
    [1n, 0n],
    [24n, 0n],
    [25n, 1n],
    [1_500_000n, 30_000n],
  ])('of %d cents cost %d at two per cent, halves rounded up', (amount, fee) => {
    expect(collectionFee(amount, { collectionBasisPoints: 200n, payoutCents: 0n })).toBe(fee);
  });
});
