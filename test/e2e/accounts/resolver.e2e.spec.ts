import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { inspect } from 'node:util';
import {
  CollectionsService,
  memoryStorage,
  PaymentsAccountError,
  type PaymentsAccountOptions,
  PaymentsAccounts,
  type PaymentsAccountsOptions,
  PaymentsConfigError,
  PaymentsErrorInterceptor,
  PaymentsModule,
  PaymentsValidationError,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { Merchants } from '../../support/merchants.js';
import { startSandbox } from '../../support/sandbox.js';

const REQUEST = {
  reference: 'order-1',
  amount: '1180.50',
  phone: '255712345678',
  customer_name: 'Asha Mushi',
  customer_email: 'asha@example.com',
};

describe('accounts from a resolver', () => {
  let sandbox: PaymentsSandbox;
  let merchants: Merchants;
  let app: INestApplicationContext | undefined;
  let accounts: PaymentsAccounts;

  const start = async (options: Partial<PaymentsAccountsOptions> = {}): Promise<void> => {
    await app?.close();
    const module = await Test.createTestingModule({
      imports: [
        PaymentsModule.forRootAsync({
          isGlobal: true,
          useFactory: () => ({
            baseUrl: sandbox.moduleOptions().baseUrl,
            retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 2 },
            storage: memoryStorage(),
            accounts: { resolve: merchants.keysOf, ...options },
          }),
        }),
        PaymentsModule.forRoot({ ...sandbox.merchant('own').moduleOptions(), name: 'own' }),
      ],
    }).compile();
    app = await module.init();
    accounts = app.get(PaymentsAccounts);
  };
  const pay = (account: string, request: object = REQUEST): Promise<unknown> =>
    accounts.for(account).collections.mobileMoney(request as typeof REQUEST);
  const failureOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    merchants = new Merchants(['shop', 'Shop', 'school']);
    await start();
  });
  afterEach(async () => {
    await app?.close();
    await sandbox.stop();
  });

  it('pay with the keys of each, and the same reference is a payment of its own in each', async () => {
    await Promise.all(['shop', 'Shop', 'school'].map((account) => pay(account)));
    for (const account of ['shop', 'Shop', 'school']) {
      expect(sandbox.merchant(account).payments()).toHaveLength(1);
      const entry = await accounts.for(account).journal.get('collection', REQUEST.reference);
      expect(entry).toMatchObject({ account, state: 'accepted' });
    }
    const keys = sandbox.requests().map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(3);
  });

  it('have every service of an account, typed', async () => {
    const shop = accounts.for('shop');
    expect(shop.account).toBe('shop');
    expect(shop.collections).toBeInstanceOf(CollectionsService);
    expect(await shop.wallet.balance()).toHaveProperty('available_balance');
    expect((await shop.banks.list()).length).toBeGreaterThan(0);
    expect(await shop.inbox.conflicts()).toEqual([]);
    await shop.collections.mobileMoney(REQUEST);
    const open: string[] = [];
    for await (const { reference } of shop.journal.unresolved()) open.push(reference);
    expect(open).toEqual(['order-1']);
    expect(await shop.journal.recover()).toMatchObject({ probed: 0 });
  });

  it('are asked for once for any number of calls at once, and not again while cacheMs lasts', async () => {
    await Promise.all(Array.from({ length: 20 }, () => accounts.for('shop').wallet.balance()));
    await accounts.for('shop').wallet.balance();
    expect(merchants.asked).toEqual(['shop']);
  });

  it('are asked for again after cacheMs', async () => {
    await start({ cacheMs: 1 });
    await accounts.for('shop').wallet.balance();
    await accounts.for('shop').wallet.balance();
    expect(merchants.asked).toEqual(['shop', 'shop']);
  });

  it('send what the request held at the call, although the application changes it while the account is resolved', async () => {
    const request = { ...REQUEST };
    const paying = pay('shop', request);
    request.amount = '9999.00';
    await paying;
    expect(sandbox.merchant('shop').payments()).toMatchObject([{ amount: '1180.50' }]);
  });

  it('that do not exist are a clear error, remembered for a short time, and nothing is sent', async () => {
    for (let call = 0; call < 3; call += 1) {
      const error = await failureOf(pay('nobody'));
      expect(error).toBeInstanceOf(PaymentsAccountError);
      expect(error).toMatchObject({
        code: 'ACCOUNT_UNKNOWN',
        retryable: false,
        mayHaveBeenProcessed: 'not-by-this-call',
        message: expect.stringContaining('so this call sent nothing') as unknown,
      });
    }
    expect(merchants.asked).toEqual(['nobody']);
    expect(sandbox.requests()).toEqual([]);
    merchants.rows.set('nobody', { apiKey: 'pk_test_nobody', apiSecret: 'sk_test_nobody' });
    accounts.forget('nobody');
    await pay('nobody');
    expect(sandbox.merchant('nobody').payments()).toHaveLength(1);
  });

  it('that do not exist any more may have made the payment before', async () => {
    await pay('shop');
    merchants.rows.delete('shop');
    accounts.forget('shop');
    const error = await failureOf(pay('shop'));
    expect(error).toMatchObject({ code: 'ACCOUNT_UNKNOWN', mayHaveBeenProcessed: 'not-by-this-call' });
    expect(sandbox.merchant('shop').payments()).toHaveLength(1);
  });

  it('whose options are wrong by now may have made the payment before', async () => {
    await pay('shop');
    merchants.rows.set('shop', { ...merchants.rows.get('shop')!, timeoutMs: 1 } as PaymentsAccountOptions);
    accounts.forget('shop');
    const error = await failureOf(pay('shop'));
    expect(error).toBeInstanceOf(PaymentsConfigError);
    expect(error).toMatchObject({
      mayHaveBeenProcessed: 'not-by-this-call',
      hint: 'Correct what accounts.resolve returns, then make the same call again.',
    });
    class Interceptor extends PaymentsErrorInterceptor {
      answerTo = (): unknown =>
        this.toHttpException(error as PaymentsConfigError, { getType: () => 'rpc' } as never).getResponse();
    }
    expect(new Interceptor().answerTo()).toMatchObject({
      code: 'CONFIG_INVALID',
      mayHaveBeenProcessed: 'not-by-this-call',
    });
    expect(sandbox.merchant('shop').payments()).toHaveLength(1);
  });

  it('of which the resolver found another spelling do not exist, and nothing is sent', async () => {
    const shop = merchants.rows.get('shop');
    for (const spelling of ['Shop', 'SHOP']) merchants.rows.set(spelling, { ...shop!, account: 'shop' });
    merchants.rows.set('shop', { ...shop!, account: 'shop' });
    for (const spelling of ['Shop', 'SHOP'])
      expect(await failureOf(pay(spelling))).toMatchObject({ code: 'ACCOUNT_UNKNOWN' });
    expect(sandbox.requests()).toEqual([]);
    await pay('shop');
    expect(sandbox.merchant('shop').payments()).toHaveLength(1);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('password=sk_live_1 refused'))],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ])(
    'whose resolver %s are not available: nothing was sent, and the same call may be made again',
    async (_, before) => {
      await start({ timeoutMs: 20 });
      merchants.before = before;
      const error = await failureOf(pay('shop'));
      expect(error).toMatchObject({
        code: 'ACCOUNT_UNAVAILABLE',
        retryable: true,
        mayHaveBeenProcessed: 'not-by-this-call',
      });
      expect(inspect(error)).not.toContain('sk_live');
      expect(sandbox.requests()).toEqual([]);
      merchants.before = () => undefined;
      await pay('shop');
      expect(sandbox.merchant('shop').payments()).toHaveLength(1);
    },
  );

  it.each([
    [{ apiKey: 'sk_test_swapped', apiSecret: 'pk_test_swapped' }, /`apiKey` of account "shop"/],
    [{ apiKey: 'pk_test_shop' }, /`apiSecret` of account "shop" is missing/],
    [
      { apiKey: 'pk_test_shop', apiSecret: 'sk_test_shop', timeoutMs: 1 },
      /`timeoutMs` of account "shop" is the same for all/,
    ],
    [
      { apiKey: 'pk_test_shop', apiSecret: 'sk_test_shop', rate: { perSecond: 0 } },
      /`rate.perSecond` of account "shop"/,
    ],
    [
      {
        apiKey: 'pk_test_shop',
        apiSecret: 'sk_test_shop',
        webhooks: { secrets: ['a-secret-of-many-bytes'] },
      },
      /need a scheme/,
    ],
    [
      { apiKey: 'pk_test_shop', apiSecret: 'sk_test_shop', account: 7 },
      /`account` of account "shop" must be a text/,
    ],
    [
      { apiKey: 'pk_test_shop', apiSecret: 'sk_test_shop', limit: { collection: { max: '100' } } },
      /`limit` of account "shop" does not exist: did you mean `limits`/,
    ],
    ['pk_test_shop', /`accounts.resolve` of account "shop" returned no object/],
  ])('with wrong options are refused as at boot, and no key is shown (%#)', async (row, message) => {
    merchants.rows.set('shop', row as PaymentsAccountOptions);
    const error = await failureOf(pay('shop'));
    expect(error).toBeInstanceOf(PaymentsConfigError);
    expect(error).toMatchObject({ message: expect.stringMatching(message) as unknown });
    expect(inspect(error)).not.toMatch(/_test_s/);
    expect(sandbox.requests()).toEqual([]);
  });

  it('have their own limits of amounts and of calls', async () => {
    merchants.rows.set('shop', { ...merchants.rows.get('shop')!, limits: { collection: { max: '100' } } });
    await expect(pay('shop')).rejects.toThrow(PaymentsValidationError);
    await pay('school');
    expect(sandbox.payments()).toHaveLength(1);
  });

  it('have their own caps of a day, and one that leaves its room to the others', async () => {
    const capped = (count: number): NonNullable<PaymentsAccountOptions['limits']> => ({
      collection: { perDay: { count } },
    });
    merchants.rows.set('shop', { ...merchants.rows.get('shop')!, limits: capped(1) });
    merchants.rows.set('Shop', { ...merchants.rows.get('Shop')!, limits: capped(2) });
    const references = ['order-1', 'order-2', 'order-3'];
    for (const reference of references) {
      await failureOf(pay('shop', { ...REQUEST, reference }));
      await failureOf(pay('Shop', { ...REQUEST, reference }));
      await pay('school', { ...REQUEST, reference });
    }
    const made = ['shop', 'Shop', 'school'].map((account) => sandbox.merchant(account).payments().length);
    expect(made).toEqual([1, 2, 3]);
    expect(await failureOf(pay('shop', { ...REQUEST, reference: 'order-4' }))).toMatchObject({
      code: 'DAILY_CAP_REACHED',
    });
    merchants.rows.set('shop', { ...merchants.rows.get('shop')!, limits: capped(2) });
    accounts.forget('shop');
    await pay('shop', { ...REQUEST, reference: 'order-4' });
    expect(await failureOf(pay('shop', { ...REQUEST, reference: 'order-5' }))).toMatchObject({
      code: 'DAILY_CAP_REACHED',
    });
  });

  it('do not wait for each other after a 429', async () => {
    sandbox.merchant('shop').next('GET /merchant-balance').status(429, { retryAfter: 30 });
    await expect(accounts.for('shop').wallet.balance({ deadlineMs: 2_000 })).rejects.toThrow();
    await expect(accounts.for('shop').wallet.balance({ deadlineMs: 2_000 })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
    await accounts.for('school').wallet.balance();
  });

  it('of registered modules are there by name too', async () => {
    await pay('own');
    expect(sandbox.merchant('own').payments()).toHaveLength(1);
    expect(merchants.asked).toEqual([]);
  });

  it('are not there without a name: an injected service says what to inject', async () => {
    await expect(app!.get(CollectionsService).mobileMoney(REQUEST)).rejects.toThrow(
      /inject PaymentsAccounts, and call for\(account\)/,
    );
  });

  it('show no key to code that inspects what an application injects', async () => {
    await pay('shop');
    const seen = inspect([accounts, accounts.for('shop'), accounts.for('shop').collections], {
      depth: 20,
      showHidden: true,
    });
    expect(seen).not.toMatch(/[ps]k_test/);
  });

  it('answer 404 for an unknown one and 503 for one that is not available', () => {
    class Interceptor extends PaymentsErrorInterceptor {
      statusOf(code: 'ACCOUNT_UNKNOWN' | 'ACCOUNT_UNAVAILABLE'): number {
        const context = { getType: () => 'rpc' } as never;
        return this.toHttpException(new PaymentsAccountError(code, ''), context).getStatus();
      }
    }
    const interceptor = new Interceptor();
    expect(interceptor.statusOf('ACCOUNT_UNKNOWN')).toBe(404);
    expect(interceptor.statusOf('ACCOUNT_UNAVAILABLE')).toBe(503);
  });

  it('end their calls before the storage closes', async () => {
    let closing: Promise<void> | undefined;
    merchants.before = () => {
      closing = app?.close();
    };
    expect(await pay('shop')).toMatchObject({ reference: 'order-1' });
    await closing;
  });
});

const NOBODY = (): undefined => undefined;

it.each([
  [{ accounts: {} }, /`accounts.resolve` is missing/],
  [{ accounts: { resolve: NOBODY, cacheMs: 0 } }, /`accounts.cacheMs` must be a whole number/],
  [{ accounts: { resolve: NOBODY }, apiKey: 'pk_test_1' }, /`apiKey` stands beside `accounts`/],
  [{ accounts: { resolve: NOBODY }, baseUrl: 'https://gateway.example' }, /`baseUrl` does not end/],
  [{ accounts: { resolve: NOBODY }, webhooks: {} }, /`webhooks.scheme` is missing/],
  [{ accounts: { resolve: NOBODY }, limit: {} }, /`limit` does not exist: did you mean `limits`/],
])('a wrong registration of a resolver stops the boot (%#)', async (options, message) => {
  const all = { baseUrl: 'http://127.0.0.1:1/api/v1', ...options } as never;
  const boot = Test.createTestingModule({ imports: [PaymentsModule.forRoot(all)] }).compile();
  await expect(boot).rejects.toThrow(message);
});
