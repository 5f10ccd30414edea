import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../lib/config/resolve-options.js';

const valid = {
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_test_canarykey',
  apiSecret: 'sk_test_canarysecret',
};

describe('the rate option', () => {
  it.each([
    ['caps nothing by default', undefined, { perSecond: undefined, concurrency: undefined }],
    [
      'caps nothing if a cap is undefined',
      { perSecond: undefined, concurrency: undefined },
      { perSecond: undefined, concurrency: undefined },
    ],
    ['takes one cap alone', { perSecond: 5 }, { perSecond: 5, concurrency: undefined }],
    ['takes both caps', { perSecond: 10_000, concurrency: 1 }, { perSecond: 10_000, concurrency: 1 }],
  ])('%s', (_, rate, resolved) => {
    expect(resolveOptions({ ...valid, rate }).rate).toEqual(resolved);
  });

  it.each([
    ['rate', 5],
    ['rate.perSecond', { perSecond: 0 }],
    ['rate.perSecond', { perSecond: 0.5 }],
    ['rate.perSecond', { perSecond: 10_001 }],
    ['rate.concurrency', { concurrency: -1 }],
    ['rate.concurrency', { concurrency: '5' }],
    ['rate.concurrency', { concurrency: Number.NaN }],
    ['rate.concurrency', { concurrency: null }],
  ])('%s that is wrong is named', (option, rate) => {
    expect(() => resolveOptions({ ...valid, rate })).toThrow(`\`${option}\` must be`);
  });

  it('does not overlook a mistyped cap', () => {
    expect(() => resolveOptions({ ...valid, rate: { persecond: 5 } })).toThrow(
      '`rate.persecond` does not exist',
    );
  });
});
