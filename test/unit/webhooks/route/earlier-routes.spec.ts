import { VERSION_NEUTRAL } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { NAMED_BY_PATH, type RouteAccount } from '../../../../lib/webhooks/delivery/route-account.js';
import { EarlierRoutes, type PostRoute } from '../../../../lib/webhooks/route/earlier-routes.js';
import { type DeclaredRoute, type MethodOwner } from '../../../../lib/webhooks/route/method-owners.js';

interface Given {
  readonly hosts?: readonly (string | RegExp)[];
  readonly versions?: readonly unknown[];
  readonly handsOver?: boolean;
  /** Of a route that receives webhooks; undefined inside: the one of the path, or the default one. */
  readonly webhook?: { readonly account?: string; readonly dispatches?: boolean };
}

type WebhookRoute = Parameters<EarlierRoutes['check']>[0][number];

const PATH = '/webhooks/payments';

function declared(
  name: string,
  { account, dispatches = true }: NonNullable<Given['webhook']>,
): DeclaredRoute {
  return { controller: {}, method: () => {}, name, account, dispatches, isHostBound: false };
}

function owner(name: string, { hosts, handsOver = false, webhook }: Given): MethodOwner {
  return { name, ownPaths: [], hosts, handsOver, webhook: webhook && declared(name, webhook) };
}

function route(path: string, owners: readonly MethodOwner[], { versions }: Given = {}): PostRoute {
  return { verb: 'POST', path, owners, versions, matches: () => true };
}

/** A webhook route with its path, as `WebhookPaths` knows it. */
function webhookOf({ owners, path }: PostRoute, account: RouteAccount = 'default'): WebhookRoute {
  return { ...owners[0]!.webhook!, path, account };
}

type Said = 'unreachable' | 'same account' | 'partial' | undefined;

/** What is said of a webhook route behind another one. */
function saidOf(earlier: readonly PostRoute[], own: Given = {}, path = PATH, account?: RouteAccount): Said {
  const routes = new EarlierRoutes();
  const last = route(path, [owner('Webhooks.received', { webhook: {}, ...own })], own);
  for (const one of [...earlier, last]) routes.add(one);
  const webhook = webhookOf(last, account);
  try {
    const warning = routes.check([webhook]).get(webhook);
    if (warning === undefined) return undefined;
    return warning.startsWith('The method of') ? 'same account' : 'partial';
  } catch {
    return 'unreachable';
  }
}

const ALL = VERSION_NEUTRAL;

