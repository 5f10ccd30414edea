import { describe, expect, it } from 'vitest';
import { inspect } from 'node:util';
import { type WebhookScheme } from '../../../lib/common/webhook-scheme.js';
import { type OptionTable } from '../../../lib/config/option.js';
import { OPTIONS, WEBHOOK_OPTIONS } from '../../../lib/config/option-defaults.js';
import { resolveOptions } from '../../../lib/config/resolve-options.js';
import { PaymentsConfigError } from '../../../lib/errors/payments-errors.js';

const scheme: WebhookScheme = { name: 'test', verify: () => ({ ok: false, reason: 'test' }) };
const SECRET = 'whsec-0123456789abcdef';
const valid = {
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_test_canarykey',
  apiSecret: 'sk_test_canarysecret',
};
const webhooks = { scheme, secrets: [SECRET] };

function refusal(options: unknown, account?: string): PaymentsConfigError {
  try {
    resolveOptions(options, account);
  } catch (error) {
    expect(error).toBeInstanceOf(PaymentsConfigError);
    return error as PaymentsConfigError;
  }
  throw new Error('the options were accepted');
}

/** Sections whose fields are all undefined, and every other option undefined. */
function undefinedFields(table: OptionTable): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(table).map(([name, { fields }]) => [name, fields && undefinedFields(fields)]),
  );
}

describe('options that are right', () => {
  it('may be undefined, which counts as left out', () => {
    const written = { ...undefinedFields(OPTIONS), limits: undefined, ...valid };
    expect(Object.keys(written).length).toBeGreaterThan(10);
    const plain = resolveOptions({ ...valid, probe: { disbursements: {} }, banks: {}, webhooks });
    const resolved = resolveOptions({
      ...written,
      webhooks: { ...undefinedFields(WEBHOOK_OPTIONS), ...webhooks },
    });
    expect(inspect(resolved, { depth: 5 })).toBe(inspect(plain, { depth: 5 }));
  });

  it('get every default of the documentation', () => {
    expect(resolveOptions(valid)).toMatchObject({
      account: 'default',
      environment: 'sandbox',
      auth: 'headers',
      timeoutMs: 30_000,
      deadlineMs: 60_000,
      retry: { maxAttempts: 3, baseDelayMs: 500, maxDelayMs: 8_000 },
      networks: undefined,
      amountFormat: { collections: 'number', disbursements: 'number' },
      webhooks: undefined,
    });
    expect(resolveOptions({ ...valid, webhooks }).webhooks).toMatchObject({
      bodyLimit: 65_536,
      bodyTimeoutMs: 10_000,
      unverifiedBytesLimit: 16_777_216,
      handlerTimeoutMs: 25_000,
      leaseMs: 60_000,
      inFlightWaitMs: 2_000,
      retentionMs: 30 * 86_400_000,
      supersede: [],
    });
  });

  it('take the environment from the key', () => {
    const live = { ...valid, apiKey: 'pk_live_a', apiSecret: 'sk_live_a' };
    expect(resolveOptions(live).environment).toBe('production');
    expect(resolveOptions({ ...live, environment: 'production' }).environment).toBe('production');
  });

  it('lose the slash at the end of the base URL', () => {
    expect(resolveOptions({ ...valid, baseUrl: 'https://gateway.example/tz/api/v1/' }).baseUrl).toBe(
      'https://gateway.example/tz/api/v1',
    );
  });

  it.each(['localhost', '127.0.0.1', '127.0.20.130', '[::1]'].map((host) => `http://${host}:1/api/v1`))(
    'may send a live key over plain http to %s',
    (baseUrl) => {
      expect(resolveOptions({ ...valid, baseUrl, apiKey: 'pk_live_a', apiSecret: 'sk_live_a' }).baseUrl).toBe(
        baseUrl,
      );
    },
  );

  it('need no secret with auth bearer', () => {
    const { apiKey, baseUrl } = valid;
    expect(resolveOptions({ apiKey, baseUrl, auth: 'bearer' }).apiSecret()).toBeUndefined();
  });

  it.each(['retry', 'rate', 'probe', 'statusPaths', 'limits', 'amountFormat', 'http'])(
    'take a section %s that is null as left out',
    (section) => {
      const without = inspect(resolveOptions(valid), { depth: null });
      expect(inspect(resolveOptions({ ...valid, [section]: null }), { depth: null })).toBe(without);
    },
  );

  it('turn limits into cents and networks into a set', () => {
    const resolved = resolveOptions({
      ...valid,
      limits: { collection: { min: '100', max: 5_000_000 } },
      networks: ['NET_ONE'],
    });
    expect(resolved.limits.collection).toEqual({ minCents: 10_000n, maxCents: 500_000_000n });
    expect(resolved.networks).toEqual(new Set(['NET_ONE']));
  });

  it.each(['N', 'NET', 'NET_ONE', 'NET2_4G', 'A_B_C'])('take the network %s', (name) => {
    expect(resolveOptions({ ...valid, networks: [name] }).networks).toEqual(new Set([name]));
  });

  it.each(['L', 'LIMIT', 'LIMIT_2', 'LIMIT__'])('take the refusal code %s', (code) => {
    expect(resolveOptions({ ...valid, refusalCodes: [code] }).refusalCodes).toEqual(new Set([code]));
  });

  it('read a secret in its encoding, with the moment of its end', () => {
    const notAfter = new Date(Date.now() + 60_000);
    const secrets = [{ value: Buffer.from(SECRET).toString('hex'), encoding: 'hex', notAfter }, SECRET];
    const keys = resolveOptions({ ...valid, webhooks: { scheme, secrets } }).webhooks?.keys ?? [];
    expect(keys.map(({ bytes }) => Buffer.from(bytes()).toString())).toEqual([SECRET, SECRET]);
    expect(keys.map(({ notAfter }) => notAfter)).toEqual([notAfter.getTime(), undefined]);
  });

  it('do not show a key, or the bytes of a secret, when they are printed', () => {
    const resolved = resolveOptions({ ...valid, webhooks });
    const firstBytes = Buffer.from(SECRET).subarray(0, 4);
    const printed = inspect(resolved, { depth: 9, showHidden: true }) + JSON.stringify(resolved);
    expect(printed).not.toContain('canary');
    expect(printed).not.toContain([...firstBytes].map((byte) => byte.toString(16)).join(' '));
    expect(printed).not.toContain([...firstBytes].join(','));
  });
});

