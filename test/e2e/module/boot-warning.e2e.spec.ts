import { describe, expect, it } from '@jest/globals';
import { type LoggerService } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { hmac, memoryStorage, PaymentsModule, type PaymentsModuleOptions } from 'nestjs-payments';

const webhooks = {
  scheme: hmac({ header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] }),
  secrets: ['a-signing-secret-of-some-length'],
};
const live = {
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_live_4f9a2c7e1b',
  apiSecret: 'sk_live_4f9a2c7e1b',
};

/** What the application warns about while it boots. */
async function warnings(options: PaymentsModuleOptions): Promise<string[]> {
  const warned: string[] = [];
  const logger: LoggerService = {
    log: () => undefined,
    error: () => undefined,
    warn: (message: string) => warned.push(message),
  };
  const app = await Test.createTestingModule({
    imports: [PaymentsModule.forRoot({ name: 'shop', ...options })],
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
    'is warned where payments %s are remembered in memory only, without a key in the message',
    async (_, options) => {
      const [warning, ...others] = await warnings(options);
      expect(warning).toContain(
        'The account "shop" moves real money and remembers payments and webhooks in memory only',
      );
      expect(warning).not.toMatch(/_live_|signing-secret/);
      expect(others).toEqual([]);
    },
  );

  it.each([
    ['it plays with test keys', { ...live, apiKey: 'pk_test_1', apiSecret: 'sk_test_1', webhooks }],
    [
      'its storage outlives the process',
      { ...live, webhooks, storage: { ...memoryStorage(), name: 'redis' } },
    ],
  ])('is not warned where %s', async (_, options) => {
    expect(await warnings(options)).toEqual([]);
  });
});
