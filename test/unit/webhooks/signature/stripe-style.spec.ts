import { describe, expect, it } from 'vitest';
import { type SignatureVerdict } from '../../../../lib/common/webhook-scheme.js';
import { stripeStyle, type StripeStyleOptions } from '../../../../lib/webhooks/signature/stripe-style.js';
import { delivery, signatureOf, STRIPE } from '../../../support/scheme-cases.js';

const NOW = 1_800_000_000_000;
const BODY = Buffer.from('{"event":"payment.success"}');
const time = '1800000000';
const signature = signatureOf(STRIPE, { time, id: '' }, BODY);
const refused = { ok: false, reason: expect.any(String) as unknown };

function verdict(header: string): SignatureVerdict {
  return STRIPE.scheme.verify(
    delivery({ 'x-signature': header }, BODY),
    [STRIPE.key],
    NOW,
  ) as SignatureVerdict;
}

describe('stripeStyle()', () => {
  it.each<[string, string]>([
    ['as it is sent', `t=${time},v1=${signature}`],
    ['in another order', `v1=${signature},t=${time}`],
    ['with a signature of an older secret before it', `t=${time},v1=${'0'.repeat(64)},v1=${signature}`],
    ['with names that nobody knows', `t=${time},v0=abc,v1=${signature},v2,=,x=y=z`],
  ])('accepts %s', (_what, header) => {
    expect(verdict(header)).toEqual({ ok: true });
  });

  it.each<[string, string]>([
    ['no time', `v1=${signature}`],
    ['two times', `t=${time},t=${time},v1=${signature}`],
    ['a second time of another moment', `t=${time},v1=${signature},t=1800000001`],
    ['a second, empty time', `t=${time},v1=${signature},t=`],
    ['an empty time', `t=,v1=${signature}`],
    ['a time name in capitals', `T=${time},v1=${signature}`],
    ['no signature', `t=${time}`],
    ['an empty signature', `t=${time},v1=`],
    ['a name without a value', `t=${time},v1`],
    ['a signature under another name', `t=${time},v0=${signature}`],
    ['a signature name in capitals', `t=${time},V1=${signature}`],
    ['a signature name with more to it', `t=${time},v1a=${signature}`],
    ['a signature and more after it', `t=${time},v1=${signature}=`],
    ['semicolons', `t=${time};v1=${signature}`],
    ['spaces', `t=${time}, v1=${signature}`],
    ['a space before the name of a second time', `t=${time},v1=${signature}, t=1`],
    ['a second time with spaces around', `t=${time},v1=${signature},t =1`],
    ['the signature alone', signature],
    ['17 signatures', `t=${time},${Array<string>(17).fill(`v1=${signature}`).join(',')}`],
    [
      'a thousand empty signatures',
      `t=${time},v1=${signature},${Array<string>(1_000).fill('v1=').join(',')}`,
    ],
  ])('refuses a header with %s', (_what, header) => {
    expect(verdict(header)).toEqual(refused);
  });

  it('takes the whole secret as the key, whsec_ included', () => {
    expect(STRIPE.secret).toMatch(/^whsec_/);
    expect(STRIPE.key.toString()).toBe(STRIPE.secret);
  });

  it('has the tolerance that was asked for', () => {
    const scheme = stripeStyle({ header: 'x-signature', toleranceSeconds: 10 });
    const webhook = delivery({ 'x-signature': `t=${time},v1=${signature}` }, BODY);
    expect(scheme.verify(webhook, [STRIPE.key], NOW + 10_000)).toEqual({ ok: true });
    expect(scheme.verify(webhook, [STRIPE.key], NOW + 10_001)).toEqual(refused);
  });

  const HEADER = "must be the name of an HTTP header, for example 'x-webhook-signature'";
  const TOLERANCE = 'must be a whole number of seconds from 1 on: write 300';
  const KEY = "must be a name of letters and digits other than 't': write 'v1'";
  const SEPARATOR = "must be text without a digit, or it could be read as part of the time: write '.'";

  it.each<[option: string, problem: string, change: Partial<Record<keyof StripeStyleOptions, unknown>>]>([
    ['header', HEADER, { header: undefined }],
    ['header', HEADER, { header: 'x signature' }],
    ['toleranceSeconds', TOLERANCE, { toleranceSeconds: 0 }],
    ['toleranceSeconds', TOLERANCE, { toleranceSeconds: Infinity }],
    ['toleranceSeconds', TOLERANCE, { toleranceSeconds: '300' }],
    ['unit', 'must be one of s, ms', { unit: 'iso' }],
    ['signatureKey', KEY, { signatureKey: 't' }],
    ['signatureKey', KEY, { signatureKey: '' }],
    ['signatureKey', KEY, { signatureKey: 'v1,' }],
    ['signatureKey', KEY, { signatureKey: '1v' }],
    ['signatureKey', KEY, { signatureKey: ['v1'] }],
    ['separator', SEPARATOR, { separator: '' }],
    ['separator', SEPARATOR, { separator: '.0' }],
    ['separator', SEPARATOR, { separator: ['.'] }],
  ])('refuses the option %s, which %s: %j', (option, problem, change) => {
    expect(() => stripeStyle({ header: 'x-signature', ...change } as StripeStyleOptions)).toThrow(
      expect.objectContaining({
        name: 'PaymentsConfigError',
        message: `The option ${option} of stripeStyle() ${problem}.`,
      }),
    );
  });

  it.each([
    ['', 'the signature header is absent, empty, over-long, repeated or garbled'],
    [`t=${time}, v1=${signature}`, 'the signature header holds white space'],
    [`v1=${signature}`, 'the signature header does not hold one time'],
    [`t=${time},t=${time},v1=${signature}`, 'the signature header does not hold one time'],
    [`t=,v1=${signature}`, 'the timestamp is malformed'],
    [`t=${time}`, 'no signature matches'],
  ])('says why it refuses %j', (header, reason) => {
    expect(verdict(header)).toEqual({ ok: false, reason });
  });

  it('signs with another unit, name and separator, and tells its name', () => {
    const scheme = stripeStyle({ header: 'X-Sig', unit: 'ms', signatureKey: 's', separator: '#' });
    const headers = scheme.sign!({ body: BODY, key: STRIPE.key, now: NOW });
    expect(headers['x-sig']).toMatch(/^t=1800000000000,s=[\da-f]{64}$/);
    expect(scheme.verify(delivery(headers, BODY), [STRIPE.key], NOW + 300_000)).toEqual({ ok: true });
    expect(scheme.verify(delivery(headers, BODY), [STRIPE.key], NOW + 300_001)).toEqual(refused);
    expect(scheme.name).toBe('stripe-style');
  });
});
