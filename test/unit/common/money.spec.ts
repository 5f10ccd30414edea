import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import {
  amountProblem,
  canonicalAmount,
  formatCents,
  moneyFromWire,
  parseCents,
  parseCentsAsNumber,
} from '../../../lib/common/money.js';

describe('an amount that the application writes', () => {
  it.each([
    ['1180.50', '1180.50'],
    ['1180.5', '1180.50'],
    ['1180', '1180.00'],
    ['0.01', '0.01'],
    [1180.5, '1180.50'],
    [0.29, '0.29'],
    [8.2, '8.20'],
    [2500n, '2500.00'],
    ['9999999999999.99', '9999999999999.99'],
  ])('%p becomes %s', (input, canonical) => {
    expect(amountProblem(input)).toBeUndefined();
    expect(canonicalAmount(input)).toBe(canonical);
  });

  it.each([
    [0, 'greater than 0'],
    [-0, 'greater than 0'],
    ['0.00', 'greater than 0'],
    [-5, 'greater than 0'],
    ['-1.00', 'greater than 0'],
    [-3n, 'greater than 0'],
    [0.1 + 0.2, 'at most two decimals'],
    ['10.005', 'at most two decimals'],
    [1e21, 'plain decimal'],
    ['1e3', 'plain decimal'],
    ['1,000', 'plain decimal'],
    [' 100', 'plain decimal'],
    ['+100', 'plain decimal'],
    ['0100', 'plain decimal'],
    ['.5', 'plain decimal'],
    ['5.', 'plain decimal'],
    ['0x10', 'plain decimal'],
    ['١٠٠', 'plain decimal'],
    ['', 'plain decimal'],
    [NaN, 'plain decimal'],
    [Infinity, 'plain decimal'],
    [1e13, 'below 10000000000000'],
    ['10000000000000', 'below 10000000000000'],
    [10n ** 13n, 'below 10000000000000'],
    [null, 'write a string'],
    [undefined, 'write a string'],
    [true, 'write a string'],
    [['100'], 'write a string'],
    [{ valueOf: () => 100 }, 'write a string'],
  ])('%p is refused: %s', (input, words) => {
    expect(amountProblem(input)).toContain(words);
    expect(() => canonicalAmount(input as string)).toThrow(new RangeError('not an amount of money'));
  });
});

describe('money from the wire', () => {
  it.each([
    ['1180.50', '1180.50'],
    [1180.5, '1180.50'],
    [0, '0.00'],
    ['0', '0.00'],
    [-12.3, '-12.30'],
    ['-12.3', '-12.30'],
    [' 5.00 ', '5.00'],
    ['1180.5000', '1180.50'],
    ['5.000', '5.00'],
    ['99999999999999999.99', '99999999999999999.99'],
    [0.1 + 0.2, '0.30'],
    [1180.5 - 23.6, '1156.90'],
    [-1156.8999999999999, '-1156.90'],
    [4503599627370.501, '4503599627370.50'],
    [9999999999999.988, '9999999999999.99'],
  ])('%p reads as %s', (value, canonical) => {
    expect(moneyFromWire(value)).toBe(canonical);
  });

  it.each([
    ...[
      1e13,
      -1e13,
      1.005,
      1.0000001,
      6_000_000_000_000.005,
      1156.89999999999,
      1e-300,
      1e-7,
      '0.30000000000000004',
      '1.0050',
      NaN,
      '1,000.00',
      '007.50',
      '-',
      '',
      null,
      undefined,
      {},
      '1e3',
    ],
    ...['5x.00', '5.x0', '5.0x', 'x5.00', '5.00x', ['5.00'], 5n, true],
  ])('%p is not read at all, because cents could be lost', (value) => {
    expect(moneyFromWire(value)).toBeUndefined();
  });

  it.each(['-0', '-0.0', '-0.00', '-0.0000', -0])('%p reads as 0.00, without a sign', (value) => {
    expect(moneyFromWire(value)).toBe('0.00');
  });

  it('reads every plain decimal as its cents are written', () => {
    const decimals = fc.record({
      sign: fc.constantFrom('', '-'),
      whole: fc.bigInt({ min: 0n, max: 10n ** 15n }),
      fraction: fc.constantFrom('', '.5', '.05', '.50', '.0', '.00'),
      space: fc.constantFrom('', ' ', '\n'),
      zeros: fc.constantFrom('', '0', '00'),
    });
    fc.assert(
      fc.property(decimals, ({ sign, whole, fraction, space, zeros }) => {
        const text = `${sign}${whole}${fraction}`;
        const surplus = fraction.length === 3 ? zeros : '';
        expect(moneyFromWire(`${space}${text}${surplus}${space}`)).toBe(formatCents(parseCents(text)!));
      }),
    );
  });

  it('keeps every cent of a JSON number below 10^13', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), (cents) => {
        const text = formatCents(cents);
        expect(moneyFromWire(JSON.parse(text))).toBe(text);
      }),
    );
  });
});

it('reads back what it writes, for any number of cents', () => {
  fc.assert(
    fc.property(fc.bigInt(), (cents) => {
      expect(parseCents(formatCents(cents))).toBe(cents);
    }),
  );
});

it.each([
  ['0.00', 0],
  ['-0.00', 0],
  ['1180.50', 118_050],
  ['1180.5', 118_050],
  ['-20', -2_000],
  ['9999999999999.99', 999_999_999_999_999],
  ['1,180.50', undefined],
  ['', undefined],
])('%j as a number of cents is %j', (text, cents) => {
  expect(parseCentsAsNumber(text)).toBe(cents);
});
