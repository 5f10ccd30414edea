import { HttpModule, HttpService } from '@nestjs/axios';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DynamicModule, Injectable, Module, type ModuleMetadata } from '@nestjs/common';
import { ConfigModule, ConfigService, registerAs } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  BanksService,
  CollectionsService,
  DisbursementsService,
  getPaymentsToken,
  hmac,
  InjectPayments,
  memoryStorage,
  NameLookupService,
  PaymentsAccounts,
  paymentsConfig,
  PaymentsConfigError,
  PaymentsInbox,
  PaymentsModule,
  type PaymentsModuleOptions,
  type PaymentsOptionsFactory,
  WalletService,
} from 'nestjs-payments';
import { bankRequest, envelope } from '../../support/gateway-answers.js';
import { json, type MisbehavingGateway, startMisbehavingGateway } from '../../support/misbehaving-gateway.js';

const KEYS = { apiKey: 'pk_test_4f9a2c7e1b', apiSecret: 'sk_test_4f9a2c7e1b' };
const BALANCE = { balance: 5, available_balance: 4, locked_balance: 1, currency: 'TZS' };
const scheme = hmac({ header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] });

let gateway: MisbehavingGateway;
let options: PaymentsModuleOptions;
let application: TestingModule | undefined;

beforeEach(async () => {
  gateway = await startMisbehavingGateway();
  gateway.answer(json(envelope(BALANCE)));
  options = { ...KEYS, baseUrl: gateway.baseUrl };
});
afterEach(async () => {
  await application?.close();
  application = undefined;
  await gateway.close();
});

async function boot(metadata: ModuleMetadata): Promise<TestingModule> {
  application = await Test.createTestingModule(metadata).compile();
  return application.init();
}

/** What the gateway was asked with by the default account. */
async function keyOfBalanceCall(app: TestingModule): Promise<unknown> {
  await app.get(WalletService, { strict: false }).balance();
  return gateway.seen.at(-1)?.headers['x-api-key'];
}

