import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { explainGap, type GapCandidate } from '../../../../lib/reconciliation/balance/explain-gap.js';

/** Candidates `0`, `1`, … with these cents. */
function candidatesOf(cents: readonly number[]): readonly GapCandidate[] {
  return cents.map((each, index) => ({ id: String(index), cents: each }));
}

/** Every set of candidates that explains a gap. */
function allExplanations(gap: number, candidates: readonly GapCandidate[]): (readonly string[])[] {
  const sets: (readonly string[])[] = [];
  for (let bits = 0; bits < 2 ** candidates.length; bits += 1) {
    const picked = candidates.filter((_, index) => Math.floor(bits / 2 ** index) % 2 === 1);
    if (picked.reduce((sum, { cents }) => sum + cents, 0) === gap) sets.push(picked.map(({ id }) => id));
  }
  return sets;
}

/** Each is twice the one before, so that every set has another sum. */
const doubling = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => 2 ** index);

describe('the payments that explain a gap', () => {
  it.each([
    ['a single one', -2_500, [-1_000, -2_500, 4_000], ['1']],
    ['a collection and a payout', 3_000, [-1_000, -2_500, 4_000], ['0', '2']],
    ['all of them', 500, [-1_000, -2_500, 4_000], ['0', '1', '2']],
    ['none for no gap', 0, [-1_000, -2_500, 4_000], []],
    ['none without candidates', 0, [], []],
    ['one, though two others have the same amount', -700, [-300, -300, -700, -900], ['2']],
  ])('are %s', (_what, gap, cents, ids) => {
    expect(explainGap(gap, candidatesOf(cents))).toEqual(ids);
  });

  it.each([
    ['nothing explains it', 1, [-1_000, -2_500, 4_000]],
    ['there are no candidates', 1, []],
    ['two have the same amount', -300, [-300, -300, -700]],
    ['one or two others explain it', -700, [-300, -400, -700]],
    ['a payment of nothing may belong to them', -300, [-300, 0]],
    ['no gap may be two that cancel each other', 0, [-300, 300]],
    ['sums would not be exact', 3, [Number.MAX_SAFE_INTEGER, 1, 2]],
    ['an amount is none', 3, [3, Number.NaN]],
  ])('are not named if %s', (_why, gap, cents) => {
    expect(explainGap(gap, candidatesOf(cents))).toBeUndefined();
  });

  it('are the only set that explains it, or not named', () => {
    const amounts = fc.oneof(
      fc.array(fc.integer({ min: -6, max: 6 }), { maxLength: 10 }),
      fc.array(fc.integer({ min: -60, max: 0 }), { maxLength: 10 }),
      fc.array(fc.integer({ min: -5_000, max: 5_000 }), { maxLength: 10 }),
    );
    const named = { one: 0, none: 0, several: 0 };
    fc.assert(
      fc.property(
        amounts,
        fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
        fc.nat(3),
        (cents, picks, miss) => {
          const candidates = candidatesOf(cents);
          const sum = cents.filter((_, index) => picks[index]).reduce((total, each) => total + each, 0);
          const gap = sum + (miss === 3 ? 1 : 0);
          const all = allExplanations(gap, candidates);
          expect(explainGap(gap, candidates)).toEqual(all.length === 1 ? all[0] : undefined);
          named[all.length === 1 ? 'one' : all.length === 0 ? 'none' : 'several'] += 1;
        },
      ),
      { numRuns: 600 },
    );
    expect(Math.min(...Object.values(named))).toBeGreaterThan(20);
  });
});

describe('the bound of the work', () => {
  it('is never reached by 34 candidates', () => {
    // All are about as large, and half of them explain it: hardly a sum can be left out.
    const cents = doubling(34).map((size) => 2 ** 40 + size);
    const picked = cents.map((_, index) => index).filter((index) => index % 4 < 2);
    const gap = picked.reduce((sum, index) => sum + cents[index]!, 0);
    expect(explainGap(gap, candidatesOf(cents))).toEqual(picked.map(String));
  });

  it('is reached by many candidates of which nothing can be said', () => {
    const gap = 2 ** 44 + 2 ** 22 + 1;
    expect(
      explainGap(gap, candidatesOf(doubling(45).map((size, index) => (index % 2 ? -size : size)))),
    ).toBeUndefined();
  });

  it('is not reached by a thousand candidates that are larger than the gap', () => {
    const large = Array.from({ length: 1_000 }, (_, index) => -100_000 - index);
    expect(explainGap(-750, candidatesOf([...large, -500, -250, -600]))).toEqual(['1000', '1001']);
  });

  it('is not reached by a hundred candidates of few amounts', () => {
    const cents = Array.from({ length: 100 }, (_, index) => -1_000 * (1 + (index % 2)));
    expect(explainGap(-150_000, candidatesOf(cents))).toHaveLength(100);
    expect(explainGap(-149_000, candidatesOf(cents))).toBeUndefined();
    expect(explainGap(-149_500, candidatesOf(cents))).toBeUndefined();
  });

  it('ends the search among a million candidates', () => {
    const cents = Array.from({ length: 1_000_000 }, (_, index) => -1 - index);
    expect(explainGap(-7, candidatesOf(cents))).toBeUndefined();
  });
});
