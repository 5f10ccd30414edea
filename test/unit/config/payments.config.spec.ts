import { describe, expect, it } from 'vitest';
import { optionsFromEnvironment } from '../../../lib/config/environment-options.js';
import { resolveOptions } from '../../../lib/config/resolve-options.js';

const environment = {
  PAYMENTS_BASE_URL: 'https://gateway.example/api/v1',
  PAYMENTS_API_KEY: 'pk_test_a',
  PAYMENTS_API_SECRET: 'sk_test_a',
};

describe('the options that the environment holds', () => {
  it('are read from the five variables', () => {
    expect(
      optionsFromEnvironment({
        ...environment,
        PAYMENTS_WEBHOOK_SECRET: 'first-secret-of-two, second-secret-of-two',
        PAYMENTS_TIMEOUT_MS: '5000',
      }),
    ).toEqual({
      baseUrl: 'https://gateway.example/api/v1',
      apiKey: 'pk_test_a',
      apiSecret: 'sk_test_a',
      timeoutMs: 5_000,
      webhooks: { secrets: ['first-secret-of-two', 'second-secret-of-two'] },
    });
  });

  it('leave out what is empty', () => {
    expect(
      optionsFromEnvironment({ ...environment, PAYMENTS_WEBHOOK_SECRET: '', PAYMENTS_TIMEOUT_MS: ' ' }),
    ).toEqual({ baseUrl: 'https://gateway.example/api/v1', apiKey: 'pk_test_a', apiSecret: 'sk_test_a' });
  });

  it('stop the boot when a variable is missing or wrong', () => {
    expect(() => resolveOptions(optionsFromEnvironment({}))).toThrow(/PAYMENTS_API_KEY/);
    const { PAYMENTS_BASE_URL: _, ...withoutAddress } = environment;
    expect(() => resolveOptions(optionsFromEnvironment(withoutAddress))).toThrow(
      /`baseUrl` is missing: .* PAYMENTS_BASE_URL/,
    );
    expect(() =>
      resolveOptions(optionsFromEnvironment({ ...environment, PAYMENTS_TIMEOUT_MS: '30s' })),
    ).toThrow(/`timeoutMs` must be a whole number/);
  });
});
