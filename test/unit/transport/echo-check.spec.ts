import { describe, expect, it } from '@jest/globals';
import { checkEcho } from '../../../lib/transport/echo-check.js';

const payment = { reference: 'order-1', amount: '1180.50', currency: 'TZS' } as const;

describe('the echo of a payment', () => {
  const equal: [what: string, record: Record<string, unknown>][] = [
    ['as it was sent', { ...payment }],
    ['with the amount as a number', { ...payment, amount: 1180.5 }],
    ['with one decimal', { ...payment, amount: '1180.5' }],
    ['with spaces around the reference', { ...payment, reference: ' order-1 ' }],
  ];

  for (const [what, record] of equal) {
    it(`is the same ${what}`, () => {
      expect(checkEcho(payment, record)).toEqual({ differing: [], warnings: [] });
    });
  }

  const different: [what: string, record: Record<string, unknown>, fields: string[]][] = [
    ['one cent less', { ...payment, amount: '1180.49' }, ['amount']],
    ['an amount that cannot be read', { ...payment, amount: '1,180.50' }, ['amount']],
    ['an amount that is no money', { ...payment, amount: {} }, ['amount']],
    ['another reference', { ...payment, reference: 'order-2' }, ['reference']],
    ['a reference in another case', { ...payment, reference: 'ORDER-1' }, ['reference']],
    ['a reference that is no text', { ...payment, reference: ['order-1'] }, ['reference']],
    ['another currency', { ...payment, currency: 'USD' }, ['currency']],
    ['everything', { reference: 'x', amount: 1, currency: 'KES' }, ['reference', 'amount', 'currency']],
  ];

  for (const [what, record, fields] of different) {
    it(`differs for ${what}`, () => {
      expect(checkEcho(payment, record).differing).toEqual(fields);
    });
  }

  it('warns about a field that is absent, and does not call it different', () => {
    expect(checkEcho(payment, { amount: null })).toEqual({
      differing: [],
      warnings: [
        'the answer does not repeat reference, so it could not be compared',
        'the answer does not repeat amount, so it could not be compared',
        'the answer does not repeat currency, so it could not be compared',
      ],
    });
  });

  it('takes a numeric reference for the digits that were sent', () => {
    expect(checkEcho({ ...payment, reference: '17' }, { ...payment, reference: 17 }).differing).toEqual([]);
  });
});