describe('a wrong option stops the boot with its name and the fix', () => {
  it.each(['my-localhost', 'localhost.example', '127.0.0.1.example', '128.0.0.1', '[::2]'])(
    'a live key over plain http to %s',
    (host) => {
      const live = { baseUrl: `http://${host}/api/v1`, apiKey: 'pk_live_a', apiSecret: 'sk_live_a' };
      expect(refusal(live).message).toContain('`baseUrl` is plain http');
    },
  );

  it.each(['', '_NET', 'NET_', 'NET__ONE', '1NET', 'Net', 'NET-ONE', 'NET_one', ' NET', 'NET '])(
    'a network called %j',
    (name) => {
      expect(refusal({ ...valid, networks: [name] }).message).toContain('`networks` must be a list');
    },
  );

  it.each(['', '_LIMIT', '1LIMIT', 'limit', 'Limit', 'LIMIT-2', 'LIMITs', ' LIMIT', 'LIMIT '])(
    'a refusal code called %j',
    (code) => {
      expect(refusal({ ...valid, refusalCodes: [code] }).message).toContain('`refusalCodes` must be a list');
    },
  );

  it.each<[string, unknown, string, string]>([
    ['no options', undefined, '(all)', 'must be an object'],
    ['no base URL', { ...valid, baseUrl: undefined }, 'baseUrl', 'is missing'],
    ['an empty base URL', { ...valid, baseUrl: '' }, 'baseUrl', 'PAYMENTS_BASE_URL'],
    ['a base URL that is none', { ...valid, baseUrl: 'gateway' }, 'baseUrl', 'not an http or https address'],
    ['another protocol', { ...valid, baseUrl: 'ftp://x/api/v1' }, 'baseUrl', 'not an http or https address'],
    [
      'no /api/v1',
      { ...valid, baseUrl: 'https://gateway.example/api' },
      'baseUrl',
      'does not end in /api/v1',
    ],
    ['a query', { ...valid, baseUrl: `${valid.baseUrl}?a=1` }, 'baseUrl', 'no user, password, query'],
    ['a password', { ...valid, baseUrl: 'https://u:p@x/api/v1' }, 'baseUrl', 'no user, password, query'],
    ['no key', { ...valid, apiKey: undefined }, 'apiKey', 'is missing'],
    ['an empty key', { ...valid, apiKey: '' }, 'apiKey', 'is missing'],
    ['a key that is null', { ...valid, apiKey: null }, 'apiKey', 'is missing'],
    ['a key that is no string', { ...valid, apiKey: 5 }, 'apiKey', 'must be a string'],
    ['a key of no known form', { ...valid, apiKey: 'abc' }, 'apiKey', 'starts with pk_test_ or pk_live_'],
    ['a key with a line break', { ...valid, apiKey: 'pk_test_a\nb' }, 'apiKey', 'holds white space'],
    ['no secret', { ...valid, apiSecret: undefined }, 'apiSecret', 'is missing'],
    ['an empty secret of the key', { ...valid, apiSecret: '' }, 'apiSecret', 'is missing'],
    ['key and secret swapped', { ...valid, apiKey: valid.apiSecret }, 'apiKey', 'swapped with `apiSecret`'],
    ['the key as secret', { ...valid, apiSecret: valid.apiKey }, 'apiSecret', 'swapped with `apiKey`'],
    ['a pair of two environments', { ...valid, apiSecret: 'sk_live_a' }, 'apiSecret', 'other environment'],
    ['a test key in production', { ...valid, environment: 'production' }, 'environment', 'pk_live_'],
    [
      'an unknown environment',
      { ...valid, environment: 'staging' },
      'environment',
      "'sandbox' or 'production'",
    ],
    [
      'a live key over plain http',
      { baseUrl: 'http://gateway.example/api/v1', apiKey: 'pk_live_a', apiSecret: 'sk_live_a' },
      'baseUrl',
      'https://',
    ],
    ['an unknown auth', { ...valid, auth: 'basic' }, 'auth', "'headers' or 'bearer'"],
    ['a negative time-out', { ...valid, timeoutMs: -1 }, 'timeoutMs', 'whole number'],
    ['a fractional time-out', { ...valid, timeoutMs: 1.5 }, 'timeoutMs', 'whole number'],
    ['a time-out of zero', { ...valid, timeoutMs: 0 }, 'timeoutMs', 'whole number'],
    ['a time-out that is NaN', { ...valid, timeoutMs: NaN }, 'timeoutMs', 'whole number'],
    ['a time-out beyond a timer', { ...valid, deadlineMs: 2 ** 31 }, 'deadlineMs', 'whole number'],
    ['a time-out as text', { ...valid, deadlineMs: '5' }, 'deadlineMs', 'whole number'],
    ['no attempt at all', { ...valid, retry: { maxAttempts: 0 } }, 'retry.maxAttempts', 'whole number'],
    ['retry as a number', { ...valid, retry: 3 }, 'retry', 'must be an object'],
    ['an empty network list', { ...valid, networks: [] }, 'networks', 'is empty'],
    ['a network in lower case', { ...valid, networks: ['net'] }, 'networks', 'upper-case'],
    [
      'limits upside down',
      { ...valid, limits: { collection: { min: 2, max: 1 } } },
      'limits.collection',
      'swap',
    ],
    [
      'a limit that is no amount',
      { ...valid, limits: { disbursement: { max: 'x' } } },
      'limits.disbursement.max',
      'plain decimal',
    ],
    [
      'an unknown amount format',
      { ...valid, amountFormat: { collections: 'x' } },
      'amountFormat.collections',
      "'number' or 'string'",
    ],
    [
      'an unsafe refusal code',
      { ...valid, refusalCodes: ['DUPLICATE_REQUEST'] },
      'refusalCodes',
      'may have moved',
    ],
    ['a storage that is none', { ...valid, storage: {} }, 'storage', 'memoryStorage()'],
    ['webhooks without a scheme', { ...valid, webhooks: { secrets: [SECRET] } }, 'webhooks.scheme', 'hmac({'],
    [
      'webhooks without secrets',
      { ...valid, webhooks: { scheme } },
      'webhooks.secrets',
      'PAYMENTS_WEBHOOK_SECRET',
    ],
    [
      'an empty secret list',
      { ...valid, webhooks: { scheme, secrets: [] } },
      'webhooks.secrets',
      'is missing',
    ],
    ['an empty secret', { ...valid, webhooks: { scheme, secrets: [''] } }, 'webhooks.secrets[0]', 'is blank'],
    [
      'a blank secret',
      { ...valid, webhooks: { scheme, secrets: [SECRET, '   '] } },
      'webhooks.secrets[1]',
      'is blank',
    ],
    [
      'a short secret',
      { ...valid, webhooks: { scheme, secrets: ['short-canary'] } },
      'webhooks.secrets[0]',
      'shorter than 16 bytes',
    ],
    [
      'a secret with white space',
      { ...valid, webhooks: { scheme, secrets: [`${SECRET}\n`] } },
      'webhooks.secrets[0]',
      'white space',
    ],
    [
      'a secret that is not hex',
      { ...valid, webhooks: { scheme, secrets: [{ value: SECRET, encoding: 'hex' }] } },
      'webhooks.secrets[0]',
      'is not hex',
    ],
    [
      'an end that is no date',
      { ...valid, webhooks: { scheme, secrets: [{ value: SECRET, notAfter: 'soon' }] } },
      'webhooks.secrets[0].notAfter',
      'not a moment',
    ],
    [
      'only ended secrets',
      { ...valid, webhooks: { scheme, secrets: [{ value: SECRET, notAfter: '2020-01-01' }] } },
      'webhooks.secrets',
      'has passed',
    ],
    [
      'a lease inside the handler time',
      { ...valid, webhooks: { ...webhooks, leaseMs: 25_000 } },
      'webhooks.leaseMs',
      'longer than',
    ],
    [
      'a fractional body limit',
      { ...valid, webhooks: { ...webhooks, bodyLimit: 1.5 } },
      'webhooks.bodyLimit',
      'whole number',
    ],
    [
      'a mistyped family of limits',
      { ...valid, limits: { collections: { max: '5' } } },
      'limits.collections',
      'does not exist: did you mean `limits.collection`?',
    ],
    [
      'a mistyped bound',
      { ...valid, limits: { collection: { maximum: '5' } } },
      'limits.collection.maximum',
      'write min or max',
    ],
    [
      'a mistyped family of amount formats',
      { ...valid, amountFormat: { collection: 'string' } },
      'amountFormat.collection',
      'does not exist: did you mean `amountFormat.collections`?',
    ],
    [
      'a secret without its list',
      { ...valid, webhooks: { scheme, secrets: SECRET } },
      'webhooks.secrets',
      'is not a list',
    ],
    [
      'a mistyped retry option',
      { ...valid, retry: { attempts: 1 } },
      'retry.attempts',
      'does not exist: did you mean `retry.maxAttempts`?',
    ],
    ...[
      'payment.failed',
      [null],
      [{ length: 2 }],
      ['payment.failed', 'payment.success'],
      [['payment.failed']],
      [['payment.failed', 'payment.success', 'payment.expired']],
      [['payment.failed', 'payment.paid']],
    ].map((supersede): [string, object, string, string] => [
      `what is no list of pairs, ${JSON.stringify(supersede)}`,
      { ...valid, webhooks: { ...webhooks, supersede } },
      'webhooks.supersede',
      "write for example [['payment.failed', 'payment.success']]",
    ]),
    [
      'a supersede pair of unknown events',
      { ...valid, webhooks: { ...webhooks, supersede: [['a', 'b']] } },
      'webhooks.supersede',
      'payment.failed',
    ],
  ])('%s', (_, options, option, words) => {
    const { message } = refusal(options);
    expect(message).toContain(`\`${option}\``);
    expect(message).toContain(words);
  });

  it('names the account, if it is not the default one', () => {
    expect(refusal({ ...valid, timeoutMs: -1 }, 'payouts').message).toContain('of account "payouts"');
  });

  it.each(['a b', '', 'a'.repeat(65), 'a/b', '.', '..', 7 as never])('refuses the account %j', (account) => {
    expect(refusal(valid, account).message).toBe(
      'Payments option `name` must be 1 to 64 letters, digits, dots, dashes or underscores, but not "." or "..".',
    );
  });

  it.each(['a', 'a'.repeat(64), 'payouts-2_b.c'])('takes the account %s', (account) => {
    expect(resolveOptions(valid, account).account).toBe(account);
  });

  it('never repeats a key or a secret', () => {
    for (const options of [
      { ...valid, apiKey: 'sk_test_canary', apiSecret: 'pk_test_canary' },
      { ...valid, apiSecret: 'sk_live_canary' },
      { ...valid, environment: 'production' },
      { ...valid, webhooks: { scheme, secrets: ['canary'] } },
      { ...valid, webhooks: { scheme, secrets: ['canary-canary-canary '] } },
    ]) {
      expect(inspect(refusal(options))).not.toContain('canary');
    }
  });
});
