import { expect, it, vi } from 'vitest';
import fc from 'fast-check';
import { inFlightPlaces } from '../../../lib/common/in-flight.js';
import { isAccountName } from '../../../lib/common/account-name.js';
import { AccountPool, type PooledAccount } from '../../../lib/accounts/account-pool.js';
import { type Account } from '../../../lib/accounts/account.js';
import { resolveResolverOptions } from '../../../lib/config/resolve-accounts.js';
import { idempotencyKeyFor, journalKeyText } from '../../../lib/journal/payment/payment-identity.js';

const PATIENT = { timeout: 20_000 };
const ODD = [
  '',
  '.',
  '..',
  '../shop',
  '%2F',
  '..%2Fshop',
  'shop%2e',
  'shop\n',
  ' shop',
  'shop ',
  'a|b',
  'a:b',
  'a/b',
  'a\\b',
  'a\0b',
  'caf\u00e9',
  'cafe\u0301',
  '\uff53hop',
  'sh\u200bop',
  'x'.repeat(65),
  'x'.repeat(10_240),
];
const VALID = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'shop',
  'Shop',
  'SHOP',
  '7',
  '-',
  '_',
  '...',
];
const anyName = fc.oneof(
  fc.constantFrom(...ODD, ...VALID),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.stringMatching(/^[\w.-]{1,64}$/),
);

const OPTIONS = resolveResolverOptions(
  {
    baseUrl: 'http://127.0.0.1:1/api/v1',
    accounts: { resolve: (name: string) => ({ apiKey: `pk_test_${name}`, apiSecret: `sk_test_${name}` }) },
  },
  'default',
);
const idle = (): Promise<void> => Promise.resolve();

it.each(ODD)('%j is no name', (name) => {
  expect(isAccountName(name)).toBe(false);
});

it.each(VALID)('%j is a name', (name) => {
  expect(isAccountName(name)).toBe(true);
});

it.each([7, null, undefined, ['shop'], { toString: () => 'shop' }])(
  'a value that is no text is no name (%#)',
  (value) => {
    expect(isAccountName(value)).toBe(false);
  },
);

it('two names never share keys, an entry of the pool, a journal key or an idempotency key', async () => {
  const pool = new AccountPool(
    OPTIONS,
    ({ account }) =>
      ({ services: { account }, receiver: undefined, stop: () => undefined, idle }) as unknown as Account,
    inFlightPlaces(10),
  );
  const seen = new Map<string, { readonly name: string; readonly pooled: PooledAccount }>();
  const check = fc.asyncProperty(anyName, anyName, async (one, other) => {
    for (const name of [one, other].filter(isAccountName)) {
      const pooled = await pool.open(name);
      expect(pooled.account.services.account).toBe(name);
      expect(pooled.options.apiKey()).toBe(`pk_test_${name}`);
      const payment = { account: name, environment: 'sandbox', reference: 'order-1' } as const;
      const keys = [
        journalKeyText({ ...payment, family: 'collection' }),
        idempotencyKeyFor({ ...payment, operation: 'collection.mobile-money', attempt: 1 }),
      ];
      for (const key of keys) {
        expect(seen.get(key)?.name ?? name).toBe(name);
        seen.set(key, { name, pooled });
      }
    }
  });
  await fc.assert(check, { numRuns: 2_000 });
  const pools = new Map([...seen.values()].map(({ pooled, name }) => [pooled, name]));
  expect(pools.size).toBe(new Set([...seen.values()].map(({ name }) => name)).size);
  expect(pools.size).toBeGreaterThan(100);
});

it('the pool lets the accounts go that were used longest ago, but none within a minute and none in use', async () => {
  const small = { ...OPTIONS, accounts: { ...OPTIONS.accounts, maxCached: 2 } };
  const pool = new AccountPool(
    small,
    () => ({ services: {}, receiver: undefined, stop: () => undefined, idle }) as unknown as Account,
    inFlightPlaces(10),
  );
  const busy = await pool.open('busy');
  pool.use(busy);
  const old = await pool.open('old');
  await pool.open('recent');
  expect(pool.size()).toBe(3);
  busy.usedAt = old.usedAt = -Infinity;
  await pool.open('last');
  expect(['busy', 'old', 'recent', 'last'].filter((name) => pool.has(name))).toEqual([
    'busy',
    'recent',
    'last',
  ]);
});