describe('what an earlier route of a controller takes', () => {
  it.each<[earlier: Given, own: Given, said: Said]>([
    [{}, {}, 'unreachable'],
    [{}, { hosts: ['pay.test'], versions: ['1'] }, 'unreachable'],
    [{ handsOver: true }, {}, 'partial'],
    [{ hosts: ['pay.test'] }, {}, 'partial'],
    [{ hosts: ['pay.test'] }, { hosts: ['pay.test'] }, 'unreachable'],
    [{ hosts: ['pay.test', 'www.test'] }, { hosts: ['pay.test'] }, 'unreachable'],
    [{ hosts: ['pay.test'] }, { hosts: ['pay.test', 'www.test'] }, 'partial'],
    [{ hosts: ['pay.test'] }, { hosts: ['www.test'] }, undefined],
    [{ hosts: [':shop.test'] }, { hosts: ['www.test'] }, 'partial'],
    [{ hosts: ['pay.test'] }, { hosts: [/test$/] }, 'partial'],
    [{ versions: ['1'] }, {}, 'partial'],
    [{ versions: ['1', ALL] }, {}, 'partial'],
    [{ versions: ['1'] }, { versions: ['1'] }, 'unreachable'],
    [{ versions: ['1', '2'] }, { versions: ['1'] }, 'unreachable'],
    [{ versions: ['1'] }, { versions: ['1', '2'] }, 'partial'],
    [{ versions: ['1'] }, { versions: ['2', ALL] }, undefined],
    [{ versions: ['1'], hosts: ['pay.test'] }, { versions: ['2'] }, undefined],
    [{ versions: ['1'], handsOver: true }, { versions: ['1'] }, 'partial'],
  ])('%j before %j: %s', (earlier, own, said) => {
    expect(saidOf([route('/:any', [owner('Others.any', earlier)], earlier)], own)).toBe(said);
  });

  it('is nothing where it does not match', () => {
    const other = { ...route('/:any', [owner('Others.any', {})]), matches: (path: string) => path !== PATH };
    expect(saidOf([other])).toBeUndefined();
  });

  it('is asked with a value that no path spells out, if the webhook route has parameters', () => {
    const asked: string[] = [];
    const matches = (path: string): boolean => {
      asked.push(path);
      return true;
    };
    const earlier = { ...route('/:any', [owner('Others.any', {})]), matches };
    expect(saidOf([earlier], {}, '/shops/:tenant/of-:country/:"the account"')).toBe('unreachable');
    expect(asked).toEqual(['/shops/~/of-~/~']);
  });

  it('is a part if it is no method of a controller, or one of several that may be the method', () => {
    expect(saidOf([route('/:any', [])])).toBe('partial');
    expect(saidOf([route('/:any', [])], { hosts: ['pay.test'] })).toBe('partial');
    const [one, other] = [owner('One.any', {}), owner('Other.any', { hosts: ['pay.test'] })];
    expect(saidOf([route('/:any', [one, other])])).toBe('partial');
    const routes = new EarlierRoutes();
    const last = route(PATH, [owner('Webhooks.received', { webhook: {} })]);
    for (const each of [route('/:any', [one, other]), last]) routes.add(each);
    const webhook = webhookOf(last);
    expect(routes.check([webhook]).get(webhook)).toContain(
      'of One.any or Other.any comes before it and takes those of one of these methods:',
    );
    expect(saidOf([route('/:any', [one, owner('Other.any', {})])])).toBe('unreachable');
    expect(saidOf([route('/:any', [one, owner('Other.any', { handsOver: true })])])).toBe('partial');
  });
});

describe('an earlier webhook route', () => {
  it.each<
    [earlier: Given['webhook'], path: string, own: Given['webhook'], account: RouteAccount, said: Said]
  >([
    [{}, '/:tenant', {}, 'default', 'same account'],
    [{ account: 'payouts' }, '/:tenant', {}, 'default', 'unreachable'],
    [{}, '/webhooks/:account', {}, 'payouts', 'unreachable'],
    [{}, '/webhooks/:account', {}, 'payments', 'same account'],
    [{ dispatches: false }, '/:tenant', {}, 'default', 'unreachable'],
    [{}, '/:tenant', { dispatches: false }, 'default', 'unreachable'],
    [{ dispatches: false }, '/:tenant', { dispatches: false }, 'default', 'same account'],
  ])('%j at %s before %j of %s: %s', (webhook, path, own, account, said) => {
    const earlier = route(path, [owner('Others.received', { webhook: webhook ?? {} })]);
    expect(saidOf([earlier], { webhook: own ?? {} }, PATH, account)).toBe(said);
  });

  it('is meant so with another host or version', () => {
    for (const given of [{ hosts: ['pay.test'] }, { versions: ['1'] }]) {
      const others = owner('Others.received', { webhook: { account: 'payouts' }, ...given });
      expect(saidOf([route(PATH, [others], given)])).toBeUndefined();
    }
  });

  it('takes the accounts of its own parameter from another one', () => {
    const [tenants, accounts] = ['/webhooks/:tenant', '/webhooks/:account'];
    const earlier = (path: string): PostRoute => route(path, [owner('Others.received', { webhook: {} })]);
    expect(saidOf([earlier(tenants)], {}, accounts, NAMED_BY_PATH)).toBe('unreachable');
    expect(saidOf([earlier(accounts)], {}, accounts, NAMED_BY_PATH)).toBe('same account');
  });
});

