import { describe, expect, it } from 'vitest';
import {
  asRecord,
  unlistedValue,
  withMetadata,
  withMoney,
  withProvenEnd,
} from '../../../../lib/gateway/answer/wire-record.js';

describe('a record from the wire', () => {
  it('is an object', () => {
    expect(asRecord({ a: 1 })).toEqual({ a: 1 });
    for (const other of [null, undefined, [], 'text', 1]) expect(asRecord(other)).toBeUndefined();
  });

  it('has money as text, and keeps with a warning what is no exact amount', () => {
    const wire = { amount: 1180.5, fee: '1.005', tax: null, levy: 0.125, note: 'x' };
    expect(withMoney(wire, ['amount', 'fee', 'tax', 'levy', 'total'])).toEqual({
      record: { amount: '1180.50', fee: '1.005', tax: null, levy: '0.125', note: 'x' },
      warnings: [
        'fee is not an exact amount and was kept as it came',
        'levy is not an exact amount and was kept as it came',
      ],
    });
  });

  it('has an object if a server wrote an empty one as a list', () => {
    expect(withMetadata({ metadata: [] })).toEqual({ metadata: {} });
    expect(withMetadata({ metadata: [1] })).toEqual({ metadata: [1] });
    expect(withMetadata({ metadata: { a: 1 } })).toEqual({ metadata: { a: 1 } });
    expect(withMetadata({})).toEqual({});
  });

  it.each([
    [undefined, ['the answer has no status']],
    [null, ['the answer has no status']],
    ['pending', []],
    ['stuck', ['status has a value that the specification does not list']],
    [7, ['status has a value that the specification does not list']],
  ])('with the status %j warns %j', (status, warnings) => {
    expect(unlistedValue({ status }, 'status', ['pending'])).toEqual(warnings);
  });
});

describe('a record that says that its payment has ended', () => {
  it.each([
    ['names it', '17000000000000001', 'failed'],
    ['names it as a number', 1042, 'failed'],
    ['names none', null, undefined],
    ['names it as a number that was rounded on its way', 17_000_000_000_000_000, undefined],
  ])('ends it or not if it %s', (_, reference, outcome) => {
    const answer = { reference, amount: 1180.5, status: 'failed' };
    const read = withProvenEnd('disbursement', { value: answer, warnings: [] }, answer);
    expect(read.outcome).toBe(outcome);
    expect(read.value).toMatchObject({ status: outcome ?? 'pending' });
  });
});
