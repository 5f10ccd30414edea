import { describe, expect, it } from 'vitest';
import { instantOf } from '../../../lib/common/instant.js';

describe('a moment', () => {
  it.each([
    ['2026-01-31T08:00:00Z', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T08:00Z', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T08:00:00.123456789+03:00', '2026-01-31T05:00:00.123Z'],
    ['2028-02-29T23:59:59-05:30', '2028-03-01T05:29:59.000Z'],
  ])('is %s', (text, moment) => {
    expect(instantOf(text)).toBe(Date.parse(moment));
  });

  it.each([
    ['without a zone', '2026-01-31T08:00:00'],
    ['that is a date', '2026-01-31'],
    ['of a day that does not exist', '2026-02-31T08:00:00Z'],
    ['of a leap day in another year', '2027-02-29T08:00:00Z'],
    ['of no month', '2026-13-01T08:00:00Z'],
    ['of no hour', '2026-01-31T25:00:00Z'],
    ['with a blank', '2026-01-31 08:00:00Z'],
    ['with something after it', '2026-01-31T08:00:00Z and more'],
    ['with ten decimals', '2026-01-31T08:00:00.1234567890Z'],
    ['in words', '31 January 2026 08:00 UTC'],
    ['that is empty', ''],
    ['that is no text', 5],
    ['that is a Date', new Date(0)],
  ])('is none %s', (_what, value) => {
    for (const form of [{}, { dateAlone: false, exact: true }])
      expect(instantOf(value, form)).toBeUndefined();
  });

  it('may be a date alone where that is said', () => {
    const form = { dateAlone: true };
    expect(instantOf('2026-01-31', form)).toBe(Date.UTC(2026, 0, 31));
    expect(instantOf('2026-01-31T01:00+01:00', form)).toBe(Date.UTC(2026, 0, 31));
    expect(instantOf('2026-02-30', form)).toBeUndefined();
    expect(instantOf('2026-02-30T08:00:00Z', form)).toBeUndefined();
  });

  it('must have seconds and be in UTC where that is said', () => {
    expect(instantOf('2026-01-31T08:00:00.5Z', { exact: true })).toBe(Date.UTC(2026, 0, 31, 8, 0, 0, 500));
    expect(instantOf('2026-01-31T08:00Z', { exact: true })).toBeUndefined();
    expect(instantOf('2026-01-31T08:00:00+00:00', { exact: true })).toBeUndefined();
  });
});
