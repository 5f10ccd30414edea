import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { addMoney, compareMoney, formatTzs, type MoneyInput } from 'nestjs-payments';
import { formatCents } from '../../../lib/common/money.js';

const WRONG = [
  ['a rounding error', 0.1 + 0.2],
  ['a third decimal', '1.005'],
  ['separators', '1,000'],
  ['an exponent', '1e3'],
  ['no number', Number.NaN],
  ['nothing', ''],
  ['undefined', undefined],
] as readonly [string, MoneyInput][];

describe('addMoney', () => {
  it.each<[readonly MoneyInput[], string]>([
    [[], '0.00'],
    [['1180.50'], '1180.50'],
    [[0.1, 0.2], '0.30'],
    [['250000.00', 1500, 1n], '251501.00'],
    [['100', '-30.25'], '69.75'],
    [['30', '-100.01'], '-70.01'],
    [['9007199254740993.01', '0.01'], '9007199254740993.02'],
  ])('of %p is %s', (amounts, sum) => {
    expect(addMoney(...amounts)).toBe(sum);
  });

  it('is as exact as whole numbers of cents', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n })), (cents) => {
        const sum = cents.reduce((total, each) => total + each, 0n);
        expect(addMoney(...cents.map(formatCents))).toBe(formatCents(sum));
      }),
    );
  });
});

describe('compareMoney', () => {
  it.each<[MoneyInput, MoneyInput, number]>([
    ['900.00', '1000.00', -1],
    ['1180.5', 1180.5, 0],
    [1180n, '1180.00', 0],
    ['0.02', '0.01', 1],
    ['-5', '-4.99', -1],
    ['9007199254740993.01', '9007199254740993.00', 1],
  ])('of %p and %p is %i', (left, right, order) => {
    expect(compareMoney(left, right)).toBe(order);
    expect(compareMoney(right, left)).toBe(-order + 0);
  });
});

describe('formatTzs', () => {
  /** ICU writes a space that does not break. */
  const shown = (...call: Parameters<typeof formatTzs>): string => formatTzs(...call).replaceAll(/\s/g, ' ');

  it.each<[MoneyInput, string, string]>([
    ['1180.50', 'sw-TZ', 'TSh 1,180.50'],
    ['1180.50', 'en-TZ', 'TSh 1,180.50'],
    ['1180.5', 'en', 'TZS 1,180.50'],
    ['1180.05', 'de', '1.180,05 TZS'],
    ['250000.00', 'en', 'TZS 250,000'],
    [0, 'en', 'TZS 0'],
    ['-0.50', 'en', '-TZS 0.50'],
    ['90071992547409931.07', 'en', 'TZS 90,071,992,547,409,931.07'],
  ])('writes %p for %s as %s', (amount, locale, text) => {
    expect(shown(amount, locale)).toBe(text);
  });

  it('writes for Swahili readers in Tanzania unless told otherwise', () => {
    expect(formatTzs('1180.50')).toBe(formatTzs('1180.50', 'sw-TZ'));
    expect(() => formatTzs('1', 'not a locale')).toThrow(RangeError);
  });
});

describe.each(WRONG)('%s', (_, amount) => {
  it.each([
    ['addMoney', () => addMoney('1', amount)],
    ['compareMoney', () => compareMoney(amount, '1')],
    ['formatTzs', () => formatTzs(amount)],
  ])('is refused by %s, with what to write instead', (_name, call) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(/plain decimal .*: write "1180\.50"/);
  });
});
