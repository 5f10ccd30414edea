import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type INestApplicationContext, Injectable, Logger, Module, Scope } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { type IncomingHttpHeaders } from 'node:http';
import { inspect } from 'node:util';
import {
  memoryStorage,
  PaymentsAccountError,
  type PaymentsAccountOptions,
  PaymentsAccounts,
  type PaymentsAccountsOptions,
  PaymentsConfigError,
  PaymentsModule,
  type PaymentsResolverOptions,
  PaymentsValidationError,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { BANK_PAYOUT } from '../../support/gateway-caller.js';
import { startMisbehavingGateway } from '../../support/misbehaving-gateway.js';
import { accept, bare } from '../../support/working-gateway.js';
import { keysOf } from '../../support/merchants.js';
import { startSandbox } from '../../support/sandbox.js';

const REQUEST = {
  reference: 'order-1',
  amount: '1180.50',
  phone: '255712345678',
  customer_name: 'Asha Mushi',
  customer_email: 'asha@example.com',
};
const SECRET = 'sk_live_never_shown';

let sandbox: PaymentsSandbox;
let app: INestApplicationContext | undefined;
let accounts: PaymentsAccounts;
let logged: string[];

const NEVER = new Promise<never>(() => undefined);

async function start(
  resolve: (account: string) => unknown,
  options: Partial<PaymentsAccountsOptions> = {},
  others: Partial<PaymentsResolverOptions> = {},
): Promise<void> {
  const module = await Test.createTestingModule({
    imports: [
      PaymentsModule.forRoot({
        baseUrl: sandbox.moduleOptions().baseUrl,
        retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 2 },
        storage: memoryStorage(),
        ...others,
        accounts: { resolve: resolve as PaymentsAccountsOptions['resolve'], ...options },
      }),
    ],
  }).compile();
  app = await module.init();
  accounts = app.get(PaymentsAccounts);
}
const failureOf = (work: Promise<unknown>): Promise<unknown> => work.then(String, (error: unknown) => error);
const pay = (account = 'shop', request: object = REQUEST): Promise<unknown> =>
  accounts.for(account).collections.mobileMoney(request as typeof REQUEST);

beforeAll(async () => {
  sandbox = await startSandbox({ clock: 'manual', seed: 1 });
});
beforeEach(() => {
  logged = [];
  vi.spyOn(Logger.prototype, 'error').mockImplementation((message: unknown) => {
    logged.push(String(message));
  });
});
afterEach(async () => {
  await app?.close();
  app = undefined;
  vi.restoreAllMocks();
  await sandbox.reset();
});
afterAll(async () => {
  await sandbox.stop();
});

class Unreadable extends Error {
  override get message(): string {
    throw new Error(SECRET);
  }
  override get name(): string {
    throw new Error(SECRET);
  }
  get code(): string {
    throw new Error(SECRET);
  }
}
const thrower = (): never => {
  throw new Error(SECRET);
};
const TRAPS = new Proxy({}, { get: () => thrower });

