import { describe, expect, it } from 'vitest';
import { customScheme, type CustomSchemeOptions } from '../../../../lib/webhooks/signature/custom-scheme.js';
import { hmac } from '../../../../lib/webhooks/signature/hmac-scheme.js';
import { standardWebhooks } from '../../../../lib/webhooks/signature/standard-webhooks.js';
import { stripeStyle } from '../../../../lib/webhooks/signature/stripe-style.js';

const WEBHOOK = { headers: new Map<string, readonly string[]>(), body: Buffer.from('{}') };
const KEYS = [Buffer.from('a-signing-secret')];
const verify = () => ({ ok: true }) as const;

describe('customScheme()', () => {
  it('passes on the options that it was given, and no others', () => {
    const sign = () => ({ 'x-sign': 'here' });
    const secretForm = { encoding: 'hex', prefix: 'k_', minBytes: 2, maxBytes: 2 } as const;
    const scheme = customScheme({ name: 'partner', verify, sign, secretForm });
    expect(scheme).toMatchObject({ name: 'partner', secretForm });
    expect(scheme.sign).toBe(sign);
    expect(scheme).not.toHaveProperty('signsTime');
    for (const signsTime of [true, false]) {
      expect(customScheme({ name: 'partner', verify, signsTime }).signsTime).toBe(signsTime);
    }
    expect(Object.keys(customScheme({ name: 'partner', verify })).sort()).toEqual(['name', 'verify']);
  });

  it.each(['utf8', 'base64', 'hex'] as const)('takes secrets written in %s', (encoding) => {
    const secretForm = { encoding };
    expect(customScheme({ name: 'partner', verify, secretForm }).secretForm).toEqual(secretForm);
  });

  it('asks the application with webhook, keys and time', async () => {
    const asked: unknown[] = [];
    const scheme = customScheme({ name: 'partner', verify: (...given) => (asked.push(given), verify()) });
    expect(await scheme.verify(WEBHOOK, KEYS, 7)).toEqual({ ok: true });
    expect(asked).toEqual([[WEBHOOK, KEYS, 7]]);
  });

  it.each<[what: string, answer: () => unknown, reason: string]>([
    ['a reason', () => ({ ok: false, reason: 'no signature matches' }), 'no signature matches'],
    ['no reason', () => ({ ok: false }), 'the scheme gave no reason'],
    ['something like a yes', () => ({ ok: 'true' }), 'the scheme gave no reason'],
    ['true alone', () => true, 'the scheme gave no reason'],
    ['nothing', () => undefined, 'the scheme gave no reason'],
    ['null', () => null, 'the scheme gave no reason'],
    [
      'a throw',
      () => {
        throw new Error('secret');
      },
      'the scheme threw an error',
    ],
    ['a rejection', () => Promise.reject(new Error('secret')), 'the scheme threw an error'],
  ])('refuses after %s', async (_what, answer, reason) => {
    const scheme = customScheme({ name: 'partner', verify: answer as CustomSchemeOptions['verify'] });
    expect(await scheme.verify(WEBHOOK, KEYS, 7)).toEqual({ ok: false, reason });
  });

  it.each<[option: string, problem: string, change: Record<string, unknown>]>([
    ['name', "must be a name for logs, for example 'partner'", { name: undefined }],
    ['name', "must be a name for logs, for example 'partner'", { name: ' ' }],
    ['verify', 'must be a function: without one nothing would be checked', { verify: undefined }],
    ['signsTime', 'must be true or false', { signsTime: 'yes' }],
    ['secretForm.encoding', "must be 'utf8', 'base64' or 'hex'", { secretForm: { encoding: 'latin1' } }],
    [
      'secretForm.prefix',
      "must be text, for example 'whsec_'",
      { secretForm: { encoding: 'hex', prefix: 1 } },
    ],
    [
      'secretForm.minBytes',
      'must be a whole number of bytes from 1 on: write 16',
      { secretForm: { encoding: 'hex', minBytes: 0 } },
    ],
    [
      'secretForm.minBytes',
      'must be a whole number of bytes from 1 on: write 16',
      { secretForm: { encoding: 'hex', minBytes: 1.5 } },
    ],
    [
      'secretForm.maxBytes',
      'must be a whole number of bytes, not below minBytes',
      { secretForm: { encoding: 'hex', minBytes: 3, maxBytes: 2 } },
    ],
    [
      'secretForm.maxBytes',
      'must be a whole number of bytes, not below minBytes',
      { secretForm: { encoding: 'hex', maxBytes: 1.5 } },
    ],
  ])('refuses the option %s, which %s: %j', (option, problem, change) => {
    expect(() => customScheme({ name: 'partner', verify, ...change })).toThrow(
      expect.objectContaining({
        name: 'PaymentsConfigError',
        message: `The option ${option} of customScheme() ${problem}.`,
      }),
    );
  });
});

describe('the headers without which no delivery is genuine', () => {
  const base = { algorithm: 'sha256', encoding: 'hex' } as const;
  it.each([
    ['hmac()', hmac({ ...base, header: 'X-Signature', payload: ['body'] }), ['x-signature']],
    [
      'hmac() with a time, an id and another header',
      hmac({
        ...base,
        header: 'X-Signature',
        timestamp: { header: 'X-Time', unit: 's', toleranceSeconds: 300 },
        id: { header: 'X-Id' },
        payload: ['id', 'timestamp', { header: 'X-Shop' }, { literal: '.' }, 'body'],
      }),
      ['x-signature', 'x-time', 'x-id', 'x-shop'],
    ],
    ['standardWebhooks()', standardWebhooks(), ['webhook-signature', 'webhook-timestamp', 'webhook-id']],
    ['stripeStyle()', stripeStyle({ header: 'Stripe-Signature' }), ['stripe-signature']],
    [
      'customScheme()',
      customScheme({ name: 'partner', requiredHeaders: ['X-Partner'], verify: () => ({ ok: true }) }),
      ['x-partner'],
    ],
  ])('are known of %s', (_name, scheme, headers) => {
    expect(scheme.requiredHeaders).toEqual(headers);
  });

  it('must have names', () => {
    expect(() => customScheme({ name: 'partner', requiredHeaders: ['x partner'], verify })).toThrow(
      'The option requiredHeaders of customScheme() must be the name of an HTTP header',
    );
    expect(() => customScheme({ name: 'partner', requiredHeaders: 'x-partner' as never, verify })).toThrow(
      "The option requiredHeaders of customScheme() must be a list, for example ['x-signature']",
    );
  });
});
