import { describe, expect, it, vi } from 'vitest';
import { optionsFromEnvironment, wasSplitAtCommas } from '../../../lib/config/environment-options.js';
import { paymentsConfig } from '../../../lib/config/payments.config.js';
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
    ).toStrictEqual({
      baseUrl: 'https://gateway.example/api/v1',
      apiKey: 'pk_test_a',
      apiSecret: 'sk_test_a',
    });
    expect(optionsFromEnvironment({})).toStrictEqual({ baseUrl: '', apiKey: '' });
  });

  it.each([
    ['one secret', 'a-secret', ['a-secret'], false],
    ['two secrets', 'a-secret, another', ['a-secret', 'another'], true],
    ['a secret that ends in a comma', 'a-secret,', ['a-secret', ''], true],
  ])('remember whether the list of secrets was split: %s', (_, variable, secrets, split) => {
    const { webhooks } = optionsFromEnvironment({ PAYMENTS_WEBHOOK_SECRET: variable });
    expect(webhooks).toEqual({ secrets });
    expect(wasSplitAtCommas(webhooks?.secrets)).toBe(split);
    expect(wasSplitAtCommas(secrets)).toBe(false);
  });

  it.each([undefined, null, 'a-secret, another', {}])(
    'split nothing of %p, which is not their list',
    (secrets) => {
      expect(wasSplitAtCommas(secrets)).toBe(false);
    },
  );

  it('are what the configuration named nestjs-payments returns', () => {
    expect(paymentsConfig.KEY).toBe('CONFIGURATION(nestjs-payments)');
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    expect(paymentsConfig()).toEqual(optionsFromEnvironment(process.env));
    expect(paymentsConfig()).toMatchObject({ apiKey: 'pk_test_a' });
    vi.unstubAllEnvs();
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
