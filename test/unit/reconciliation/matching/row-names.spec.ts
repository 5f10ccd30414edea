import { describe, expect, it } from 'vitest';
import { misnamedRows, type NameSigns } from '../../../../lib/reconciliation/matching/row-names.js';

type Amount = NameSigns['differing'][number];

const amount = (cents: number | undefined, family: Amount['family'] = 'collection'): Amount => ({
  family,
  cents,
});
const amounts = (...cents: readonly (number | undefined)[]): readonly Amount[] =>
  cents.map((each) => amount(each));
const NONE: NameSigns = { agreeing: 0, asides: 0, loose: 0, differing: [], strangers: [], unclaimed: [] };

describe('rows with the amount of a payment that they do not name', () => {
  it.each<[string, Partial<NameSigns>, number]>([
    ['without rows', { unclaimed: amounts(1, 2) }, 0],
    ['if no row names a payment', { strangers: amounts(1, 2), unclaimed: amounts(1) }, 1],
    ['each row once', { strangers: amounts(1), unclaimed: amounts(1, 1) }, 1],
    ['each payment once', { strangers: amounts(1, 1, 2), unclaimed: amounts(1, 2) }, 2],
    ['of other amounts', { strangers: amounts(1), unclaimed: amounts(2, undefined) }, 0],
    ['of the other direction', { strangers: amounts(1), unclaimed: [amount(1, 'disbursement')] }, 0],
    ['as many as others that name one', { asides: 1, strangers: amounts(1), unclaimed: amounts(1) }, 0],
    ['more than others that name one', { asides: 1, strangers: amounts(1, 2), unclaimed: amounts(1, 2) }, 2],
    ['if one names another payment', { differing: amounts(1), unclaimed: amounts(1) }, 0],
    ['if two name another payment', { differing: amounts(1, 2), unclaimed: amounts(1, 2) }, 2],
    [
      'if one of two names another payment',
      { differing: amounts(1), strangers: amounts(2), unclaimed: amounts(1, 2) },
      2,
    ],
    [
      'as many as rows that differ from every payment',
      { differing: amounts(8, 9), strangers: amounts(1, 2), unclaimed: amounts(1, 2) },
      0,
    ],
    [
      'more than rows that differ from every payment',
      { differing: amounts(8, 9), strangers: amounts(1, 2, 3), unclaimed: amounts(1, 2, 3) },
      3,
    ],
    [
      'if as many agree with their payment as differ',
      {
        agreeing: 2,
        differing: amounts(1, 2),
        strangers: amounts(3, 4, 5),
        unclaimed: amounts(1, 2, 3, 4, 5),
      },
      0,
    ],
    [
      'if fewer agree with their payment than differ',
      { agreeing: 1, differing: amounts(1, 2), unclaimed: amounts(1, 2) },
      2,
    ],
    [
      'not more than rows that may be right',
      { agreeing: 2, differing: amounts(1, 2, 8), unclaimed: amounts(1, 2) },
      0,
    ],
    [
      'not more than rows without a reference that fit',
      { loose: 1, strangers: amounts(1), unclaimed: amounts(1) },
      0,
    ],
    [
      'more than rows without a reference that fit',
      { loose: 1, strangers: amounts(1, 2), unclaimed: amounts(1, 2) },
      2,
    ],
    [
      'beside rows that are no payments',
      { asides: 9, differing: amounts(1, 2), unclaimed: amounts(1, 2) },
      2,
    ],
  ])('count %s', (_, signs, count) => {
    expect(misnamedRows({ ...NONE, ...signs })).toBe(count);
  });
});
