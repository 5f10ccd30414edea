import { describe, expect, it } from 'vitest';
import { type WebhookAccounts } from '../../../../lib/webhooks/delivery/webhook-accounts.js';
import { type WebhookReceiver } from '../../../../lib/webhooks/delivery/webhook-receiver.js';
import { type DeclaredRoute } from '../../../../lib/webhooks/route/method-owners.js';
import { loosestLimits, WebhookPaths } from '../../../../lib/webhooks/route/webhook-paths.js';

const RECEIVER = { limits: { requiredHeaders: [] } } as unknown as WebhookReceiver;

function pathsWith(path: string, before: readonly string[], after: readonly string[]): WebhookPaths {
  const paths = new WebhookPaths({ find: () => RECEIVER } as unknown as WebhookAccounts);
  for (const other of before) paths.addOther(other);
  const route = { controller: {}, method: () => {}, name: 'Webhooks.received', account: 'default' };
  paths.add({ ...route, path, dispatches: true, isHostBound: false, passesOn: false });
  for (const other of after) paths.addOther(other);
  return paths;
}

describe('whose delivery a request is', () => {
  it.each<[path: string, before: string[], after: string[], asked: string, isOurs: boolean]>([
    ['/webhooks/payments', [], [], '/webhooks/payments', true],
    ['/webhooks/payments', ['/webhooks/health'], [], '/webhooks/payments', true],
    ['/webhooks/payments', ['/webhooks/:any'], [], '/webhooks/payments', false],
    ['/webhooks/payments', [], ['/webhooks/:any'], '/webhooks/payments', true],
    ['/webhooks/payments', [], ['/webhooks/payments'], '/webhooks/payments', false],
    ['/webhooks/:tenant', ['/webhooks/health'], [], '/webhooks/health', false],
    ['/webhooks/:tenant', ['/webhooks/health'], [], '/webhooks/shop', true],
    ['/webhooks/:tenant', [], ['/webhooks/health'], '/webhooks/health', true],
  ])('of %s, after %j and before %j, at %s: %j', (path, before, after, asked, isOurs) => {
    const expected = pathsWith(path, before, after).at(asked);
    expect(expected?.receiver).toBe(isOurs ? RECEIVER : undefined);
    expect(expected?.limits).toBe(RECEIVER.limits);
  });
});

describe('a method that several controllers inherit', () => {
  const method = (): void => {};
  const owned = (account: string): DeclaredRoute & { path: string; passesOn: boolean } => ({
    ...{ controller: { account }, method, name: `${account}.take`, account },
    ...{ dispatches: false, isHostBound: false, path: '/events', passesOn: false },
  });

  it('is added once for each of them, and nobody receives early what may be for another account', () => {
    const limits = { bodyLimit: 1, bodyTimeoutMs: 2, unverifiedBytesLimit: 3, requiredHeaders: [] };
    const receivers = new Map([
      ['one', { limits }],
      ['other', { limits: { ...limits, bodyLimit: 10 } }],
    ]);
    const accounts = { find: (account: string) => receivers.get(account) } as unknown as WebhookAccounts;
    const paths = new WebhookPaths(accounts);
    const [one, other] = [owned('one'), owned('other')];
    expect([one, other, one, other].map((route) => paths.add(route))).toEqual([
      'one',
      'other',
      'one',
      'other',
    ]);
    expect(paths.all().map(({ account }) => account)).toEqual(['one', 'other']);
    const loosest = { ...limits, bodyLimit: 10 };
    expect(paths.at('/events')).toMatchObject({ limits: loosest, receiver: undefined, isCertain: false });
    expect(paths.limitsOf(['one', 'other'], undefined)).toEqual(loosest);
  });

  it('must be registered by Nest, and is unknown to an application that has not declared it', () => {
    const paths = pathsWith('/webhooks', [], []);
    expect(paths.ownersOf(method)).toEqual([]);
    const owner = { ownPaths: [], hosts: undefined, handsOver: false };
    const plain = { ...owner, name: 'Plain.take', webhook: undefined };
    const guarded = { ...owner, name: 'one.take', webhook: owned('one') };
    paths.declare(method, [plain, guarded]);
    expect(paths.ownersOf(method)).toEqual([plain, guarded]);
    expect(() => {
      paths.assertRegistered();
    }).toThrow(/^one\.take receives webhooks/);
    paths.add(owned('one'));
    paths.assertRegistered();
  });
});

describe('the limits of routes that share a path', () => {
  const one = { bodyLimit: 1, bodyTimeoutMs: 20, unverifiedBytesLimit: 300, requiredHeaders: ['a', 'both'] };
  const other = {
    bodyLimit: 10,
    bodyTimeoutMs: 2,
    unverifiedBytesLimit: 400,
    requiredHeaders: ['both', 'b'],
  };

  it.each([
    ['none', [undefined], undefined],
    ['one', [one], one],
    ['one that is not there and another', [undefined, other], other],
    [
      'two',
      [one, other],
      { bodyLimit: 10, bodyTimeoutMs: 20, unverifiedBytesLimit: 400, requiredHeaders: ['both'] },
    ],
  ])('of %s', (_what, ofRoutes, expected) => {
    expect(loosestLimits(ofRoutes)).toEqual(expected);
  });
});
