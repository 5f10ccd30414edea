import { describe, expect, it } from 'vitest';
import {
  asRecord,
  unlistedValue,
  withMetadata,
  withMoney,
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