describe('a resolver that fails', () => {
  it.each<readonly [string, (account: string) => unknown]>([
    ['throws at once', thrower],
    [
      'rejects with no error',
      () => ({
        then: (_: unknown, reject: (reason: unknown) => void) => {
          reject({ secret: SECRET });
        },
      }),
    ],
    ['rejects with an error that cannot be read', () => Promise.reject(new Unreadable())],
    ['rejects with a Proxy', () => Promise.reject(new Proxy<Error>(new Error(), TRAPS))],
    ['returns a thenable that throws', () => ({ then: thrower })],
    [
      'returns a getter that throws',
      () => ({
        ...keysOf('shop'),
        get rate() {
          return thrower();
        },
      }),
    ],
    ['returns a Proxy whose traps throw', () => new Proxy({}, TRAPS)],
    [
      'returns a row whose section cannot be read',
      () => ({ ...keysOf('shop'), limits: new Proxy({}, TRAPS) }),
    ],
  ])('and %s is not available, shows nothing of its error, and is asked again', async (_, failing) => {
    let resolve = failing;
    await start((account) => resolve(account));
    const error = await failureOf(pay());
    expect(error).toBeInstanceOf(PaymentsAccountError);
    expect(error).toMatchObject({ code: 'ACCOUNT_UNAVAILABLE' });
    expect(inspect(error, { depth: 9, showHidden: true }) + logged.join()).not.toContain(SECRET);
    expect(sandbox.requests()).toEqual([]);
    resolve = keysOf;
    await pay();
    expect(sandbox.payments()).toHaveLength(1);
  });

  it.each([
    [[]],
    [7],
    [''],
    [false],
    [() => keysOf('shop')],
    [new Date()],
    [Symbol('shop')],
    [Object.create(null)],
  ])('and returns %s is told what to return', async (garbage) => {
    await start(() => garbage);
    expect(await failureOf(pay())).toBeInstanceOf(PaymentsConfigError);
    expect(sandbox.requests()).toEqual([]);
  });

  it('and asks for another account that is unknown does not make its own one unknown', async () => {
    await start(async (account) => {
      if (account === 'owner') return undefined;
      await accounts.for('owner').wallet.balance();
      return keysOf(account);
    });
    expect(await failureOf(pay())).toMatchObject({ code: 'ACCOUNT_UNAVAILABLE', retryable: true });
  });

  it('and asks for the account that it resolves ends with its time', async () => {
    await start((account) => accounts.for(account).wallet.balance(), { timeoutMs: 20 });
    expect(await failureOf(pay())).toMatchObject({ code: 'ACCOUNT_UNAVAILABLE' });
  });

  it('writes one line in a minute, whatever names strangers ask for', async () => {
    await start(thrower);
    const names = Array.from({ length: 50 }, (_, index) => `invented-${index}`);
    await Promise.all(names.map((name) => failureOf(pay(name))));
    expect(logged).toEqual(["accounts.resolve failed for the account 'invented-0': Error."]);
  });
});

