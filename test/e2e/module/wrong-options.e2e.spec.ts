import { afterEach, describe, expect, it } from 'vitest';
import { Module, type ModuleMetadata } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import {
  CollectionsService,
  hmac,
  paymentsConfig,
  PaymentsConfigError,
  PaymentsModule,
  type PaymentsModuleAsyncOptions,
  type PaymentsModuleOptions,
} from 'nestjs-payments';
import { PaymentsQueueModule } from 'nestjs-payments/bullmq';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';

const BODY_ONLY = { header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] } as const;
const scheme = hmac(BODY_ONLY);
const right: PaymentsModuleOptions = {
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_test_canarykey',
  apiSecret: 'sk_test_canarysecret',
};

/** The lines of the error that ends the boot. */
async function bootError(...imports: NonNullable<ModuleMetadata['imports']>): Promise<readonly string[]> {
  @Module({ imports })
  class AppModule {}
  try {
    const app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
    await app.close();
  } catch (error) {
    expect(error).toBeInstanceOf(PaymentsConfigError);
    return (error as PaymentsConfigError).message.split('\n');
  }
  throw new Error('the application booted');
}

describe('an application with six wrong options', () => {
  it('gets all six in one error, each with what to write, and no value of a secret', async () => {
    const lines = await bootError(
      PaymentsModule.forRoot({
        ...right,
        baseUrl: 'https://gateway.example',
        apiSecret: 'sk_live_canarysecret',
        timeoutMs: -1,
        retry: { maxAttempts: 0 },
        rate: { perSecond: 0.5 },
        webhooks: { scheme, secrets: ['canary'] },
      }),
    );
    expect(lines).toEqual([
      '6 options are wrong:',
      expect.stringMatching(
        /^- Payments option `baseUrl` does not end in \/api\/v1: write for example https:/,
      ),
      expect.stringMatching(/^- Payments option `apiSecret` belongs to the other environment .*: take both/),
      expect.stringMatching(
        /^- Payments option `timeoutMs` must be a whole number .*: write for example 30000/,
      ),
      expect.stringMatching(/^- Payments option `retry\.maxAttempts` must be .*: write for example 3/),
      expect.stringMatching(/^- Payments option `rate\.perSecond` must be .*: write for example 10/),
      expect.stringMatching(/^- Payments option `webhooks\.secrets\[0\]` is shorter than 16 bytes/),
    ]);
    expect(lines.join()).not.toContain('canary');
  });

  it('gets those of all accounts in one error, from factories too', async () => {
    const lines = await bootError(
      PaymentsModule.forRoot({ ...right, timeoutMs: 0, deadlineMs: 0 }),
      PaymentsModule.forRootAsync({
        name: 'payouts',
        useFactory: async () => {
          // Later than the first account has failed.
          for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
          return { ...right, staleAfterMs: 0, apiKey: 'sk_test_canarykey' };
        },
      }),
      PaymentsModule.forRootAsync({
        name: 'refunds',
        useFactory: () => right,
        networks: [],
        refusalCodes: ['x'],
      }),
    );
    expect(lines).toHaveLength(7);
    expect(lines[0]).toBe('6 options are wrong:');
    for (const [name, whose] of [
      ['timeoutMs', ''],
      ['deadlineMs', ''],
      ['apiKey', ' of account "payouts"'],
      ['staleAfterMs', ' of account "payouts"'],
      ['networks', ' of account "refunds"'],
      ['refusalCodes', ' of account "refunds"'],
    ] as const) {
      expect(lines).toContainEqual(expect.stringContaining(`- Payments option \`${name}\`${whose} `));
    }
    expect(lines.join()).not.toContain('canary');
  });
});

describe('an application that misspells an option', () => {
  const limits = { disbursement: { max: '100' } };
  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
  });

  it.each<[string, object]>([
    ['beside the factory', { limit: limits }],
    ['beside the factory, although it is undefined', { limit: undefined }],
    ['in its result', { useFactory: () => ({ ...right, limit: limits }) }],
  ])('%s does not boot without the limit', async (_, written) => {
    const factory = { imports: [], inject: [], useFactory: () => right };
    expect(await bootError(PaymentsModule.forRootAsync({ isGlobal: true, ...factory, ...written }))).toEqual([
      'Payments option `limit` does not exist: did you mean `limits`?',
    ]);
  });

  it('beside those of the environment is told of it alone', async () => {
    Object.assign(process.env, {
      PAYMENTS_BASE_URL: right.baseUrl,
      PAYMENTS_API_KEY: right.apiKey,
      PAYMENTS_API_SECRET: right.apiSecret,
      PAYMENTS_WEBHOOK_SECRET: 'whsec-0123456789abcdef',
    });
    const registered = {
      name: 'payouts',
      ...paymentsConfig.asProvider(),
      webhooks: { scheme, retentionDay: Infinity },
    };
    expect(await bootError(ConfigModule.forRoot(), PaymentsModule.forRootAsync(registered))).toEqual([
      'Payments option `webhooks.retentionDay` of account "payouts" does not exist: did you mean `webhooks.retentionDays`?',
    ]);
  });
});

