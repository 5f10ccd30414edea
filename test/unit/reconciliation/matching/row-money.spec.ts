import { describe, expect, it } from 'vitest';
import { type RowMoney } from '../../../../lib/reconciliation/matching/classify-payment.js';
import { otherMoney, rowMoney } from '../../../../lib/reconciliation/matching/row-money.js';
import { type StatementRow } from '../../../../lib/reconciliation/statement/statement-row.js';

const row = (given: Partial<StatementRow>): StatementRow => ({
  row: 7,
  kind: 'collection',
  reference: 'a',
  amount: '1000.00',
  fee: '20.00',
  at: new Date(150),
  recipient: undefined,
  isFailed: false,
  ...given,
});

describe('the amounts of a row', () => {
  it.each<[string, Partial<StatementRow>, Partial<RowMoney>]>([
    ['are cents', {}, { cents: 100_000, feeCents: 2_000, at: 150 }],
    ['may have no fee', { fee: undefined }, { feeCents: undefined }],
    ['may be negative for what is no payment', { kind: 'other', amount: '-5.00' }, { cents: -500 }],
    ['are exact', { amount: '9999999999999.99' }, { cents: 999_999_999_999_999 }],
  ])('%s', (_, given, money) => {
    expect(rowMoney(row(given))).toMatchObject(money);
  });

  const AMOUNT = 'must be a two-decimal string such as "1180.50", below 10000000000000 (10^13)';
  const TEXT = 'must be a text that is not blank, or undefined';
  it.each<[string, Partial<StatementRow>, string]>([
    ['an amount that is none', { amount: '1,000.00' }, `the amount ${AMOUNT}`],
    ['an amount that is too large', { amount: '10000000000000.00' }, `the amount ${AMOUNT}`],
    ['one that left', { kind: 'other', amount: '-10000000000000' }, `the amount ${AMOUNT}`],
    ['a negative payout', { kind: 'payout', amount: '-1.00' }, 'the amount of a payout must not be negative'],
    ['a fee that is none', { fee: 'free' }, `the fee ${AMOUNT}, or undefined`],
    ['a fee that is too large', { fee: '90071992547409.93' }, `the fee ${AMOUNT}, or undefined`],
    ['a negative fee', { fee: '-20.00' }, 'the fee must not be negative'],
    ['a negative fee of no payment', { kind: 'other', fee: '-1.00' }, 'the fee must not be negative'],
    ['an amount that is no text', { amount: 1000 as never }, `the amount ${AMOUNT}`],
    ['a fee that is null', { fee: null as never }, `the fee ${AMOUNT}, or undefined`],
    [
      'a kind that does not exist',
      { kind: 'disbursement' as never },
      "kind must be 'collection', 'payout', 'fee' or 'other'",
    ],
    ['a reference that is null', { reference: null as never }, `reference ${TEXT}`],
    ['a blank reference', { reference: ' ' }, `reference ${TEXT}`],
    ['a recipient that is null', { recipient: null as never }, `recipient ${TEXT}`],
    ['a blank recipient', { recipient: '' }, `recipient ${TEXT}`],
    ['an end that is a word', { isFailed: 'no' as never }, 'isFailed must be true or false'],
    ['a time that is a text', { at: '2026-11-20' as never }, 'at must be a Date'],
    ['a time that is none', { at: new Date(NaN) }, 'the time must be a valid date'],
  ])('are refused in one sentence: %s', (_, given, problem) => {
    expect(() => rowMoney(row(given))).toThrow(
      expect.objectContaining({
        name: 'PaymentsValidationError',
        message: `The statement cannot be used: row 7: ${problem}`,
        errors: { statement: [`row 7: ${problem}`] },
      }),
    );
  });
});

it.each([undefined, '7', 1.5, NaN, 2 ** 53])('a row whose place is %j is refused', (place) => {
  expect(() => rowMoney(row({ row: place as never }))).toThrow(
    `row ${place}: its place must be a whole number, such as the line of a file`,
  );
});

describe('money that is no payment', () => {
  it.each<[string, Partial<StatementRow>, number, boolean]>([
    ['came in', { kind: 'other', fee: undefined }, 100_000, false],
    ['came in less its fee', { kind: 'other' }, 98_000, false],
    ['left with its fee', { kind: 'other', amount: '-1000.00' }, -102_000, false],
    ['is a fee', { kind: 'fee', amount: '-20.00', fee: undefined, reference: undefined }, -2_000, false],
    ['is a fee in the other column', { kind: 'fee', amount: '0.00', reference: undefined }, -2_000, false],
    ['is a fee in both columns', { kind: 'fee', amount: '-20.00', reference: undefined }, -2_000, false],
    ['may be the fee of a payment', { kind: 'fee', amount: '-20.00', fee: undefined }, -2_000, true],
  ])('%s', (_, given, cents, isDoubtful) => {
    const one = row(given);
    expect(otherMoney(one, rowMoney(one))).toEqual({ cents, at: 150, isDoubtful });
  });
});
