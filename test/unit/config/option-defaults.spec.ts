import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../lib/config/resolve-options.js';
import { PaymentsConfigError } from '../../../lib/errors/payments-errors.js';

const valid = {
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_test_canarykey',
  apiSecret: 'sk_test_canarysecret',
};
const webhooks = {
  scheme: { name: 'test', verify: () => ({ ok: false, reason: 'test' }) as const },
  secrets: ['whsec-0123456789abcdef'],
};

const BEYOND_A_TIMER = 'must be a whole number from 1 to 2147483647: write for example 30000, the default.';
const NO_OBJECT = 'must be an object: see its fields in PaymentsModuleOptions.';
const NO_CAP = 'must be a whole number from 1 to 10000: write for example 10, or leave it out for no cap.';
const NO_PATH =
  "must be a path below baseUrl with {reference} in it once: write for example '/payments/{reference}'.";
const NO_NETWORKS = "must be a list of upper-case words: write for example ['NET_ONE', 'NET_TWO'].";
const NO_CODES = "must be a list of upper-case words: write for example ['LIMIT_EXCEEDED'].";
const NO_STORAGE =
  'is not a storage, which has a journal, an inbox and conflicts: write memoryStorage(), or leave it out.';
const NO_SCHEME =
  'is missing, and there is no default because the specification does not show how the gateway signs: write hmac({ … }), ' +
  'standardWebhooks(), stripeStyle({ … }) or customScheme({ … }).';
const NO_FUNCTION = 'is not a function: write (request) => request.rawBody, or leave it out.';
const NO_DAYS = 'must be a whole number from 1 to 36500: write for example 30, the default.';
const NO_PAIRS =
  "must be a list of pairs of event names: write for example [['payment.failed', 'payment.success']].";

