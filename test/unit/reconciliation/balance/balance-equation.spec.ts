import { describe, expect, it } from 'vitest';
import { addMoney } from '../../../../lib/common/money.js';
import { BalanceSums } from '../../../../lib/reconciliation/balance/balance-equation.js';
import { type Movement } from '../../../../lib/reconciliation/balance/movement.js';
import {
  type BalanceEquation,
  type BalanceReading,
} from '../../../../lib/reconciliation/close/close-summary.js';

function readingOf(balance: string, askedAt: number, answeredAt: number): BalanceReading {
  const times = { askedAt: new Date(askedAt), answeredAt: new Date(answeredAt) };
  return { ...times, balance, available: balance, locked: '0.00' };
}

function sumsOf(opening: string, closing: string): BalanceSums {
  return new BalanceSums(readingOf(opening, 100, 110), readingOf(closing, 200, 210));
}

/** Money that moved between the readings. */
function moved(direction: Movement['direction'], least: number, most = least): Movement {
  return { direction, state: 'moved', least, most, from: 120, to: 130 };
}

function figuresOf(sums: BalanceSums): Omit<BalanceEquation, 'opening' | 'closing'> {
  const { opening, closing, ...figures } = sums.equation();
  const { difference, underWay, fees, out, other } = figures;
  const left = addMoney(opening.balance, figures.in, other, underWay, difference);
  expect(left).toBe(addMoney(closing.balance, out, fees));
  return figures;
}

const NOTHING = {
  in: '0.00',
  out: '0.00',
  fees: '0.00',
  other: '0.00',
  least: '0.00',
  most: '0.00',
  underWay: '0.00',
  difference: '0.00',
};

describe('the equation of a balance', () => {
  it.each([
    ['stays as it was', '1000.00', '1000.00', '0.00'],
    ['rises for no reason', '1000.00', '1000.01', '0.01'],
    ['falls for no reason', '1000.00', '-0.50', '-1000.50'],
  ])('without a payment, of a balance that %s', (_what, opening, closing, difference) => {
    expect(figuresOf(sumsOf(opening, closing))).toEqual({ ...NOTHING, difference });
  });

  it('names amounts and fees apart', () => {
    const sums = sumsOf('1000.00', '1430.00');
    sums.add(moved('in', 98_000), 100_000);
    sums.add(moved('out', 51_500), 50_000);
    sums.add(moved('out', 3_500), 3_500);
    expect(figuresOf(sums)).toEqual({ ...NOTHING, in: '1000.00', out: '535.00', fees: '35.00' });
  });

  it.each([
    ['nothing', '1980.00', '-20.00', '0.00'],
    ['its lowest fee', '1995.00', '-5.00', '0.00'],
    ['more than the amount', '2000.01', '-5.00', '5.01'],
    ['more than the highest fee takes', '1979.00', '-20.00', '-1.00'],
  ])('has a fee that is not known under way: the balance says %s', (_what, closing, underWay, difference) => {
    const sums = sumsOf('1000.00', closing);
    sums.add(moved('in', 98_000, 99_500), 100_000);
    expect(figuresOf(sums)).toEqual({
      ...NOTHING,
      in: '1000.00',
      least: '-20.00',
      most: '-5.00',
      underWay,
      difference,
    });
  });

  it.each([
    ['neither of them', '1000.00', '0.00', '0.00'],
    ['the collection alone', '1098.00', '98.00', '0.00'],
    ['the payout alone', '795.00', '-205.00', '0.00'],
    ['more than the collection', '1099.00', '98.00', '1.00'],
    ['more than the payout', '700.00', '-205.00', '-95.00'],
  ])('has open payments under way: the balance shows %s', (_what, closing, underWay, difference) => {
    const sums = sumsOf('1000.00', closing);
    const open = { state: 'open', from: 120, to: Infinity } as const;
    sums.add({ ...open, direction: 'in', least: 9_800, most: 9_800 }, 10_000);
    sums.add({ ...open, direction: 'out', least: 20_500, most: 20_500 }, 20_000);
    expect(figuresOf(sums)).toEqual({ ...NOTHING, least: '-205.00', most: '98.00', underWay, difference });
  });

  it.each([
    ['between the readings', 120, { other: '-5.00' }],
    ['before both', 90, { difference: '-5.00' }],
    ['while the balance was read', 205, { least: '-5.00', underWay: '-5.00' }],
  ])('counts a withdrawal %s', (_when, at, figures) => {
    const sums = sumsOf('1000.00', '995.00');
    sums.addOther(-500, { from: at, to: at });
    expect(figuresOf(sums)).toEqual({ ...NOTHING, ...figures });
  });

  it('counts a top-up and a fee of its own', () => {
    const sums = sumsOf('1000.00', '1095.00');
    sums.addOther(10_000, { from: 120, to: 121 });
    sums.addOther(-500, { from: 130, to: 130 });
    expect(figuresOf(sums)).toEqual({ ...NOTHING, other: '95.00' });
  });

  it('takes what may not have moved at all as an interval', () => {
    const sums = sumsOf('1000.00', '1000.00');
    expect(sums.addOther(-500, { from: 120, to: 120 }, 'open')).toBe(true);
    expect(sums.addOther(-500, { from: 90, to: 90 }, 'open')).toBe(false);
    expect(sums.addOther(-500, { from: 90, to: 90 })).toBe(false);
    expect(figuresOf(sums)).toEqual({ ...NOTHING, least: '-5.00' });
  });

  it('leaves out what moved before both readings or after them', () => {
    const sums = sumsOf('1000.00', '1000.00');
    sums.add({ ...moved('in', 500), from: 1, to: 99 }, 600);
    sums.add({ ...moved('out', 500), from: 211, to: Infinity }, 400);
    expect(figuresOf(sums)).toEqual(NOTHING);
  });

  it('is exact beyond the numbers that JavaScript holds', () => {
    const sums = sumsOf('0.00', '299999999999999.70');
    for (let payment = 0; payment < 30; payment += 1) {
      sums.add(moved('in', 999_999_999_999_998), 999_999_999_999_999);
    }
    expect(figuresOf(sums)).toEqual({
      ...NOTHING,
      in: '299999999999999.70',
      fees: '0.30',
      difference: '0.30',
    });
  });

  it.each([
    ['of a later reading', readingOf('1.00', 300, 310), 'The opening balance must be read before'],
    ['of a reading at no time', readingOf('1.00', 1, Number.NaN), 'The opening balance must be read before'],
    ['of a balance that is no amount', readingOf('1,000.00', 1, 2), 'A balance must be a two-decimal string'],
  ])('is not made %s', (_what, opening, problem) => {
    expect(() => new BalanceSums(opening, readingOf('1.00', 200, 210))).toThrow(problem);
  });

  it.each([
    ['ends before it begins', { from: 131 }],
    ['begins at no time', { from: Number.NaN }],
    ['has a part of a cent', { least: 0.5, most: 0.5 }],
    ['has no amount', { least: Number.NaN, most: Number.NaN }],
  ])('takes no movement that %s', (_what, wrong) => {
    expect(() => {
      sumsOf('1.00', '1.00').add({ ...moved('in', 1), ...wrong }, 1);
    }).toThrow(RangeError);
  });
});
