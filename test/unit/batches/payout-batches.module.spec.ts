import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { memoryStorage, PaymentsModule } from 'nestjs-payments';
import { inProcess, PayoutBatchesModule, type PayoutBatchesRootOptions } from 'nestjs-payments/batches';

const ACCOUNT = PaymentsModule.forRoot({
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_test_1',
  apiSecret: 'sk_test_1',
  environment: 'sandbox',
  storage: memoryStorage(),
});

/** Starts an application, and returns what it fails with. */
async function failureOf(imports: readonly object[]): Promise<unknown> {
  @Module({ imports: imports as NonNullable<Parameters<typeof Module>[0]['imports']> })
  class AppModule {}
  const options = { logger: false, abortOnError: false } as const;
  const started = NestFactory.createApplicationContext(AppModule, options);
  return started.then(
    async (app) => {
      await app.close();
      return 'it started';
    },
    (error: unknown) => error,
  );
}

const withOptions = (options: object): readonly object[] => [
  ACCOUNT,
  PayoutBatchesModule.forRoot(options as PayoutBatchesRootOptions),
];

describe('an application with batches', () => {
  it.each<readonly [string, object, string]>([
    ['without an engine', {}, 'option `engine` is missing: write inProcess() for one machine'],
    ['with an engine that is none', { engine: 'bullmq' }, 'option `engine` is missing'],
    [
      'with an unknown option',
      { engine: inProcess(), engin: 1 },
      'option `engin` does not exist: did you mean `engine`?',
    ],
    [
      'with a storage that is none',
      { engine: inProcess(), storage: 'postgres' },
      'option `storage` is no storage',
    ],
    ['that works on nothing at once', { engine: inProcess(), concurrency: 0 }, 'option `concurrency`'],
    [
      'whose storage keeps no batches',
      { engine: inProcess() },
      'The storage "memory" keeps no batches: use postgresStorage(…), sqlStorage(…) or sqliteStorage(…).',
    ],
  ])('does not start %s, and says what to write', async (_what, options, sentence) => {
    expect(await failureOf(withOptions(options))).toMatchObject({
      name: 'PaymentsConfigError',
      message: expect.stringContaining(sentence) as unknown,
    });
  });

  it('does not start without payments', async () => {
    const imports = [PayoutBatchesModule.forRoot({ engine: inProcess() })];
    expect(await failureOf(imports)).toMatchObject({
      message: expect.stringContaining('PaymentsModule is not: add PaymentsModule.forRoot') as unknown,
    });
  });

  it('is told at once that a factory is missing', () => {
    expect(() => PayoutBatchesModule.forRootAsync({})).toThrow(
      'PayoutBatchesModule.forRootAsync has no factory',
    );
  });
});
