import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { customScheme, hmac, standardWebhooks, stripeStyle } from 'nestjs-payments';
import { OPTIONS, WEBHOOK_OPTIONS } from '../../../lib/config/option-defaults.js';
import { CREDENTIAL_OPTIONS } from '../../../lib/config/resolve-credentials.js';
import { resolveOptions } from '../../../lib/config/resolve-options.js';
import { PaymentsConfigError } from '../../../lib/errors/payments-errors.js';
import { resolveQueueOptions } from '../../../lib/integrations/bullmq/resolve-queue-options.js';
import { resolveHealthOptions } from '../../../lib/integrations/terminus/payments-health-options.js';
import { resolveSandboxOptions } from '../../../lib/sandbox/resolve-sandbox-options.js';

const TIMESTAMP = { header: 'x-time', unit: 's', toleranceSeconds: 300 };
const FORM = { encoding: 'hex', prefix: 'p', minBytes: 16, maxBytes: 64 };
const HMAC = { header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] };
const SECRET = 'd2hzZWNfd2hzZWNfd2hzZWNfd2hzZWNf';
const WRITTEN_SECRET = { value: SECRET, encoding: 'base64', allowShort: false, notAfter: '2999-01-01' };

/** What no option takes, or few. */
const atom = fc.constantFrom<unknown>(
  ...[undefined, null, '', ' ', 'x', 0, -1, 1.5, Number.NaN, Infinity, true, false, 5n, Symbol('junk')],
  ...[() => 1, new Date(Number.NaN), new Map(), Object.create(null), { toString: null, valueOf: null }],
);
const junk = fc.oneof(
  { weight: 3, arbitrary: atom },
  { weight: 1, arbitrary: fc.array(atom, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('a', 'header', 'value', 'min', 'sign'), atom) },
);

type Path = readonly (string | number)[];

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** The places of a value, at any depth. */
function placesIn(value: unknown, path: Path = []): readonly Path[] {
  const fields = Array.isArray(value) || isPlain(value) ? Object.entries(value as object) : [];
  return [path, ...fields.flatMap(([name, field]) => placesIn(field, [...path, name]))];
}

/** A copy with something else in one place. */
function withOther(value: unknown, [name, ...rest]: Path, other: unknown): unknown {
  if (name === undefined) return other;
  const at = (found: unknown, key: string): unknown => (key === name ? withOther(found, rest, other) : found);
  if (Array.isArray(value)) return value.map((found, index) => at(found, String(index)));
  // An earlier replacement is in the way.
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, found]) => [key, at(found, key)]));
}

/** A right value with junk in one to three places: more would hide what stands behind an error. */
function spoilt(right: unknown): fc.Arbitrary<unknown> {
  const changes = fc.array(fc.tuple(fc.constantFrom(...placesIn(right)), junk), {
    minLength: 1,
    maxLength: 3,
  });
  return changes.map((made) => made.reduce((value, [path, other]) => withOther(value, path, other), right));
}

const MODULE = {
  ...Object.fromEntries(Object.keys({ ...OPTIONS, ...CREDENTIAL_OPTIONS }).map((name) => [name, undefined])),
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_test_x',
  apiSecret: 'sk_test_x',
  retry: { maxAttempts: 2, baseDelayMs: 1, maxDelayMs: 2 },
  rate: { perSecond: 1, concurrency: 1 },
  probe: { collections: { afterAnswerMs: 1, afterSilenceMs: 1 }, disbursements: false },
  statusPaths: { collection: '/payments/{reference}', disbursement: undefined },
  networks: ['NET'],
  limits: { collection: { min: 1, max: '5.00' }, disbursement: { min: 1n, max: undefined } },
  amountFormat: { collections: 'number', disbursements: 'string' },
  refusalCodes: ['LIMIT'],
  banks: { maxAgeMs: 1, staleIfErrorMs: 1 },
  webhooks: {
    ...Object.fromEntries(Object.keys(WEBHOOK_OPTIONS).map((name) => [name, undefined])),
    scheme: standardWebhooks(),
    secrets: [SECRET, WRITTEN_SECRET],
    supersede: [['payment.failed', 'payment.success']],
  },
};
const QUEUE = {
  connection: { host: '127.0.0.1', keyPrefix: '' },
  prefix: 'a',
  accounts: ['default'],
  worker: { concurrency: 1, lockMs: 1_000 },
  retry: { maxAttempts: 1, baseDelayMs: 1, maxDelayMs: 2 },
  keepFinishedMs: 1,
  shutdownTimeoutMs: 1,
};
const SANDBOX = {
  port: 0,
  host: '127.0.0.1',
  allowedHosts: ['gateway.test'],
  frameAncestors: ['http://127.0.0.1:4240'],
  clock: 'manual',
  seed: 1,
  auto: true,
  profile: 'documented',
  startingBalance: '1.00',
  fees: { collectionPercent: 1, payout: 5 },
  expireAfter: '1s',
  webhookScheme: MODULE.webhooks.scheme,
  webhookSecret: SECRET,
  webhookTimeoutMs: 1,
  allowRemoteWebhooks: false,
  allowRemote: false,
  controlToken: 'a-token-of-sixteen',
};

const health = { account: 'default', gateway: true, cacheMs: 1, timeoutMs: 1, maxUnresolvedAgeMs: 1 };
const several = {
  ...HMAC,
  prefix: 'v0=',
  timestamp: TIMESTAMP,
  id: { header: 'x-id' },
  signatures: { separator: ' ' },
};
const signedParts = ['id', 'timestamp', { literal: '.' }, { header: 'x-more' }, 'body'];

describe('junk in the options', () => {
  it.each<[string, right: readonly unknown[], read: (...options: never[]) => unknown]>([
    ['the module', [MODULE, 'default'], resolveOptions],
    [
      'the queue',
      [QUEUE, 'payments-webhooks', { connection: { host: 'x' }, prefix: 'x' }],
      resolveQueueOptions,
    ],
    ['the health indicator', [health], resolveHealthOptions],
    ['the emulator', [SANDBOX], resolveSandboxOptions],
    ['hmac()', [{ ...several, payload: signedParts }], hmac],
    ['standardWebhooks()', [{ prefix: 'svix', toleranceSeconds: 300 }], standardWebhooks],
    [
      'stripeStyle()',
      [{ header: 'x-s', toleranceSeconds: 300, unit: 's', signatureKey: 'v1', separator: '.' }],
      stripeStyle,
    ],
    [
      'customScheme()',
      [
        {
          name: 'x',
          secretForm: FORM,
          signsTime: true,
          requiredHeaders: ['x-s'],
          verify: () => 1,
          sign: () => 1,
        },
      ],
      customScheme,
    ],
  ])('of %s is a PaymentsConfigError, or works', (_whose, right, read) => {
    const call = read as (...options: readonly unknown[]) => unknown;
    call(...right);
    fc.assert(
      fc.property(spoilt(right), (options) => {
        try {
          call(...(Array.isArray(options) ? (options as unknown[]) : right));
        } catch (error) {
          expect(error).toBeInstanceOf(PaymentsConfigError);
        }
      }),
      { numRuns: 600, seed: 1 },
    );
  });
});