async function bootError(metadata: ModuleMetadata): Promise<unknown> {
  return boot(metadata).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('PaymentsModule.forRoot', () => {
  it('provides every service', async () => {
    const app = await boot({ imports: [PaymentsModule.forRoot(options)] });
    for (const service of [
      BanksService,
      CollectionsService,
      DisbursementsService,
      NameLookupService,
      PaymentsInbox,
      WalletService,
    ]) {
      expect(app.get(service)).toBeInstanceOf(service);
    }
    expect(await keyOfBalanceCall(app)).toBe(KEYS.apiKey);
  });

  it('is not global unless it says so', async () => {
    @Injectable()
    class Shop {
      constructor(readonly wallet: WalletService) {}
    }
    @Module({ providers: [Shop] })
    class ShopModule {}

    const error = await bootError({ imports: [PaymentsModule.forRoot(options), ShopModule] });
    expect(String(error)).toMatch(/can't resolve dependencies of the Shop/);
    const app = await boot({ imports: [PaymentsModule.forRoot({ ...options, isGlobal: true }), ShopModule] });
    expect(app.get(Shop, { strict: false }).wallet).toBeInstanceOf(WalletService);
  });
});

describe('PaymentsModule.forRootAsync', () => {
  it('asks a factory that injects what it imports', async () => {
    const { baseUrl, ...rest } = options;
    const app = await boot({
      imports: [
        PaymentsModule.forRootAsync({
          imports: [ConfigModule.forRoot({ ignoreEnvFile: true, load: [() => ({ gateway: baseUrl })] })],
          inject: [ConfigService],
          useFactory: (config: ConfigService) =>
            Promise.resolve({ ...rest, baseUrl: config.getOrThrow<string>('gateway') }),
        }),
      ],
    });
    expect(await keyOfBalanceCall(app)).toBe(KEYS.apiKey);
  });

  it('makes the class of useClass, with what it injects', async () => {
    @Injectable()
    class Factory implements PaymentsOptionsFactory {
      constructor(private readonly config: ConfigService) {}

      createPaymentsOptions(): PaymentsModuleOptions {
        return { ...KEYS, baseUrl: this.config.getOrThrow('gateway') };
      }
    }

    const app = await boot({
      imports: [
        PaymentsModule.forRootAsync({
          imports: [
            ConfigModule.forRoot({ ignoreEnvFile: true, load: [() => ({ gateway: gateway.baseUrl })] }),
          ],
          useClass: Factory,
        }),
      ],
    });
    expect(await keyOfBalanceCall(app)).toBe(KEYS.apiKey);
  });

  it('takes the instance of useExisting', async () => {
    let made = 0;
    @Injectable()
    class Factory implements PaymentsOptionsFactory {
      constructor() {
        made += 1;
      }

      createPaymentsOptions(): Promise<PaymentsModuleOptions> {
        return Promise.resolve(options);
      }
    }
    @Module({ providers: [Factory], exports: [Factory] })
    class FactoryModule {}

    const app = await boot({
      imports: [
        PaymentsModule.forRootAsync({ isGlobal: true, imports: [FactoryModule], useExisting: Factory }),
      ],
    });
    expect(await keyOfBalanceCall(app)).toBe(KEYS.apiKey);
    expect(made).toBe(1);
  });

  it('is global if isGlobal is true', async () => {
    @Injectable()
    class Shop {
      constructor(readonly wallet: WalletService) {}
    }
    @Module({ providers: [Shop] })
    class ShopModule {}

    const app = await boot({
      imports: [PaymentsModule.forRootAsync({ isGlobal: true, useFactory: () => options }), ShopModule],
    });
    expect(app.get(Shop, { strict: false }).wallet).toBeInstanceOf(WalletService);
  });

  it('options beside the factory override those of its result, unless they are undefined', async () => {
    const app = await boot({
      imports: [
        PaymentsModule.forRootAsync({
          useFactory: () => ({ ...options, apiKey: 'sk_test_wrong', auth: 'bearer' as const }),
          apiKey: 'pk_test_beside',
          // JavaScript and `config.get()` write what TypeScript would refuse here.
          ...({ baseUrl: undefined, auth: undefined } as object),
        }),
      ],
    });
    await app.get(WalletService).balance();
    expect(gateway.seen[0]?.headers.authorization).toBe('Bearer pk_test_beside');
  });

  it.each([
    ['forRoot', (settings: PaymentsModuleOptions) => PaymentsModule.forRoot(settings)],
    [
      'forRootAsync',
      (settings: object) => PaymentsModule.forRootAsync({ useFactory: () => settings as never }),
    ],
    [
      'forRootAsync with webhooks beside the factory',
      (settings: object) =>
        PaymentsModule.forRootAsync({ useFactory: () => settings as never, webhooks: { scheme } }),
    ],
  ])('%s obeys options that are getters of a class', async (_, register) => {
    class Webhooks {
      get secrets() {
        return ['whsec_test_4f9a2c7e1b'];
      }
      get scheme() {
        return scheme;
      }
      get retentionDays() {
        return Infinity;
      }
    }
    class Settings {
      readonly baseUrl = gateway.baseUrl;
      get apiKey() {
        return KEYS.apiKey;
      }
      get apiSecret() {
        return KEYS.apiSecret;
      }
      get limits() {
        return { disbursement: { max: '1000' } };
      }
      get webhooks() {
        return new Webhooks();
      }
    }
    const app = await boot({ imports: [register(new Settings())] });
    expect(await keyOfBalanceCall(app)).toBe(KEYS.apiKey);
    const tooMuch = app.get(DisbursementsService, { strict: false }).bank({ ...bankRequest, amount: '1001' });
    await expect(tooMuch).rejects.toMatchObject({ name: 'PaymentsValidationError' });
    expect(app.get(PaymentsInbox, { strict: false })).toBeInstanceOf(PaymentsInbox);
    expect(gateway.seen).toHaveLength(1);
  });

  it('throws if the factory was forgotten', () => {
    expect(() => PaymentsModule.forRootAsync({})).toThrow(PaymentsConfigError);
    expect(() => PaymentsModule.forRootAsync({})).toThrow(/write useFactory, useClass or useExisting/);
  });
});

describe('paymentsConfig.asProvider()', () => {
  const secret = 'a-signing-secret-of-some-length';
  const before = { ...process.env };
  beforeEach(() => {
    Object.assign(process.env, {
      PAYMENTS_BASE_URL: gateway.baseUrl,
      PAYMENTS_API_KEY: KEYS.apiKey,
      PAYMENTS_API_SECRET: KEYS.apiSecret,
      PAYMENTS_WEBHOOK_SECRET: secret,
      PAYMENTS_TIMEOUT_MS: '4000',
    });
  });
  afterEach(() => {
    process.env = { ...before };
  });

  it('takes accounts from a resolver beside it, and no keys then', async () => {
    const imports = [
      PaymentsModule.forRootAsync({
        ...paymentsConfig.asProvider(),
        webhooks: { scheme },
        accounts: { resolve: () => ({ ...KEYS, webhooks: { secrets: [secret] } }) },
      }),
    ];
    for (const name of ['PAYMENTS_API_KEY', 'PAYMENTS_API_SECRET', 'PAYMENTS_WEBHOOK_SECRET'])
      Reflect.deleteProperty(process.env, name);
    const app = await boot({ imports });
    await app.get(PaymentsAccounts).for('shop').wallet.balance();
    expect(gateway.seen.at(-1)?.headers['x-api-key']).toBe(KEYS.apiKey);
    process.env['PAYMENTS_API_KEY'] = KEYS.apiKey;
    expect(String(await bootError({ imports }))).toContain('`apiKey` stands beside `accounts`');
  });

  it('reads the environment, and takes the scheme and the storage beside it', async () => {
    const storage = memoryStorage();
    let asked = 0;
    const watched = {
      ...storage,
      conflicts: Object.assign(Object.create(storage.conflicts) as typeof storage.conflicts, {
        list: () => {
          asked += 1;
          return Promise.resolve([]);
        },
      }),
    };
    const app = await boot({
      imports: [
        PaymentsModule.forRootAsync({
          ...paymentsConfig.asProvider(),
          webhooks: { scheme },
          storage: watched,
        }),
      ],
    });
    expect(await keyOfBalanceCall(app)).toBe(KEYS.apiKey);
    await app.get(PaymentsInbox).conflicts();
    expect(asked).toBe(1);
  });

  it('leaves a configuration of the application alone that is named payments', async () => {
    const own = registerAs('payments', () => ({ feePercent: 3 }));
    const config = ConfigModule.forRoot({ isGlobal: true, load: [own, paymentsConfig] });
    const payments = PaymentsModule.forRootAsync({ ...paymentsConfig.asProvider(), webhooks: { scheme } });
    for (const imports of [
      [config, payments],
      [payments, config],
    ]) {
      const app = await boot({ imports });
      expect(app.get(ConfigService).get('payments')).toEqual({ feePercent: 3 });
      expect(await keyOfBalanceCall(app)).toBe(KEYS.apiKey);
      await app.close();
    }
  });

  it('names the variable that is missing', async () => {
    delete process.env['PAYMENTS_WEBHOOK_SECRET'];
    const error = await bootError({
      imports: [PaymentsModule.forRootAsync({ ...paymentsConfig.asProvider(), webhooks: { scheme } })],
    });
    expect(error).toBeInstanceOf(PaymentsConfigError);
    expect(String(error)).toContain('PAYMENTS_WEBHOOK_SECRET');
  });

  it('asks for the scheme if only the secret is set', async () => {
    const error = await bootError({ imports: [PaymentsModule.forRootAsync(paymentsConfig.asProvider())] });
    expect(error).toBeInstanceOf(PaymentsConfigError);
    expect(String(error)).toContain('`webhooks.scheme` is missing');
    expect(String(error)).not.toContain(secret);
  });
});

describe('a named account beside the default one', () => {
  @Injectable()
  class Treasury {
    @InjectPayments(WalletService, 'payouts') readonly property!: WalletService;

    constructor(
      readonly shop: WalletService,
      @InjectPayments(WalletService, 'payouts') readonly payouts: WalletService,
      @InjectPayments(HttpService) readonly shopHttp: HttpService,
      @InjectPayments(HttpService, 'payouts') readonly payoutsHttp: HttpService,
      @InjectPayments(PaymentsInbox, 'payouts') readonly inbox: PaymentsInbox,
      readonly applicationHttp: HttpService,
    ) {}
  }

  async function bootBoth(): Promise<Treasury> {
    const app = await boot({
      imports: [
        PaymentsModule.forRoot(options),
        PaymentsModule.forRootAsync({
          name: 'payouts',
          useFactory: () => ({ ...options, apiKey: 'pk_test_payouts', apiSecret: 'sk_test_payouts' }),
        }),
        HttpModule,
      ],
      providers: [Treasury],
    });
    return app.get(Treasury);
  }

  it('has services of its own, with its own keys', async () => {
    const { shop, payouts, property, inbox } = await bootBoth();
    await shop.balance();
    await payouts.balance();
    expect(property).toBe(payouts);
    expect(inbox).toBeInstanceOf(PaymentsInbox);
    expect(gateway.seen.map(({ headers }) => headers['x-api-key'])).toEqual([KEYS.apiKey, 'pk_test_payouts']);
  });

  it("has an HttpService of its own: an interceptor sees that account's calls and no others", async () => {
    const { shop, payouts, shopHttp, payoutsHttp, applicationHttp } = await bootBoth();
    expect(new Set([shopHttp, payoutsHttp, applicationHttp]).size).toBe(3);
    expect(new Set([shopHttp, payoutsHttp, applicationHttp].map((http) => http.axiosRef)).size).toBe(3);
    const answered: number[] = [];
    payoutsHttp.axiosRef.interceptors.request.use((config) => {
      config.headers.set('X-Trace', 'payouts');
      return config;
    });
    payoutsHttp.axiosRef.interceptors.response.use((response) => {
      answered.push(response.status);
      return response;
    });

    await shop.balance();
    await payouts.balance();

    expect(gateway.seen.map(({ headers }) => headers['x-trace'])).toEqual([undefined, 'payouts']);
    expect(answered).toEqual([200]);
  });

  it("is seen by an interceptor that a provider's constructor added, in whatever module the provider is", async () => {
    @Injectable()
    class Tracing {
      constructor(@InjectPayments(HttpService) http: HttpService) {
        http.axiosRef.interceptors.request.use((config) => {
          config.headers.set('X-Trace', 'shop');
          return config;
        });
      }
    }
    @Module({ providers: [Tracing] })
    class TracingModule {}

    const app = await boot({
      imports: [TracingModule, PaymentsModule.forRoot({ ...options, isGlobal: true })],
    });
    await app.get(WalletService, { strict: false }).balance();
    expect(gateway.seen.map(({ headers }) => headers['x-trace'])).toEqual(['shop']);
  });

  it('is found under its token, and not under the class', async () => {
    const app = await boot({ imports: [PaymentsModule.forRoot({ ...options, name: 'payouts' })] });
    expect(app.get(getPaymentsToken(BanksService, 'payouts'))).toBeInstanceOf(BanksService);
    expect(() => app.get(BanksService)).toThrow();
  });

  it('stays separate even if Nest identifies modules by their text', async () => {
    const account = (apiKey: string, name: string): DynamicModule =>
      PaymentsModule.forRootAsync({ name, useFactory: () => ({ ...options, apiKey }) });
    @Module({ imports: [account(KEYS.apiKey, 'shop'), account('pk_test_payouts', 'payouts')] })
    class ApplicationModule {}

    const app = await NestFactory.createApplicationContext(ApplicationModule, {
      moduleIdGeneratorAlgorithm: 'deep-hash',
      logger: ['error'],
      abortOnError: false,
    });
    try {
      await app.get<WalletService>(getPaymentsToken(WalletService, 'shop')).balance();
      await app.get<WalletService>(getPaymentsToken(WalletService, 'payouts')).balance();
      expect(gateway.seen.map(({ headers }) => headers['x-api-key'])).toEqual([
        KEYS.apiKey,
        'pk_test_payouts',
      ]);
    } finally {
      await app.close();
    }
  });
});

describe('the boot', () => {
  it.each([
    ['a swapped key', { apiKey: 'sk_test_1', apiSecret: 'pk_test_1' }, /`apiKey` .*swapped with `apiSecret`/],
    ['a missing secret', { apiSecret: undefined }, /`apiSecret` is missing/],
    ['a test key for production', { environment: 'production' }, /`environment` .*pk_live_/],
    [
      'a live key over http',
      { apiKey: 'pk_live_1', apiSecret: 'sk_live_1', baseUrl: 'http://pay.example/api/v1' },
      /`baseUrl` .*https/,
    ],
    ['a base URL without its version', { baseUrl: 'https://pay.example' }, /`baseUrl` .*\/api\/v1/],
    [
      'webhooks without a scheme',
      { webhooks: { secrets: ['a-secret-of-some-length'] } },
      /`webhooks.scheme`/,
    ],
    [
      'a blank webhook secret',
      { webhooks: { scheme, secrets: ['   '] } },
      /`webhooks.secrets\[0\]` is blank/,
    ],
    [
      'a short webhook secret',
      { webhooks: { scheme, secrets: ['short'] } },
      /`webhooks.secrets\[0\]` is shorter/,
    ],
    ['a negative number', { timeoutMs: -1 }, /`timeoutMs` must be a whole number/],
    ['a fractional number', { retry: { maxAttempts: 1.5 } }, /`retry.maxAttempts` must be a whole number/],
  ])('stops at %s, with one sentence', async (_, wrong, sentence) => {
    const imports = [
      PaymentsModule.forRoot({ ...options, ...(wrong as object) }),
      PaymentsModule.forRootAsync({ useFactory: () => ({ ...options, ...(wrong as object) }) }),
    ];
    for (const registration of imports) {
      const error = await bootError({ imports: [registration] });
      expect(error).toBeInstanceOf(PaymentsConfigError);
      expect((error as Error).message).toMatch(sentence);
      expect((error as Error).message).not.toContain('\n');
    }
    expect(gateway.seen).toEqual([]);
  });

  it.each([
    ['the default account', undefined, "'default'"],
    ['a named account', 'payouts', "'payouts'"],
  ])('stops if %s is registered twice', async (_, name, named) => {
    const registration = { ...options, ...(name !== undefined && { name }) };
    const error = await bootError({
      imports: [PaymentsModule.forRoot(registration), PaymentsModule.forRoot(registration)],
    });
    expect(error).toBeInstanceOf(PaymentsConfigError);
    expect((error as Error).message).toContain(`The account ${named} is registered twice`);
  });

  it('takes one registration that two modules import', async () => {
    const payments = PaymentsModule.forRoot(options);
    @Module({ imports: [payments] })
    class ShopModule {}
    const app = await boot({ imports: [payments, ShopModule] });
    expect(app.get(WalletService)).toBeInstanceOf(WalletService);
  });
});