describe('a wrong option is refused with its name, what is wrong and what to write', () => {
  it.each<[string, object, string, string]>([
    ['a time beyond the longest timer', { timeoutMs: 2 ** 31 }, 'timeoutMs', BEYOND_A_TIMER],
    ['a section that is a list', { retry: [] }, 'retry', NO_OBJECT],
    [
      'more tries than a call may make',
      { retry: { maxAttempts: 101 } },
      'retry.maxAttempts',
      'must be a whole number from 1 to 100: write for example 3, the default.',
    ],
    [
      'a field that the section does not have',
      { retry: { attempts: 1 } },
      'retry.attempts',
      'does not exist: did you mean `retry.maxAttempts`?',
    ],
    ['a cap of zero', { rate: { perSecond: 0 } }, 'rate.perSecond', NO_CAP],
    ['a cap above the largest', { rate: { concurrency: 10_001 } }, 'rate.concurrency', NO_CAP],
    ['a cap that is text', { rate: { perSecond: '5' } }, 'rate.perSecond', NO_CAP],
    [
      'a path with white space',
      { statusPaths: { collection: '/a b/{reference}' } },
      'statusPaths.collection',
      NO_PATH,
    ],
    [
      'a path with a fragment',
      { statusPaths: { collection: '/{reference}#a' } },
      'statusPaths.collection',
      NO_PATH,
    ],
    [
      'a path without a reference',
      { statusPaths: { disbursement: '/payouts' } },
      'statusPaths.disbursement',
      NO_PATH,
    ],
    [
      'a path in a list',
      { statusPaths: { collection: ['/{reference}'] } },
      'statusPaths.collection',
      NO_PATH,
    ],
    ['a path that is a number', { statusPaths: { collection: 7 } }, 'statusPaths.collection', NO_PATH],
    ['networks that are one text', { networks: 'NET_ONE' }, 'networks', NO_NETWORKS],
    ['a network in a list of its own', { networks: [['NET_ONE']] }, 'networks', NO_NETWORKS],
    ['one wrong network beside a right one', { networks: ['NET_ONE', 'net'] }, 'networks', NO_NETWORKS],
    [
      'no network at all',
      { networks: [] },
      'networks',
      'is empty, so every payout would be refused: name a network, or leave it out.',
    ],
    ['refusal codes that are one text', { refusalCodes: 'LIMIT' }, 'refusalCodes', NO_CODES],
    ...['DUPLICATE_REQUEST', 'DUPLICATE_REFERENCE', 'PROVIDER_ERROR'].map(
      (code): [string, object, string, string] => [
        `the refusal code ${code}`,
        { refusalCodes: ['LIMIT', code] },
        'refusalCodes',
        `holds ${code}, after which money may have moved: take it out.`,
      ],
    ),
    [
      'limits upside down',
      { limits: { collection: { min: '2', max: '1.99' } } },
      'limits.collection',
      'has a `min` above its `max`: swap them.',
    ],
    [
      'an empty cap of a day',
      { limits: { collection: { perDay: {} } } },
      'limits.collection.perDay',
      "is empty: write for example { amount: '50000000', count: 1000 }, or leave it out.",
    ],
    [
      'a cap of a day for no payment at all',
      { limits: { disbursement: { perDay: { count: 0 } } } },
      'limits.disbursement.perDay.count',
      'must be a whole number from 1 to 1000000000: write for example 10, or leave it out for no cap.',
    ],
    [
      'a cap of a day below the smallest amount',
      { limits: { collection: { min: '5.01', perDay: { amount: '5' } } } },
      'limits.collection',
      'has a `min` above `perDay.amount`, so every payment would be refused: raise the amount.',
    ],
    [
      'an amount of three decimals',
      { limits: { disbursement: { min: '1.005' } } },
      'limits.disbursement.min',
      'must be a plain decimal with at most two decimals, without separators or exponent: write "1180.50".',
    ],
    [
      'an unknown amount format',
      { amountFormat: { collections: 'cents' } },
      'amountFormat.collections',
      "is not known: write 'number' or 'string'.",
    ],
    ['HTTP options that are text', { http: 'proxy' }, 'http', NO_OBJECT],
    ['HTTP options in a list', { http: [] }, 'http', NO_OBJECT],
    ['a storage that is text', { storage: 'redis' }, 'storage', NO_STORAGE],
    [
      'a storage whose journal is text',
      { storage: { journal: 'a', inbox: {}, conflicts: {} } },
      'storage',
      NO_STORAGE,
    ],
    [
      'webhooks that are text',
      { webhooks: 'on' },
      'webhooks',
      'must be an object: write { scheme, secrets }.',
    ],
    ['a scheme that is left out', { webhooks: { secrets: webhooks.secrets } }, 'webhooks.scheme', NO_SCHEME],
    [
      'a scheme that verifies nothing',
      { webhooks: { ...webhooks, scheme: {} } },
      'webhooks.scheme',
      NO_SCHEME,
    ],
    [
      'a scheme whose verify is text',
      { webhooks: { ...webhooks, scheme: { verify: 'yes' } } },
      'webhooks.scheme',
      NO_SCHEME,
    ],
    [
      'a raw body that is text',
      { webhooks: { ...webhooks, rawBody: 'rawBody' } },
      'webhooks.rawBody',
      NO_FUNCTION,
    ],
    [
      'a raw body that is null',
      { webhooks: { ...webhooks, rawBody: null } },
      'webhooks.rawBody',
      NO_FUNCTION,
    ],
    [
      'days beyond a century',
      { webhooks: { ...webhooks, retentionDays: 36_501 } },
      'webhooks.retentionDays',
      NO_DAYS,
    ],
    [
      'one wrong pair beside a right one',
      {
        webhooks: { ...webhooks, supersede: [['payment.failed', 'payment.success'], ['payment.failed']] },
      },
      'webhooks.supersede',
      NO_PAIRS,
    ],
    [
      'a pair of one right and one wrong name',
      {
        webhooks: { ...webhooks, supersede: [['payment.failed', 'payment.paid']] },
      },
      'webhooks.supersede',
      NO_PAIRS,
    ],
  ])('%s', (_, options, option, problem) => {
    expect(() => resolveOptions({ ...valid, ...options })).toThrow(
      new PaymentsConfigError(`Payments option \`${option}\` ${problem}`),
    );
  });
});

