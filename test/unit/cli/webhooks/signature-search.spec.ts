import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { searchSignature } from '../../../../lib/cli/webhooks/signature-search.js';
import { signatureHints } from '../../../../lib/cli/webhooks/signature-hints.js';
import { signWebhook } from '../../../../lib/testing/sign-webhook.js';
import { standardWebhooks } from '../../../../lib/webhooks/signature/standard-webhooks.js';
import { stripeStyle } from '../../../../lib/webhooks/signature/stripe-style.js';

const SECRET = 'a-signing-secret-of-the-merchant';
const BODY = '{"a":1}';

function mac(...parts: string[]): Buffer {
  return createHmac('sha256', SECRET).update(parts.join('')).digest();
}

function hints(headers: Record<string, string>, body = BODY, secret = SECRET): readonly string[] {
  const received = new Map(Object.entries(headers).map(([name, value]) => [name, [value]]));
  const found = searchSignature(received, Buffer.from(body), secret);
  return found ? signatureHints(found) : [];
}

const options = (text: string): string => `It is made as these options say: ${text}`;

describe('the search for how a delivery was signed', () => {
  it.each([
    [
      'as the sandbox signs',
      { 'x-a': mac(BODY).toString('hex') },
      '--header x-a --algorithm sha256 --encoding hex',
    ],
    [
      'base64url',
      { 'x-a': mac('[4]').toString('base64url') },
      '--header x-a --algorithm sha256 --encoding base64url',
      '[4]',
    ],
    [
      'a prefix',
      { 'x-hub-signature-256': `sha256=${mac(BODY).toString('hex')}` },
      '--header x-hub-signature-256 --algorithm sha256 --encoding hex --prefix "sha256="',
    ],
    [
      'a time',
      { 'x-time': '1700000000', 'x-a': mac('1700000000', BODY).toString('hex') },
      '--header x-a --algorithm sha256 --encoding hex --payload "{timestamp}{body}" --timestamp-header x-time',
    ],
    [
      'a time in ISO 8601',
      {
        'x-time': '2026-01-05T09:00:00.000Z',
        'x-a': mac(BODY, '.', '2026-01-05T09:00:00.000Z').toString('hex'),
      },
      '--header x-a --algorithm sha256 --encoding hex --payload "{body}.{timestamp}" --timestamp-header x-time --timestamp-unit iso',
    ],
  ])('finds %s', (_, headers, expected, body = BODY) => {
    expect(hints(headers as Record<string, string>, body)).toEqual([options(expected)]);
  });

  it('knows the two schemes that have a name', () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const standard = signWebhook({ scheme: standardWebhooks(), secret, body: BODY });
    expect(hints(standard, BODY, secret)).toEqual([options('--scheme standard-webhooks')]);
    const stripe = signWebhook({ scheme: stripeStyle({ header: 'x-a' }), secret, body: BODY });
    expect(hints(stripe, BODY, secret)).toEqual([options('--scheme stripe --header x-a')]);
  });

  it.each([
    ['hex', 'ab'.repeat(20)],
    ['base64', Buffer.alloc(20, 9).toString('base64')],
  ] as const)('finds a secret that is read as %s', (encoding, secret) => {
    const signature = createHmac('sha512', Buffer.from(secret, encoding)).update(BODY).digest('hex');
    expect(hints({ 'x-a': signature }, BODY, secret)).toEqual([
      options(`--header x-a --algorithm sha512 --encoding hex --secret-encoding ${encoding}`),
    ]);
  });

  it.each([
    ['without the white space at its end', `${BODY}\r\n`, BODY],
    ['with a line break at its end', BODY, `${BODY}\n`],
    ['without the byte order mark', `\uFEFF${BODY}`, BODY],
    ['with LF instead of CRLF', '{\r\n"a":1}', '{\n"a":1}'],
    ['written again as compact JSON', '{ "a": 1 }', BODY],
  ])('finds a body that was signed %s', (change, given, signed) => {
    const [first] = hints({ 'x-a': mac(signed).toString('hex') }, given);
    expect(first).toContain(`The signature is that of the body ${change}`);
  });

  it('says what the package does not take', () => {
    const upper = (text: string): string => mac(text).toString('hex').toUpperCase();
    expect(hints({ 'x-a': upper(BODY) })[0]).toContain('--header x-a --algorithm sha256 --encoding hex');
    expect(hints({ 'x-a': `t=1800000000,v1=${upper(`1800000000.${BODY}`)}` })).toEqual([
      'It is in upper-case hexadecimal; stripeStyle() takes lower case only.',
      'It is made as these options say: --scheme stripe --header x-a',
    ]);
    const sha1 = createHmac('sha1', SECRET).update(BODY).digest('hex');
    expect(hints({ 'x-a': sha1 })[0]).toContain('SHA-1');
  });

  it('finds nothing in a delivery of somebody else, or one without headers', () => {
    expect(hints({ 'x-a': createHmac('sha256', 'another').update(BODY).digest('hex') })).toEqual([]);
    expect(hints({})).toEqual([]);
  });
});
