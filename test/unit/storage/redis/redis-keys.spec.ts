import { describe, expect, it } from 'vitest';
import { entryField, RedisKeys, referenceField } from '../../../../lib/storage/redis/redis-keys.js';
import { inboxKey } from '../../../support/inbox-contract.js';

const scope = { account: 'default', environment: 'sandbox' } as const;

describe('the keys in Redis', () => {
  const keys = new RedisKeys('shop:');

  it('of one account share the hash tag that keeps them on one node, and no other account has it', () => {
    const all = [
      ...keys.inbox(scope),
      ...keys.setAside(scope),
      ...keys.journal({ ...scope, family: 'collection' }),
      ...keys.journal({ ...scope, family: 'disbursement' }),
    ];
    expect(new Set(all.map((key) => /\{(.*?)\}/.exec(key)?.[1]))).toEqual(new Set(['default:sandbox']));
    expect(new Set(all).size).toBe(22);
    expect(keys.setAside({ ...scope, environment: 'production' })[0]).toContain('{default:production}');
  });

  it('begin with the prefix', () => {
    expect(keys.inbox(scope)).toEqual(['shop:{default:sandbox}:inbox', 'shop:{default:sandbox}:inbox:done']);
  });

  it('keep their names, because another name would be an empty journal', () => {
    expect(keys.format(scope)).toBe('shop:{default:sandbox}:format');
    expect(keys.setAside(scope)).toEqual([
      'shop:{default:sandbox}:set-aside',
      'shop:{default:sandbox}:set-aside:order',
    ]);
    const states = ['in-flight', 'accepted', 'rejected', 'unknown', 'settled', 'other'];
    const parts = ['', ':version', ':tombstones', ...states.map((state) => `:${state}`)];
    expect(keys.journal({ ...scope, family: 'collection' })).toEqual(
      parts.map((part) => `shop:{default:sandbox}:journal:collection${part}`),
    );
  });

  it('distinguish references that UTF-8 cannot', () => {
    expect(referenceField('\uD800')).not.toBe(referenceField('\uD801'));
    expect(Buffer.from(referenceField('\uD800')).toString()).toBe(referenceField('\uD800'));
  });

  it('distinguish entries of different kinds', () => {
    expect(entryField(inboxKey('a'))).not.toBe(entryField(inboxKey('a', { kind: 'unrecognized' })));
  });
});
