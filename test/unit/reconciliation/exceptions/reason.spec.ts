import { describe, expect, it } from 'vitest';
import { hintOf, reasonOf } from '../../../../lib/reconciliation/exceptions/reason.js';

describe('the words of an exception', () => {
  it.each([
    [2_050_000, 'The balance is 20500.00 TZS more than the payments explain.'],
    [-2_050_000, 'The balance is 20500.00 TZS less than the payments explain.'],
  ])('say which way a balance differs: %d', (gap, words) => {
    expect(reasonOf({ kind: 'balance', family: undefined, reference: undefined, gap })).toBe(words);
  });

  it.each([
    [[], [], 'It fits if none of the open payments moved.'],
    [['a', 'b'], [], 'It fits if exactly these open payments moved: "a", "b".'],
    [[], ['c'], 'It fits if none of the open payments moved, and the money of exactly these came back: "c".'],
    [
      ['a'],
      ['c'],
      'It fits if exactly these open payments moved: "a", and the money of exactly these came back: "c".',
    ],
  ])('say what moved and what came back: %j and %j', (moved, cameBack, hint) => {
    expect(hintOf({ moved, cameBack })).toBe(hint);
  });

  it('name no more than twenty payments', () => {
    const moved = Array.from({ length: 1_000 }, (_, index) => `order-${index}`);
    expect(hintOf({ moved, cameBack: [] })).toMatch(/"order-19" and 980 more\.$/);
  });
});