describe('an option at its bound is taken', () => {
  it.each<[string, object, object]>([
    ['the longest timer', { timeoutMs: 2 ** 31 - 1 }, { timeoutMs: 2_147_483_647 }],
    ['the shortest time-out', { timeoutMs: 1, deadlineMs: 1 }, { timeoutMs: 1, deadlineMs: 1 }],
    [
      'the most tries, without waits',
      { retry: { maxAttempts: 100, baseDelayMs: 0, maxDelayMs: 0 } },
      { retry: { maxAttempts: 100, baseDelayMs: 0, maxDelayMs: 0 } },
    ],
    [
      'the smallest and the largest cap',
      { rate: { perSecond: 1, concurrency: 10_000 } },
      {
        rate: { perSecond: 1, concurrency: 10_000 },
      },
    ],
    [
      'the longest ages of open payments',
      { recoveryWindowMs: Number.MAX_SAFE_INTEGER, staleAfterMs: Number.MAX_SAFE_INTEGER },
      { recoveryWindowMs: Number.MAX_SAFE_INTEGER, staleAfterMs: Number.MAX_SAFE_INTEGER },
    ],
    [
      'limits without a distance',
      { limits: { collection: { min: '5', max: '5' } } },
      { limits: { collection: { minCents: 500n, maxCents: 500n } } },
    ],
    [
      'one limit alone',
      { limits: { collection: { min: '5' }, disbursement: { max: '7' } } },
      {
        limits: {
          collection: { minCents: 500n, maxCents: undefined },
          disbursement: { minCents: undefined, maxCents: 700n },
        },
      },
    ],
    [
      'caps of a day',
      {
        limits: { collection: { min: '5', perDay: { amount: '5' } }, disbursement: { perDay: { count: 1 } } },
      },
      {
        limits: {
          collection: { minCents: 500n, maxCents: undefined, perDay: { maxCents: 500, maxCount: undefined } },
          disbursement: {
            minCents: undefined,
            maxCents: undefined,
            perDay: { maxCents: undefined, maxCount: 1 },
          },
        },
      },
    ],
    [
      'the other amount format',
      { amountFormat: { disbursements: 'string' } },
      {
        amountFormat: { collections: 'number', disbursements: 'string' },
      },
    ],
    ['HTTP options', { http: { maxRedirects: 0 } }, { http: { maxRedirects: 0 } }],
    ['no refusal code', { refusalCodes: [] }, { refusalCodes: new Set() }],
  ])('%s', (_, options, resolved) => {
    expect(resolveOptions({ ...valid, ...options })).toMatchObject(resolved);
  });

  it.each<[string, object, object]>([
    [
      'the smallest numbers',
      {
        bodyLimit: 1,
        bodyTimeoutMs: 1,
        unverifiedBytesLimit: 1,
        handlerTimeoutMs: 1,
        leaseMs: 2,
        inFlightWaitMs: 0,
      },
      {
        bodyLimit: 1,
        bodyTimeoutMs: 1,
        unverifiedBytesLimit: 1,
        handlerTimeoutMs: 1,
        leaseMs: 2,
        inFlightWaitMs: 0,
      },
    ],
    ['the longest retention', { retentionDays: 36_500 }, { retentionMs: 36_500 * 86_400_000 }],
    ['a function that finds the raw body', { rawBody: String }, { rawBody: String }],
    ['no pair at all', { supersede: [] }, { supersede: [] }],
    [
      'pairs of event names',
      {
        supersede: [
          ['payment.failed', 'payment.success'],
          ['payment.expired', 'payment.success'],
        ],
      },
      {
        supersede: [
          ['payment.failed', 'payment.success'],
          ['payment.expired', 'payment.success'],
        ],
      },
    ],
  ])('of the webhooks: %s', (_, options, resolved) => {
    expect(resolveOptions({ ...valid, webhooks: { ...webhooks, ...options } }).webhooks).toMatchObject(
      resolved,
    );
  });
});
