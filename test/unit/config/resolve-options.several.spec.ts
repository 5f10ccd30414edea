import { describe, expect, it } from 'vitest';
import { optionMessages } from '../../../lib/errors/wrong-options.js';
import { resolveOptions } from '../../../lib/config/resolve-options.js';
import { PaymentsConfigError } from '../../../lib/errors/payments-errors.js';

const valid = {
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_test_canarykey',
  apiSecret: 'sk_test_canarysecret',
};
const scheme = { name: 'test', verify: () => ({ ok: false, reason: 'test' }) as const };
const secrets = ['whsec-0123456789abcdef'];
const live = { apiKey: 'pk_live_canarykey', apiSecret: 'sk_live_canarysecret' };

function refusal(options: unknown, account?: string): PaymentsConfigError {
  try {
    resolveOptions(options, account);
  } catch (error) {
    if (error instanceof PaymentsConfigError) return error;
  }
  throw new Error('the options were accepted');
}

/** The options that an error names. */
function named(options: unknown): readonly (string | undefined)[] {
  return optionMessages(refusal(options)).map((message) => /`(.*?)`/.exec(message)?.[1]);
}

describe('several wrong options', () => {
  it.each<[string, object, string[]]>([
    ['all that is required', {}, ['apiKey', 'baseUrl', 'apiSecret']],
    ['empty variables', { baseUrl: '', apiKey: '', apiSecret: '' }, ['apiKey', 'apiSecret', 'baseUrl']],
    [
      'a swapped pair, which is one mistake',
      { ...valid, apiKey: 'sk_test_a', apiSecret: 'pk_test_a', timeoutMs: 0 },
      ['apiKey', 'timeoutMs'],
    ],
    [
      'a key that fits neither secret nor environment',
      { ...valid, apiSecret: 'sk_live_a', environment: 'production' },
      ['apiSecret', 'environment'],
    ],
    [
      'a plain address for live keys, and their wrong environment',
      { ...live, baseUrl: 'http://gateway.example/api/v1', environment: 'sandbox' },
      ['environment', 'baseUrl'],
    ],
    [
      'fields of sections, unknown ones too',
      {
        ...valid,
        retry: { maxAttempts: 0, baseDelayMs: -1, attempts: 3, wait: 1 },
        rate: { perSecond: 0.5 },
      },
      ['retry.maxAttempts', 'retry.baseDelayMs', 'retry.attempts', 'retry.wait', 'rate.perSecond'],
    ],
    [
      'both waits of a probe, and of a list',
      {
        ...valid,
        probe: { collections: { afterAnswerMs: -1, afterSilenceMs: 'x' } },
        networks: [],
        refusalCodes: [1],
      },
      ['probe.collections.afterAnswerMs', 'probe.collections.afterSilenceMs', 'networks', 'refusalCodes'],
    ],
    [
      'a webhook section without anything',
      { ...valid, webhooks: {} },
      ['webhooks.scheme', 'webhooks.secrets'],
    ],
    [
      'webhook options, their secrets and what contradicts itself',
      {
        ...valid,
        webhooks: {
          scheme,
          secrets: ['', ...secrets, 'short'],
          bodyLimit: 0,
          leaseMs: 10,
          handlerTimeoutMs: 10,
        },
      },
      ['webhooks.bodyLimit', 'webhooks.leaseMs', 'webhooks.secrets[0]', 'webhooks.secrets[2]'],
    ],
    [
      'what one secret says wrongly',
      {
        ...valid,
        webhooks: {
          scheme,
          secrets: [{ value: 'whsec-0123456789abcdef', encoding: 'latin1', allowShort: 1, notAfter: 'soon' }],
        },
      },
      ['webhooks.secrets[0].encoding', 'webhooks.secrets[0].allowShort', 'webhooks.secrets[0].notAfter'],
    ],
    [
      'an address, a limit, a time and a webhook option',
      {
        ...valid,
        baseUrl: 'https://gateway.example',
        timeoutMs: 0,
        limits: { collection: { min: '5', max: '1' }, disbursement: { min: -1 } },
        webhooks: { scheme, secrets, retentionDays: 0 },
      },
      ['baseUrl', 'timeoutMs', 'limits.collection', 'limits.disbursement.min', 'webhooks.retentionDays'],
    ],
  ])('are all named: %s', (_what, options, expected) => {
    expect(named(options)).toEqual(expected);
  });

  it('are not followed by what only follows from them', () => {
    const wrongPair = { ...valid, apiKey: 'pk_prod_a', environment: 'production' };
    expect(named(wrongPair)).toEqual(['apiKey']);
    expect(named({ ...valid, auth: 'basic', apiSecret: undefined })).toEqual(['auth']);
    expect(named({ ...valid, webhooks: { secrets: ['short'] } })).toEqual(['webhooks.scheme']);
    const lease = { scheme, secrets, leaseMs: -1, handlerTimeoutMs: 10 };
    expect(named({ ...valid, webhooks: lease })).toEqual(['webhooks.leaseMs']);
  });

  it('are named with their account, each in the sentence that it has alone', () => {
    const wrong = { timeoutMs: 0, deadlineMs: 0.5 };
    const alone = Object.entries(wrong).map(
      ([name, value]) => refusal({ ...valid, [name]: value }, 'payouts').message,
    );
    expect(optionMessages(refusal({ ...valid, ...wrong }, 'payouts'))).toEqual(alone);
    expect(alone[0]).toContain('Payments option `timeoutMs` of account "payouts" must be a whole number');
  });

  it('are named without a key, a secret or an address that holds a password', () => {
    const { message, stack } = refusal({
      baseUrl: 'https://canaryuser:canarypassword@gateway.example/api/v1',
      apiKey: 'sk_test_canarysecret',
      apiSecret: 'canarysecret with white space',
      webhooks: { scheme, secrets: ['canaryshort', { value: 'canaryhex-not-hexadecimal', encoding: 'hex' }] },
    });
    expect(message).toMatch(/^5 options are wrong:/);
    expect(`${message}${stack}`).not.toContain('canary');
  });
});
