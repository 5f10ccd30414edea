import { describe, expect, it } from '@jest/globals';
import { type SignatureVerdict } from '../../../../lib/common/webhook-scheme.js';
import { stripeStyle, type StripeStyleOptions } from '../../../../lib/webhooks/schemes/stripe-style.js';
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

  it.each<[string, Partial<Record<keyof StripeStyleOptions, unknown>>]>([
    ['header', { header: undefined }],
    ['header', { header: 'x signature' }],
    ['toleranceSeconds', { toleranceSeconds: 0 }],
    ['toleranceSeconds', { toleranceSeconds: Infinity }],
    ['toleranceSeconds', { toleranceSeconds: '300' }],
    ['unit', { unit: 'iso' }],
    ['signatureKey', { signatureKey: 't' }],
    ['signatureKey', { signatureKey: '' }],
    ['signatureKey', { signatureKey: 'v1,' }],
    ['separator', { separator: '' }],
    ['separator', { separator: '.0' }],
  ])('names the option %s when it cannot be right', (option, change) => {
    expect(() => stripeStyle({ header: 'x-signature', ...change } as StripeStyleOptions)).toThrow(
      expect.objectContaining({
        name: 'PaymentsConfigError',
        message: expect.stringContaining(`option ${option} of stripeStyle()`) as unknown,
      }),
    );
  });
});
