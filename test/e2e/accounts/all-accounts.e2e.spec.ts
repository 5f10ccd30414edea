import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { inspect } from 'node:util';
import {
  aesGcm,
  type InboxScope,
  type JournalRecord,
  memoryStorage,
  PaymentsAccounts,
  PaymentsConfigError,
  PaymentsModule,
  type PaymentsModuleOptions,
  type PaymentsModuleRootOptions,
  type PaymentsStorage,
  PaymentsStorageError,
  PaymentsValidationError,
} from 'nestjs-payments';
import { collectionRecord, envelope } from '../../support/gateway-answers.js';
import { inboxDelivery, inboxKey, claimed } from '../../support/inbox-contract.js';
import { journalRecord } from '../../support/journal-contract.js';
import { keysOf, Merchants } from '../../support/merchants.js';
import { json, startMisbehavingGateway, type MisbehavingGateway } from '../../support/misbehaving-gateway.js';
import { scheme, secret } from '../../support/webhook-app.js';

const DAY_MS = 86_400_000;

describe('all accounts at once', () => {
  let gateway: MisbehavingGateway;
  let merchants: Merchants;
  let storage: PaymentsStorage;
  let now: number;
  let app: INestApplicationContext | undefined;
  let accounts: PaymentsAccounts;
  /** Whose payment the gateway was asked about, in this order. */
  let asked: string[];

  const open = async (
    account: string,
    reference: string,
    change: Partial<JournalRecord> = {},
  ): Promise<void> => {
    const unknown = { state: 'unknown', evidence: 'no-answer', account } as const;
    await storage.journal.insert(journalRecord(reference, { ...unknown, ...change }), 0);
  };
  const own = (name: string, more: Partial<PaymentsModuleOptions> = {}): PaymentsModuleRootOptions => ({
    apiKey: `pk_test_${name}`,
    apiSecret: `sk_test_${name}`,
    name,
    baseUrl: gateway.baseUrl,
    storage,
    retry: { maxAttempts: 1 },
    statusPaths: { collection: '/payments/{reference}' },
    ...more,
  });
  const start = async (
    imports: Parameters<typeof Test.createTestingModule>[0]['imports'] = [],
  ): Promise<void> => {
    const module = await Test.createTestingModule({ imports }).compile();
    app = await module.init();
    accounts = app.get(PaymentsAccounts);
  };
  const withResolver = (more: object = {}): unknown =>
    PaymentsModule.forRoot({
      baseUrl: gateway.baseUrl,
      storage,
      retry: { maxAttempts: 1 },
      statusPaths: { collection: '/payments/{reference}' },
      webhooks: { scheme, retentionDays: 1 },
      accounts: { resolve: merchants.keysOf },
      ...more,
    });
  const startAll = (more: object = {}): Promise<void> =>
    start([withResolver(more), PaymentsModule.forRoot(own('own'))] as never);
  const stateOf = async (scope: InboxScope, reference: string): Promise<string | undefined> =>
    (await storage.journal.get({ ...scope, family: 'collection', reference }))?.record.state;
  const sandboxOf = (account: string): InboxScope => ({ account, environment: 'sandbox' });
  async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
    const found: T[] = [];
    for await (const item of items) found.push(item);
    return found;
  }

  beforeEach(async () => {
    vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    now = 1_800_000_000_000;
    storage = memoryStorage({ now: () => now, maxEntries: 100_000 });
    merchants = new Merchants(['shop', 'Shop', 'school', '__proto__', 'constructor']);
    asked = [];
    gateway = await startMisbehavingGateway();
    gateway.answer((response, socket, request) => {
      const reference = decodeURIComponent(request.path.split('/').at(-1) ?? '');
      asked.push(`${String(request.headers['x-api-key']).slice('pk_test_'.length)} ${reference}`);
      json(envelope({ ...collectionRecord, reference, status: 'success' }))(response, socket, request);
    });
  });
  afterEach(async () => {
    await app?.close();
    await gateway.close();
    vi.restoreAllMocks();
  });
  describe('recovered', () => {
    it('are those that are registered and those of the resolver, each with its own keys', async () => {
      await startAll();
      for (const account of ['own', 'shop', 'Shop', '__proto__', 'constructor'])
        await open(account, 'order-1');
      await open('school', 'paid', { state: 'settled', outcome: 'success', settledBy: 'webhook' });
      now += 90_001;
      expect(await accounts.all.journal.recover()).toEqual({
        probed: 0,
        settled: 5,
        stillUnknown: 0,
        accounts: 6,
        skipped: [],
      });
      expect(asked.sort()).toEqual(
        ['own', 'shop', 'Shop', '__proto__', 'constructor'].map((name) => `${name} order-1`).sort(),
      );
      // Nobody asked for the account that has nothing open, and once for each other one.
      expect(merchants.asked.sort()).toEqual(['Shop', '__proto__', 'constructor', 'shop']);
    });

    it('do not fail with an account that nobody knows, whose keys are away or of the other environment', async () => {
      await startAll();
      merchants.before = (account) => {
        if (account === 'school') throw new Error('password=sk_live_1 refused');
      };
      for (const account of ['gone', 'school', 'shop', 'not a name']) await open(account, 'order-1');
      await open('Shop', 'order-2', { environment: 'production' });
      await open('own', 'order-3', { environment: 'production' });
      now += 90_001;
      const report = await accounts.all.journal.recover();
      expect(report).toMatchObject({ settled: 1, accounts: 6 });
      const skipped = report.skipped.map(
        ({ account, environment, reason }) => `${account} ${environment} ${reason}`,
      );
      expect(skipped.sort()).toEqual([
        'Shop production other-environment',
        'gone sandbox unknown',
        'not a name sandbox unknown',
        'own production other-environment',
        'school sandbox unavailable',
      ]);
      expect(asked).toEqual(['shop order-1']);
      expect(merchants.asked).not.toContain('not a name');
      expect(await stateOf(sandboxOf('gone'), 'order-1')).toBe('unknown');
      merchants.before = () => undefined;
      merchants.rows.set('gone', keysOf('gone'));
      accounts.forget('gone');
      expect(await accounts.all.journal.recover()).toMatchObject({ settled: 2 });
      expect(await stateOf(sandboxOf('gone'), 'order-1')).toBe('settled');
    });

    it('take turns, so that those with very many payments do not keep the others waiting', async () => {
      await startAll();
      // As many as have their turn at once, and listed before the others.
      const giants = Array.from({ length: 8 }, (_, index) => `giant-${index}`);
      const small = Array.from({ length: 9 }, (_, index) => `small-${index}`);
      for (const name of [...giants, ...small]) merchants.rows.set(name, keysOf(name));
      for (let index = 0; index < 130; index += 1) {
        for (const name of giants) await open(name, `order-${index}`);
      }
      for (const name of small) await open(name, 'order-1');
      now += 90_001;
      const report = await accounts.all.journal.recover();
      expect(report).toMatchObject({ settled: 8 * 130 + 9, accounts: 17, skipped: [] });
      const lastOfSmall = Math.max(...small.map((name) => asked.indexOf(`${name} order-1`)));
      // The turn of a giant ends after a hundred payments, and the next one comes after all others had theirs.
      expect(lastOfSmall).toBeLessThan(8 * 100 + small.length);
      expect(merchants.asked.filter((name) => name === 'giant-0')).toHaveLength(1);
      expect(new Set(asked).size).toBe(8 * 130 + 9);
    });

    it('are registered ones too, without a resolver, in the storage of each', async () => {
      const other = memoryStorage({ now: () => now });
      await start([
        PaymentsModule.forRoot(own('one')),
        PaymentsModule.forRoot(own('two')),
        PaymentsModule.forRoot(own('three', { storage: other })),
      ]);
      await open('one', 'order-1');
      await open('two', 'order-1');
      const unknown = { state: 'unknown', evidence: 'no-answer' } as const;
      await other.journal.insert(journalRecord('order-1', { ...unknown, account: 'three' }), 0);
      // Another application's, or left over from a registration that had this storage.
      await open('three', 'order-2');
      const listed = (await all(accounts.all.journal.unresolved())).map(
        ({ account, reference }) => `${account} ${reference}`,
      );
      expect(listed.sort()).toEqual(['one order-1', 'three order-1', 'two order-1']);
      now += 90_001;
      expect(await accounts.all.journal.recover()).toMatchObject({ settled: 3, accounts: 3, skipped: [] });
      expect(asked.sort()).toEqual(['one order-1', 'three order-1', 'two order-1']);
    });

    it('share one run at a time, which ends with the application', async () => {
      await startAll();
      for (let index = 0; index < 200; index += 1) await open('shop', `order-${index}`);
      now += 90_001;
      const running = accounts.all.journal.recover();
      expect(accounts.all.journal.recover()).toBe(running);
      await gateway.arrived(1);
      await app?.close();
      const report = await running;
      expect(report.unfinished).toBe(true);
      expect(report.settled).toBeLessThan(200);
      expect(report.settled).toBe(asked.length);
    });
  });

  describe('listed', () => {
    it('give the open payments of each, a page of one after a page of another, and ask no resolver', async () => {
      await startAll();
      for (let index = 0; index < 250; index += 1) await open('giant', `order-${index}`);
      for (const account of ['Shop', 'shop', '__proto__']) await open(account, 'order-1');
      await open('shop', 'live', { environment: 'production' });
      const found = await all(accounts.all.journal.unresolved());
      expect(found).toHaveLength(254);
      expect(found.slice(0, 104).filter(({ account }) => account === 'giant')).toHaveLength(100);
      const others = found.filter(({ account }) => account !== 'giant');
      expect(
        others.map(({ account, environment, reference }) => `${account} ${environment} ${reference}`).sort(),
      ).toEqual([
        'Shop sandbox order-1',
        '__proto__ sandbox order-1',
        'shop production live',
        'shop sandbox order-1',
      ]);
      expect(new Set(found.map(({ account, reference }) => `${account} ${reference}`)).size).toBe(254);
      expect(merchants.asked).toEqual([]);
      const known = await all(accounts.all.list());
      expect(known.map(({ account, environment }) => `${account} ${environment}`)).toHaveLength(5);
    });

    it('have accepted payouts only where the gateway can be asked about them', async () => {
      await start([
        PaymentsModule.forRoot(own('one')),
        PaymentsModule.forRoot(own('two', { statusPaths: { disbursement: '/payouts/{reference}' } })),
      ]);
      const payout = { family: 'disbursement', operation: 'disbursement.bank', state: 'accepted' } as const;
      for (const account of ['one', 'two']) await open(account, 'salary-1', payout);
      expect((await all(accounts.all.journal.unresolved())).map(({ account }) => account)).toEqual(['two']);
    });

    it('tell which payment has been open for the longest time', async () => {
      await startAll();
      expect(await accounts.all.journal.oldestUnresolved()).toBeUndefined();
      await open('shop', 'second');
      now += 1_000;
      for (const account of ['Shop', 'gone']) await open(account, 'third');
      now += 1_000;
      expect(await accounts.all.journal.oldestUnresolved()).toMatchObject({
        ageMs: 2_000,
        entry: { account: 'shop', environment: 'sandbox', reference: 'second' },
      });
      const each = await accounts.all.journal.oldestOfEach();
      expect(each.map(({ account, oldest }) => [account, oldest?.ageMs]).sort()).toEqual([
        ['Shop', 1_000],
        ['gone', 1_000],
        ['shop', 2_000],
      ]);
      expect(merchants.asked).toEqual([]);
    });

    it.each(['oldestUnresolved', 'oldestOfEach'] as const)(
      'make %s fail at the first silence of the storage, and not after one silence for each account',
      async (method) => {
        const names = Array.from({ length: 24 }, (_, index) => `shop-${index}`);
        const list = vi.fn(() => new Promise<never>(() => undefined));
        const journal = Object.assign(Object.create(storage.journal) as PaymentsStorage['journal'], {
          accounts: () => Promise.resolve({ accounts: names.map(sandboxOf) }),
          list,
        });
        storage = { ...storage, name: 'silent', journal };
        await start([PaymentsModule.forRoot(own('one'))]);
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        try {
          const error = accounts.all.journal[method]().catch((failure: unknown) => failure);
          await vi.advanceTimersByTimeAsync(5_000);
          expect(list).toHaveBeenCalledTimes(4);
          expect(await error).toBeInstanceOf(PaymentsStorageError);
        } finally {
          vi.useRealTimers();
        }
      },
    );

    it('give the events of each that were set aside', async () => {
      await startAll();
      const event = {
        kind: 'conflict',
        event: 'payment.failed',
        reference: 'order-1',
        payload: '{}',
      } as const;
      for (let index = 0; index < 120; index += 1) {
        await storage.conflicts.setAside({ ...sandboxOf('giant'), ...event, fingerprint: `f${index}` });
      }
      await storage.conflicts.setAside({ ...sandboxOf('shop'), ...event, fingerprint: 'f1' });
      const found = await all(accounts.all.inbox.conflicts());
      expect(found).toHaveLength(121);
      expect(found[100]?.account).toBe('shop');
      expect(new Set(found.map(({ account, id }) => `${account} ${id}`)).size).toBe(121);
    });
  });

  describe('purged', () => {
    const settled = { state: 'settled', outcome: 'success', settledBy: 'webhook' } as const;

    it('forget the settled payments of each, of accounts that nobody knows too, and ask no resolver', async () => {
      await startAll();
      for (const account of ['own', 'shop', 'gone']) {
        await open(account, 'paid', settled);
        await open(account, 'open');
      }
      now += 91 * DAY_MS;
      const report = await accounts.all.journal.purge({ olderThanMs: 90 * DAY_MS });
      expect(report).toEqual({ accounts: 3, purged: 3, skipped: [] });
      for (const account of ['own', 'shop', 'gone']) {
        expect(await stateOf(sandboxOf(account), 'paid')).toBeUndefined();
        expect(await stateOf(sandboxOf(account), 'open')).toBe('unknown');
      }
      expect(merchants.asked).toEqual([]);
    });

    it.each([
      [{ olderThanMs: 0 }, 'olderThanMs', 'from 1 to 36,500 days'],
      [
        { olderThanMs: 1, acceptedPayoutsOlderThanMs: 1 },
        'acceptedPayoutsOlderThanMs',
        'is of one account: call accounts.for(name).journal.purge()',
      ],
    ])('refuse %j', async (ages, field, problem) => {
      await startAll();
      const error: unknown = await accounts.all.journal.purge(ages).catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(PaymentsValidationError);
      expect((error as PaymentsValidationError).errors).toEqual({
        [field]: [expect.stringContaining(problem)],
      });
    });

    it('forget handled webhooks by the retentionDays of the registration', async () => {
      const webhooks = { scheme, secrets: [secret], retentionDays: Infinity };
      await start([withResolver(), PaymentsModule.forRoot(own('own', { webhooks }))] as never);
      for (const account of ['own', 'shop']) {
        const key = inboxKey('order-1', { account });
        await claimed(await storage.inbox.claim(inboxDelivery('order-1', { key }), 60_000)).finish();
      }
      const unrecognized = {
        kind: 'unrecognized',
        event: 'new',
        reference: 'a',
        payload: '{}',
        fingerprint: 'f',
      } as const;
      await storage.conflicts.setAside({ ...sandboxOf('shop'), ...unrecognized });
      now += 2 * DAY_MS;
      expect(await accounts.all.inbox.purge()).toEqual({ accounts: 2, purged: 1, skipped: [] });
      expect(await accounts.all.inbox.purge({ unrecognizedOlderThanMs: DAY_MS })).toMatchObject({
        purged: 1,
      });
      expect((await all(accounts.all.inbox.conflicts())).length).toBe(0);
      expect((await storage.inbox.accounts({ limit: 9 })).accounts).toEqual([sandboxOf('own')]);
    });
  });

  it('are resealed with the current key of their registration', async () => {
    const key = (letter: string): string => `${letter}0${letter}1`.repeat(16);
    const encryption = (current: string): PaymentsModuleOptions['encryption'] =>
      aesGcm({ keys: { old: key('a'), new: key('b') }, current });
    const written = async (): Promise<string> =>
      (await storage.journal.get(journalRecord('order-1', { account: 'shop' })))?.record.body ?? '';
    await startAll({ encryption: encryption('new') });
    for (const account of ['shop', 'own']) await open(account, 'order-1');
    const report = await accounts.all.journal.reseal();
    expect(report).toMatchObject({ resealed: 1, busy: 0, unreadable: 0, accounts: 2 });
    expect(report.skipped).toEqual([{ ...sandboxOf('own'), reason: 'no-encryption' }]);
    expect(await written()).toMatch(/^sealed:1:new:/);
    await app?.close();
    await startAll();
    await expect(accounts.all.journal.reseal()).rejects.toBeInstanceOf(PaymentsConfigError);
  });

  it('need a storage that lists them', async () => {
    const { accounts: _, ...methods } = {
      ...Object.fromEntries(
        ['insert', 'get', 'replace', 'remove', 'list', 'tombstone', 'endTombstone', 'purge'].map((name) => [
          name,
          (...given: unknown[]) =>
            (storage.journal as unknown as Record<string, (...given: unknown[]) => unknown>)[name]?.(
              ...given,
            ),
        ]),
      ),
      accounts: undefined,
    };
    storage = { ...storage, journal: methods as never };
    await start([PaymentsModule.forRoot(own('one'))]);
    const messages = /`journal` of the storage has no method `accounts`.*add accounts\(\{ after, limit \}\)/s;
    for (const work of [
      () => accounts.all.journal.recover(),
      () => all(accounts.all.journal.unresolved()),
      () => accounts.all.journal.oldestUnresolved(),
      () => accounts.all.journal.purge({ olderThanMs: 1 }),
    ]) {
      const error: unknown = await work().catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(PaymentsConfigError);
      expect((error as Error).message).toMatch(messages);
    }
  });

  it('show no key when they are inspected', async () => {
    await startAll();
    await open('shop', 'order-1');
    now += 90_001;
    await accounts.all.journal.recover();
    expect(inspect(accounts, { depth: Infinity, showHidden: true })).not.toMatch(/sk_test|pk_test/);
  });
});
