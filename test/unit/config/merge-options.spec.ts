import { describe, expect, it } from 'vitest';
import { mergeOptions } from '../../../lib/config/merge-options.js';

const scheme = { name: 'test' };
const secrets = ['a-secret'];

describe('the options beside a factory', () => {
  it.each<[string, object, Record<string, unknown>, object]>([
    ['complete those of the factory', { apiKey: 'a' }, { timeoutMs: 1 }, { apiKey: 'a', timeoutMs: 1 }],
    ['win over those of the factory', { timeoutMs: 2 }, { timeoutMs: 1 }, { timeoutMs: 1 }],
    ['hide nothing if they are undefined', { timeoutMs: 2 }, { timeoutMs: undefined }, { timeoutMs: 2 }],
    ['may be null', { timeoutMs: 2 }, { timeoutMs: null }, { timeoutMs: null }],
    [
      'complete the webhooks of the factory',
      { apiKey: 'a', webhooks: { secrets } },
      { timeoutMs: 1, webhooks: { scheme } },
      { apiKey: 'a', timeoutMs: 1, webhooks: { scheme, secrets } },
    ],
    [
      'win over one field of the webhooks',
      { webhooks: { secrets, leaseMs: 1 } },
      { webhooks: { leaseMs: 2 } },
      { webhooks: { secrets, leaseMs: 2 } },
    ],
    [
      'hide no field of the webhooks if it is undefined',
      { webhooks: { secrets, leaseMs: undefined } },
      { webhooks: { scheme, secrets: undefined } },
      { webhooks: { scheme, secrets, leaseMs: undefined } },
    ],
    [
      'keep the name of one that nobody knows, although it is undefined',
      { webhooks: { leaseMS: undefined } },
      { limit: undefined, webhooks: { secret: undefined } },
      { limit: undefined, webhooks: { leaseMS: undefined, secret: undefined } },
    ],
    [
      'may hold the webhooks alone',
      { apiKey: 'a' },
      { webhooks: { scheme } },
      { apiKey: 'a', webhooks: { scheme } },
    ],
    ['may leave the webhooks to the factory', { webhooks: { secrets } }, {}, { webhooks: { secrets } }],
    [
      'leave a wrong section to the checks',
      { webhooks: { secrets } },
      { webhooks: 'on' },
      { webhooks: 'on' },
    ],
    [
      'replace a wrong section of the factory',
      { webhooks: 'on' },
      { webhooks: { scheme } },
      { webhooks: { scheme } },
    ],
  ])('%s', (_, fromFactory, beside, merged) => {
    expect(mergeOptions(fromFactory, beside)).toStrictEqual(merged);
  });

  it('are read from the getters of a class, as those of the factory are', () => {
    class Limits {
      get limits() {
        return 'of the class';
      }
    }
    class Webhooks {
      get leaseMs() {
        return 1;
      }
    }
    const merged = { apiKey: 'a', limits: 'of the class', webhooks: { leaseMs: 1, secrets } };
    const [given, over] = [new Limits(), new Webhooks()];
    expect(mergeOptions(given, { apiKey: 'a', webhooks: { leaseMs: 1, secrets } })).toStrictEqual(merged);
    const beside = Object.assign(new Limits(), { webhooks: over });
    expect(mergeOptions({ apiKey: 'a', webhooks: { secrets } }, beside as never)).toStrictEqual(merged);
  });

  it.each([undefined, null, 'options', ['options']])(
    'leave it to the checks that a factory returned %j',
    (returned) => {
      expect(mergeOptions(returned, { timeoutMs: 1 })).toBe(returned);
    },
  );
});