describe('an account whose factory waits', () => {
  const wrongAtOnce = PaymentsModule.forRoot({ ...right, isGlobal: true, timeoutMs: 0 });

  it.each<[string, PaymentsModuleAsyncOptions]>([
    ['for what never comes', { useFactory: () => new Promise(() => undefined) }],
    [
      'for a service of the account that is wrong',
      { inject: [CollectionsService], useFactory: () => ({ ...right, deadlineMs: 0 }) },
    ],
  ])('%s does not hold back the error of another account', async (_what, options) => {
    const late = PaymentsModule.forRootAsync({ ...options, name: 'late' });
    expect(await bootError(wrongAtOnce, late)).toEqual([
      expect.stringMatching(/^Payments option `timeoutMs` must be/),
    ]);
  });

  it('is checked when it has its options, if the others are right', async () => {
    let answer = (): void => undefined;
    const vault = new Promise<void>((resolve) => (answer = resolve));
    setImmediate(() => {
      setImmediate(answer);
    });
    const useFactory = () => vault.then(() => ({ ...right, deadlineMs: 0 }));
    expect(
      await bootError(
        PaymentsModule.forRoot(right),
        PaymentsModule.forRootAsync({ name: 'late', useFactory }),
      ),
    ).toEqual([expect.stringMatching(/^Payments option `deadlineMs` of account "late" must be/)]);
  });
});

const withoutOurs = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('PAYMENTS_')));

describe('an application without environment variables', () => {
  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
  });

  it('is told of every variable at once', async () => {
    process.env = withoutOurs(before);
    const lines = await bootError(
      ConfigModule.forRoot({ ignoreEnvFile: true }),
      PaymentsModule.forRootAsync({ ...paymentsConfig.asProvider(), webhooks: { scheme } }),
    );
    expect(lines[0]).toBe('4 options are wrong:');
    for (const name of ['BASE_URL', 'API_KEY', 'API_SECRET', 'WEBHOOK_SECRET']) {
      expect(lines.join('\n')).toContain(`(from the environment: PAYMENTS_${name})`);
    }
  });
});

describe('an application with one wrong option', () => {
  it('gets its sentence alone', async () => {
    expect(await bootError(PaymentsModule.forRoot({ ...right, timeoutMs: 0 }))).toEqual([
      'Payments option `timeoutMs` must be a whole number from 1 to 2147483647: write for example 30000, the default.',
    ]);
  });
});

describe('several wrong options in one error', () => {
  it('come from the queue', async () => {
    const queue = {
      worker: { concurrency: 0, lock: 1 },
      retry: { maxAttempts: 0 },
      accounts: [],
      prefix: ' ',
    };
    const lines = await bootError(PaymentsModule.forRoot(right), PaymentsQueueModule.forRoot(queue));
    const named = lines.slice(1).map((line) => /^- PaymentsQueueModule option `(.*?)`/.exec(line)?.[1]);
    expect(named).toEqual([
      'connection',
      'prefix',
      'accounts',
      'worker.concurrency',
      'worker.lock',
      'retry.maxAttempts',
    ]);
  });

  it('come from the emulator', async () => {
    const wrong = { port: -1, clock: 'sun', fees: { collectionPercent: 101 }, webhookSecret: 'canary' };
    const start = PaymentsSandbox.start(wrong as object);
    await expect(start).rejects.toThrow(
      /^4 options are wrong:\n- Sandbox option port .*\n- Sandbox option clock .*\n- Sandbox option fees\.collectionPercent .*\n- Sandbox option webhookSecret /,
    );
    await expect(start).rejects.not.toThrow('canary');
  });

  it('come from the emulator beside a scheme that is none', async () => {
    await expect(PaymentsSandbox.start({ port: -1, webhookScheme: 1.5 } as object)).rejects.toThrow(
      /^2 options are wrong:\n- Sandbox option port .*\n- Sandbox option webhookScheme is no signature scheme: write hmac\(/,
    );
  });

  it('come from a signature scheme whose prefix is no text', () => {
    const wrong = { ...BODY_ONLY, algorithm: 'md5', prefix: 5, signatures: { separator: ' ' } };
    expect(() => hmac(wrong as unknown as Parameters<typeof hmac>[0])).toThrow(
      /^2 options are wrong:\n- The option algorithm of hmac\(\) .*\n- The option prefix of hmac\(\) must be text, for example 'sha256='\.$/,
    );
  });

  it('come from a signature scheme', () => {
    const timestamp = { header: 'a header', unit: 'h', toleranceSeconds: 0 };
    const wrong = { ...BODY_ONLY, algorithm: 'md5', payload: ['timestamp'], timestamp };
    expect(() => hmac(wrong as unknown as Parameters<typeof hmac>[0])).toThrow(
      /^5 options are wrong:\n- The option algorithm of hmac\(\) .*\n.* payload .*\n.* timestamp\.header .*\n.* timestamp\.unit .*\n.* timestamp\.toleranceSeconds /,
    );
  });
});

it.each([undefined, null, 5, 'x', []])('PaymentsModule says what to write instead of %j', (options) => {
  expect(() => PaymentsModule.forRoot(options as never)).toThrow(
    new PaymentsConfigError(
      'PaymentsModule.forRoot has no options: write { baseUrl, apiKey, apiSecret }, or use forRootAsync.',
    ),
  );
  expect(() => PaymentsModule.forRootAsync(options as never)).toThrow(
    new PaymentsConfigError(
      'PaymentsModule.forRootAsync has no factory: write useFactory, useClass or useExisting, or use forRoot.',
    ),
  );
});
