import { isBuiltin } from 'node:module';
import { afterEach, describe, expect, it } from 'vitest';
import { type DynamicModule, type LoggerService } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  hmac,
  memoryStorage,
  paymentsConfig,
  PaymentsModule,
  type PaymentsModuleAsyncOptions,
  type PaymentsModuleOptions,
} from 'nestjs-payments';

const webhooks = {
  scheme: hmac({ header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] }),
  secrets: ['a-signing-secret-of-some-length'],
  retentionDays: Infinity,
};
const live = {
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_live_4f9a2c7e1b',
  apiSecret: 'sk_live_4f9a2c7e1b',
};

/** What the application warns about while it boots. */
function warnings(options: PaymentsModuleOptions): Promise<string[]> {
  return warningsOf(PaymentsModule.forRoot({ name: 'shop', ...options }));
}

async function warningsOf(payments: DynamicModule): Promise<string[]> {
  const warned: string[] = [];
  const logger: LoggerService = {
    log: () => undefined,
    error: () => undefined,
    warn: (message: string) => warned.push(message),
  };
  const app = await Test.createTestingModule({
    imports: [payments],
  })
    .setLogger(logger)
    .compile();
  await app.init();
  await app.close();
  return warned;
}

describe('an application that takes real money', () => {
  it.each([
    ['and webhooks', { ...live, webhooks }],
    ['without webhooks', live],
  ])(
    'is warned if payments %s are remembered in memory only, without a key in the message',
    async (_, options) => {
      const [warning, ...others] = await warnings(options);
      expect(warning).toContain(
        'The account "shop" moves real money and remembers payments and webhooks in memory only',
      );
      expect(warning).not.toMatch(/_live_|signing-secret/);
      expect(warning?.includes('sqliteStorage({ file })')).toBe(isBuiltin('node:sqlite'));
      expect(others).toEqual([]);
    },
  );

  it.each([
    ['it plays with test keys', { ...live, apiKey: 'pk_test_1', apiSecret: 'sk_test_1', webhooks }],
    [
      'its storage outlives the process',
      { ...live, webhooks, storage: { ...memoryStorage(), name: 'redis' } },
    ],
  ])('is not warned if %s', async (_, options) => {
    expect(await warnings(options)).toEqual([]);
  });
});

describe('an application that could handle an old webhook again', () => {
  const test = { ...live, apiKey: 'pk_test_1', apiSecret: 'sk_test_1' };
  const { scheme, secrets } = webhooks;

  it('is warned if the scheme signs no time and handled webhooks are forgotten', async () => {
    const [warning = '', ...others] = await warnings({ ...test, webhooks: { scheme, secrets } });
    expect(warning).toMatch(/account "shop": the scheme hmac-sha256 signs no time.*retentionDays: Infinity/);
    expect(others).toEqual([]);
  });
});

describe('an application that drops or sets aside webhooks of unknown references', () => {
  const test = { ...live, apiKey: 'pk_test_1', apiSecret: 'sk_test_1' };
  const storage = { ...memoryStorage(), name: 'redis' };

  it.each(['set-aside', 'acknowledge'] as const)(
    'is warned with %s that memory knows no payment after a restart',
    async (unknownReferences) => {
      const options = { ...test, webhooks: { ...webhooks, unknownReferences } };
      const [warning = '', ...others] = await warnings(options);
      expect(warning).toContain(`unknownReferences: '${unknownReferences}'`);
      expect(warning).toContain('after a restart the memory storage knows no payment');
      expect(others).toEqual([]);
      expect(await warnings({ ...options, storage })).toEqual([]);
    },
  );
});

describe('an application with a short webhook secret', () => {
  const test = { ...live, apiKey: 'pk_test_1', apiSecret: 'sk_test_1' };
  const shortSecret = { value: 'ab12cd34', allowShort: true };

  it('does not start unless the secret allows it, and then is warned at every boot', async () => {
    const started = (secret: string | typeof shortSecret): Promise<string[]> =>
      warnings({ ...test, webhooks: { ...webhooks, secrets: [...webhooks.secrets, secret] } });
    await expect(started(shortSecret.value)).rejects.toThrow('write { value, allowShort: true }');
    const [warning = '', ...others] = await started(shortSecret);
    expect(warning).toContain('Webhooks of the account "shop": webhooks.secrets[1] has only 8 bytes');
    expect(warning).not.toContain(shortSecret.value);
    expect(others).toEqual([]);
  });
});

describe('an application whose PAYMENTS_WEBHOOK_SECRET holds a comma', () => {
  const before = { ...process.env };
  const started = (
    variable: string,
    beside: Partial<PaymentsModuleAsyncOptions['webhooks']> = {},
  ): Promise<string[]> => {
    Object.assign(process.env, {
      PAYMENTS_BASE_URL: live.baseUrl,
      PAYMENTS_API_KEY: 'pk_test_1',
      PAYMENTS_API_SECRET: 'sk_test_1',
      PAYMENTS_WEBHOOK_SECRET: variable,
    });
    return warningsOf(
      PaymentsModule.forRootAsync({
        ...paymentsConfig.asProvider(),
        webhooks: { scheme: webhooks.scheme, retentionDays: Infinity, ...beside },
      }),
    );
  };
  afterEach(() => {
    process.env = { ...before };
  });

  it('is warned at boot that it has two secrets, and how to write one with a comma', async () => {
    const [warning = '', ...others] = await started('the-first-secret-or-half,of-a-secret-with-comma');
    expect(warning).toContain('PAYMENTS_WEBHOOK_SECRET is read as 2 secrets');
    expect(warning).toContain('secrets: [process.env.PAYMENTS_WEBHOOK_SECRET]');
    expect(warning).not.toMatch(/half|with-comma/);
    expect(others).toEqual([]);
  });

  it('gets an error that names the comma if a part is too short to be a secret', async () => {
    await expect(started('a-long-enough-half-of-it,rest')).rejects.toThrow(
      /webhooks\.secrets\[1\]` is shorter than 16 bytes.*split at its commas/,
    );
  });

  it('is not warned if the whole secret is written beside the factory, or holds no comma', async () => {
    const secret = 'the-first-secret-or-half,of-a-secret-with-comma';
    expect(await started(secret, { secrets: [secret] })).toEqual([]);
    expect(await started('one-secret-without-a-comma')).toEqual([]);
  });
});

describe('a storage that warns', () => {
  const storage = { ...memoryStorage(), name: 'shelf', warnings: ['The shelf is short: use a longer one.'] };

  it('is heard once at boot, also if several accounts use it', async () => {
    const second = { ...live, name: 'payouts', storage };
    expect(
      await warningsOf(
        PaymentsModule.forRootAsync({
          name: 'shop',
          storage,
          imports: [PaymentsModule.forRoot(second)],
          useFactory: () => live,
        }),
      ),
    ).toEqual(storage.warnings);
  });
});