const poolOf = (accounts: Partial<(typeof OPTIONS)['accounts']>): AccountPool =>
  new AccountPool(
    { ...OPTIONS, accounts: { ...OPTIONS.accounts, ...accounts } },
    () => ({ services: {}, receiver: undefined, stop: () => undefined, idle }) as unknown as Account,
    inFlightPlaces(10),
  );

it('an account that is asked for again is there for its caller, although others need its place at the same moment', async () => {
  const answers: (() => void)[] = [];
  const row = { apiKey: 'pk_test_x', apiSecret: 'sk_test_x' };
  // One query for all, as a DataLoader makes it.
  const resolve = (): Promise<typeof row> =>
    new Promise((answer) => {
      answers.push(() => {
        answer(row);
      });
    });
  const answerAll = async (count: number): Promise<void> => {
    await vi.waitUntil(() => answers.length === count, PATIENT);
    for (const answer of answers.splice(0)) answer();
  };
  const pool = poolOf({ maxCached: 1, resolve });
  const first = pool.open('old');
  await answerAll(1);
  const old = await first;
  old.usedAt = old.freshUntil = -Infinity;
  const both = Promise.all(['old', 'new-1', 'new-2'].map(async (name) => pool.open(name)));
  await answerAll(3);
  expect((await both).map(({ name }) => name)).toEqual(['old', 'new-1', 'new-2']);
});

it('the pool is not idle while somebody waits for an answer that forget() made worthless', async () => {
  let answer: () => void = () => undefined;
  const asked = vi.fn(
    () =>
      new Promise<undefined>((resolve) => {
        answer = () => {
          resolve(undefined);
        };
      }),
  );
  const pool = poolOf({ resolve: asked });
  const opened = Promise.resolve(pool.open('shop')).catch((error: unknown) => error);
  await vi.waitUntil(() => asked.mock.calls.length === 1, PATIENT);
  pool.forget('shop');
  let isIdle = false;
  const idling = pool.idle().then(() => {
    isIdle = true;
  });
  answer();
  await vi.waitUntil(() => asked.mock.calls.length === 2, PATIENT);
  expect(isIdle).toBe(false);
  answer();
  await idling;
  expect(await opened).toMatchObject({ code: 'ACCOUNT_UNKNOWN' });
});

it('a shutdown reaches an account that others replaced as long as a delivery uses it', async () => {
  let address = 'a';
  const resolve = (name: string) => ({
    apiKey: `pk_test_${name}`,
    apiSecret: `sk_test_${name}`,
    baseUrl: `http://127.0.0.1:1/${address}/api/v1`,
  });
  const pool = new AccountPool(
    resolveResolverOptions({ baseUrl: 'http://127.0.0.1:1/api/v1', accounts: { resolve } }, 'default'),
    () => ({ services: {}, receiver: undefined, stop: () => undefined, idle }) as unknown as Account,
    inFlightPlaces(10),
  );
  const visited = (): number => {
    let count = 0;
    pool.forEach(() => (count += 1));
    return count;
  };
  const release = pool.use(await pool.open('shop'));
  address = 'b';
  pool.forget('shop');
  await pool.open('shop');
  await new Promise(setImmediate);
  expect(visited()).toBe(2);
  release();
  await new Promise(setImmediate);
  expect(visited()).toBe(1);
});

it('the calls of an account have the same places while they wait for it, while it is known and when its rules change', async () => {
  let row: object | undefined = { apiKey: 'pk_test_x', apiSecret: 'sk_test_x' };
  const pool = poolOf({ resolve: () => row as never });
  const places = pool.placesOf('shop');
  expect(pool.placesOf('shop')).not.toBe(places);
  const opening = pool.open('shop', places);
  expect(pool.placesOf('shop')).toBe(places);
  expect(await opening).toMatchObject({ name: 'shop', places });
  row = { ...row, rate: { perSecond: 1 } };
  pool.forget('shop');
  expect(pool.placesOf('shop')).toBe(places);
  const replaced = await pool.open('shop');
  expect(replaced.options.rate).toMatchObject({ perSecond: 1 });
  expect(replaced.places).toBe(places);
});

it('the pool keeps no places of accounts that it did not find', async () => {
  const pool = poolOf({ resolve: () => undefined });
  const places = pool.placesOf('nobody');
  await expect(pool.open('nobody', places)).rejects.toMatchObject({ code: 'ACCOUNT_UNKNOWN' });
  expect(pool.placesOf('nobody')).not.toBe(places);
});
