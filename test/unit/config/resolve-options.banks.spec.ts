import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../lib/config/resolve-options.js';

const valid = {
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_test_canarykey',
  apiSecret: 'sk_test_canarysecret',
};

describe('the banks option', () => {
  it.each([
    ['keeps nothing unless it is there', undefined, undefined],
    ['has defaults', {}, { maxAgeMs: 3_600_000, staleIfErrorMs: 86_400_000 }],
    ['takes an age', { maxAgeMs: 1 }, { maxAgeMs: 1, staleIfErrorMs: 86_400_000 }],
    ['may refuse old lists', { staleIfErrorMs: 0 }, { maxAgeMs: 3_600_000, staleIfErrorMs: 0 }],
  ])('%s', (_, banks, resolved) => {
    expect(resolveOptions({ ...valid, banks }).banks).toEqual(resolved);
  });

  it.each([
    ['banks', true, 'must be an object'],
    ['banks.maxAgeMs', { maxAgeMs: 0 }, 'must be a whole number from 1'],
    ['banks.maxAgeMs', { maxAgeMs: '1h' }, 'must be a whole number'],
    ['banks.staleIfErrorMs', { staleIfErrorMs: -1 }, 'must be a whole number from 0'],
    ['banks.staleIfErrorMs', { staleIfErrorMs: Infinity }, 'must be a whole number'],
    ['banks.ttl', { ttl: 5 }, 'does not exist: write maxAgeMs or staleIfErrorMs'],
  ])('names %s if it is wrong', (option, banks, problem) => {
    expect(() => resolveOptions({ ...valid, banks })).toThrow(`\`${option}\` ${problem}`);
  });
});