describe('a call whose account must be resolved', () => {
  const waiting = (): { readonly answer: () => void; readonly resolve: (account: string) => unknown } => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    return {
      answer: () => {
        answer();
      },
      resolve: async (account) => {
        await answered;
        return keysOf(account);
      },
    };
  };

  it('takes its options, with a signal, although they are its only argument', async () => {
    await start(keysOf);
    const { signal } = new AbortController();
    expect(await accounts.for('shop').wallet.balance({ signal })).toHaveProperty('available_balance');
    expect(await accounts.for('school').banks.list({ signal })).not.toEqual([]);
  });

  it('ends at once when its signal fires, and others that wait for the same answer continue', async () => {
    const { answer, resolve } = waiting();
    const asked = vi.fn(resolve);
    await start(asked);
    const controller = new AbortController();
    const { collections } = accounts.for('shop');
    const aborted = collections.mobileMoney(REQUEST, { signal: controller.signal });
    const other = collections.mobileMoney(
      { ...REQUEST, reference: 'order-2' },
      { signal: new AbortController().signal },
    );
    const reason = new Error('the customer left');
    controller.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    answer();
    await other;
    expect(sandbox.payments().map(({ reference }) => reference)).toEqual(['order-2']);
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('counts the wait for its account into its own deadline', async () => {
    await start(() => NEVER, { timeoutMs: 200 });
    const { wallet, collections } = accounts.for('shop');
    expect(await failureOf(wallet.balance({ deadlineMs: 20 }))).toMatchObject({
      code: 'ACCOUNT_UNAVAILABLE',
    });
    const error = await failureOf(collections.mobileMoney(REQUEST, { deadlineMs: 20 }));
    expect(error).toMatchObject({
      code: 'ACCOUNT_UNAVAILABLE',
      message: expect.stringMatching(/deadlineMs was over/) as unknown,
    });
  });

  it('still checks options that are wrong', async () => {
    await start(keysOf);
    const { wallet } = accounts.for('shop');
    expect(await failureOf(wallet.balance({ deadlineMs: 1.5 }))).toBeInstanceOf(PaymentsValidationError);
    accounts.forget('shop');
    expect(await failureOf(wallet.balance({ signal: {} as AbortSignal }))).toBeInstanceOf(
      PaymentsValidationError,
    );
  });

  it('sends what the request held at the call, also from a Proxy and from below', async () => {
    const { answer, resolve } = waiting();
    await start(resolve);
    const held = { ...REQUEST, metadata: { items: ['rice'] } };
    const paying = pay('shop', new Proxy(held, {}));
    held.amount = '9999.00';
    held.metadata.items.push('gold');
    answer();
    await paying;
    expect(sandbox.payments()).toMatchObject([{ amount: '1180.50', metadata: { items: ['rice'] } }]);
  });

  it('refuses the same requests as one whose account is there', async () => {
    const odd = [
      {
        ...REQUEST,
        get amount() {
          return '1.00';
        },
      },
      { ...REQUEST, metadata: { at: new Date() } },
      { ...REQUEST, metadata: { run: () => 1 } },
      {
        ...REQUEST,
        metadata: new (class Basket {
          item = 1;
        })(),
      },
      null,
      [REQUEST],
    ];
    for (const request of odd) {
      await start(keysOf);
      const cold = await failureOf(pay('shop', request as object));
      const warm = await failureOf(pay('shop', request as object));
      expect(cold).toBeInstanceOf(PaymentsValidationError);
      expect(inspect(cold)).toBe(
        inspect(warm).replaceAll(String((warm as Error).stack), String((cold as Error).stack)),
      );
      await app?.close();
    }
    const circle: Record<string, unknown> = { ...REQUEST };
    circle['metadata'] = { circle, twin: circle };
    await start(keysOf);
    expect(await failureOf(pay('shop', circle))).toBeInstanceOf(PaymentsValidationError);
  });
});

describe('options of an account', () => {
  it('leave the fields of a section that they do not name as the registration has them', async () => {
    const limits = { collection: { max: '5000' }, disbursement: { max: '100' } };
    const own: PaymentsAccountOptions = { ...keysOf('shop'), limits: { collection: { min: '50' } } };
    await start((account) => (account === 'shop' ? own : keysOf(account)), {}, { limits });
    const { disbursements } = accounts.for('shop');
    const payout = { ...BANK_PAYOUT, amount: '101' };
    expect(await failureOf(disbursements.bank(payout))).toMatchObject({
      errors: { amount: [expect.stringMatching(/at most 100/)] },
    });
    expect(await failureOf(pay('shop', { ...REQUEST, amount: '49' }))).toBeInstanceOf(
      PaymentsValidationError,
    );
    expect(await failureOf(pay('shop', { ...REQUEST, amount: '5001' }))).toBeInstanceOf(
      PaymentsValidationError,
    );
    expect(sandbox.requests()).toEqual([]);
  });

  it('that move to the live environment begin a journal of their own, and calls that run end in the old one', async () => {
    const gateway = await startMisbehavingGateway();
    const held: (() => void)[] = [];
    gateway.answer(accept);
    let row = keysOf('shop');
    await start(() => row, {}, { baseUrl: gateway.baseUrl });
    await pay();
    gateway.answer((...exchange) => {
      held.push(() => {
        accept(...exchange);
      });
    }, accept);
    const running = pay('shop', { ...REQUEST, reference: 'order-2' });
    await gateway.arrived(2);
    row = { apiKey: 'pk_live_shop', apiSecret: 'sk_live_shop' };
    accounts.forget('shop');
    await pay();
    const { journal } = accounts.for('shop');
    const liveKey = gateway.seen[2]?.headers['idempotency-key'];
    expect(await journal.get('collection', 'order-1')).toMatchObject({ idempotencyKey: liveKey });
    expect(await journal.get('collection', 'order-2')).toBeUndefined();
    for (const answer of held) answer();
    await running;
    row = keysOf('shop');
    accounts.forget('shop');
    await pay();
    await pay('shop', { ...REQUEST, reference: 'order-2' });
    const sent = gateway.seen.map(({ headers }) => headers['x-api-key']);
    expect(sent).toEqual(['pk_test_shop', 'pk_test_shop', 'pk_live_shop']);
    // The same reference is one payment in each environment.
    expect(new Set(gateway.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(3);
    await gateway.close();
  });

  it.each<readonly [string, (baseUrl: string) => PaymentsAccountOptions]>([
    ['the live environment', () => ({ apiKey: 'pk_live_new', apiSecret: 'sk_live_new' })],
    ['another gateway', (baseUrl) => ({ ...keysOf('new'), baseUrl })],
    ['nobody', () => undefined as never],
  ])('that belong to %s after a 401 are not tried for the payment that was refused', async (_, next) => {
    const [gateway, other] = await Promise.all([startMisbehavingGateway(), startMisbehavingGateway()]);
    gateway.answer(bare(401));
    other.answer(accept);
    let row = keysOf('shop');
    await start(() => row, {}, { baseUrl: gateway.baseUrl });
    const paying = failureOf(pay());
    await gateway.arrived(1);
    row = next(other.baseUrl);
    expect(await paying).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(gateway.seen).toHaveLength(1);
    expect(other.seen).toEqual([]);
    await Promise.all([gateway.close(), other.close()]);
  });

  it('leave half of the connections to the others while their calls hang', async () => {
    const gateway = await startMisbehavingGateway();
    const isBusy = ({ headers }: { readonly headers: IncomingHttpHeaders }): boolean =>
      headers['x-api-key'] === keysOf('busy').apiKey;
    gateway.answer((response, socket, request) => {
      if (!isBusy(request)) accept(response, socket, request);
    });
    await start(keysOf, {}, { baseUrl: gateway.baseUrl });
    const hanging = new AbortController();
    const { signal } = hanging;
    const busy = Array.from({ length: 500 }, () =>
      failureOf(accounts.for('busy').wallet.balance({ signal })),
    );
    await gateway.arrived(250);
    expect(await pay('other')).toMatchObject({ reference: REQUEST.reference });
    expect(gateway.seen.filter(isBusy)).toHaveLength(250);
    hanging.abort();
    await Promise.all(busy);
    await gateway.close();
  });
});

describe('a registration', () => {
  @Injectable({ scope: Scope.REQUEST })
  class OfRequest {
    readonly keysOf = keysOf;
  }
  @Injectable()
  class OptionsFactory {
    readonly names = ['shop'];

    createPaymentsOptions(): PaymentsResolverOptions {
      const resolve = (account: string) => (this.names.includes(account) ? keysOf(account) : undefined);
      return { baseUrl: sandbox.moduleOptions().baseUrl, storage: memoryStorage(), accounts: { resolve } };
    }
  }
  @Module({ providers: [OfRequest], exports: [OfRequest] })
  class MerchantsModule {}

  it.each(['accounts', 'one account'])(
    'of %s whose factory injects a provider of a request stops the boot',
    async (of) => {
      const module = await Test.createTestingModule({
        imports: [
          PaymentsModule.forRootAsync({
            imports: [MerchantsModule],
            inject: [OfRequest],
            useFactory: (merchants: OfRequest) => {
              const baseUrl = sandbox.moduleOptions().baseUrl;
              return of === 'accounts'
                ? { baseUrl, accounts: { resolve: merchants.keysOf } }
                : { baseUrl, ...keysOf('shop') };
            },
          }),
        ],
      }).compile();
      await expect(module.init()).rejects.toThrow(/inject singletons only/);
    },
  );

  it('with useClass gives its accounts to the module that imports it, also in a provider of a request, and to no other', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Orders {
      constructor(readonly payments: PaymentsAccounts) {}
    }
    @Module({ imports: [PaymentsModule.forRootAsync({ useClass: OptionsFactory })], providers: [Orders] })
    class ShopModule {}
    const module = await Test.createTestingModule({ imports: [ShopModule] }).compile();
    app = await module.init();
    const [one, other] = await Promise.all([app.resolve(Orders), app.resolve(Orders)]);
    expect(one).not.toBe(other);
    await one.payments.for('shop').wallet.balance();
    await expect(other.payments.for('nobody').wallet.balance()).rejects.toMatchObject({
      code: 'ACCOUNT_UNKNOWN',
    });

    @Module({ imports: [ShopModule], providers: [Orders] })
    class OtherModule {}
    await expect(Test.createTestingModule({ imports: [OtherModule] }).compile()).rejects.toThrow(
      /PaymentsAccounts/,
    );
  });

  it('that has stopped sends nothing, and shows no key', async () => {
    await start(keysOf);
    await pay();
    const stopped = accounts;
    await app?.close();
    app = undefined;
    for (const account of ['shop', 'cold']) {
      const { wallet, collections } = stopped.for(account);
      const failures = await Promise.all([
        failureOf(wallet.balance()),
        failureOf(collections.mobileMoney({ ...REQUEST, reference: 'late' })),
      ]);
      for (const error of failures)
        expect(error).toMatchObject({
          code: expect.stringMatching(/^UND_ERR|UNREACHABLE|NETWORK/) as unknown,
        });
      expect(inspect([stopped, stopped.for(account), failures], { depth: 20, showHidden: true })).not.toMatch(
        /[ps]k_test/,
      );
    }
    expect(sandbox.payments()).toHaveLength(1);
  });
});