describe('a webhook route', () => {
  const webhooks = owner('Webhooks.received', { webhook: {} });
  const others = route('/:any', [owner('Others.any', {})]);

  function checked(...routes: readonly PostRoute[]) {
    const earlier = new EarlierRoutes();
    for (const one of routes) earlier.add(one);
    return (...paths: readonly PostRoute[]) => earlier.check(paths.map((path) => webhookOf(path)));
  }

  it('with one path that is reached does not stop the boot', () => {
    const [taken, free] = [route('/taken', [webhooks]), route('/free', [webhooks])];
    const onlyTaken = { ...others, matches: (path: string) => path === '/taken' };
    const warnings = [...checked(onlyTaken, taken, free)(taken, free)];
    expect(warnings).toEqual([
      [expect.objectContaining({ path: '/taken' }), expect.stringContaining('Nobody reaches')],
    ]);
    expect(() => checked(onlyTaken, taken, free)(taken)).toThrow('Nobody reaches');
    expect(() => checked(others, taken, free)(taken, free)).toThrow('POST /taken of Webhooks.received');
  });

  it('is taken by what comes before its first registration, and the whole counts before a part', () => {
    const own = route(PATH, [webhooks]);
    expect(checked(own, others, own)(own).size).toBe(0);
    const part = route('/:some', [owner('Others.some', { handsOver: true })]);
    expect(() => checked(part, others, own)(own)).toThrow('POST /:any of Others.any');
  });

  it('is told apart from that of another controller with the same method and path', () => {
    const [one, other] = [owner('One.received', { webhook: {} }), owner('Other.received', { webhook: {} })];
    const { method } = one.webhook!;
    const heir = route(PATH, [{ ...other, webhook: { ...other.webhook!, method } }]);
    const [warning] = [...checked(route(PATH, [one]), heir)(heir).values()];
    expect(warning).toContain(
      'The method of the webhook route POST /webhooks/payments of Other.received never runs',
    );
  });

  it('is left out if its method may be that of several controllers, or if Express has none of it', () => {
    const own = route(PATH, [webhooks, owner('Twin.received', { webhook: {} })]);
    expect(checked(others, own)(own).size).toBe(0);
    expect(checked(others)(own).size).toBe(0);
  });

  it.each<[earlier: PostRoute, part: string]>([
    [route('/a', []), 'the route POST /a comes before it and takes what it does not pass on'],
    [
      { ...route('/a', [owner('A.a', { hosts: ['x', /y/] })]), verb: 'ALL' },
      "the route ALL /a of A.a comes before it and takes those for the host 'x' or '/y/':",
    ],
    [
      route('/a', [owner('A.a', {})], { versions: ['1', ALL] }),
      "takes those with the version '1' or none: no handler runs",
    ],
    [
      route('/a', [owner('A.a', { handsOver: true }), owner('B.b', {})]),
      'POST /a of A.a or B.b comes before it and takes those that its method does not pass on by next():',
    ],
  ])('%#: the warning says which requests', (earlier, part) => {
    const own = route(PATH, [webhooks]);
    const [warning] = [...checked(earlier, own)(own).values()];
    expect(warning).toContain(
      'Some requests for the webhook route POST /webhooks/payments of Webhooks.received may',
    );
    expect(warning).toContain(part);
  });

  it.each<[webhook: Given['webhook'], path: string, reason: string]>([
    [undefined, '/:any', 'answers its requests, which nobody verifies and no handler gets:'],
    [{ account: 'payouts' }, '/:any', "takes its webhooks, for the account 'payouts':"],
    [{}, '/webhooks/:account', 'takes the end of that path for the name of an account:'],
  ])('of which %j at %s comes first: the error says why', (webhook, path, reason) => {
    const own = route(PATH, [webhooks]);
    const earlier = route(path, [owner('Others.any', webhook ? { webhook } : {})]);
    expect(() => checked(earlier, own)(own)).toThrow(
      `Nobody reaches the webhook route POST ${PATH} of Webhooks.received, because the route POST ${path} of Others.any comes before it and ${reason}`,
    );
  });
});
