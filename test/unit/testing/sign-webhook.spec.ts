import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { paymentEvent } from '../../../lib/testing/payment-event.js';
import { signWebhook } from '../../../lib/testing/sign-webhook.js';
import { readEvent } from '../../../lib/webhooks/signature/read-event.js';
import { classifyEvent } from '../../../lib/webhooks/delivery/delivery-decision.js';
import { customScheme } from '../../../lib/webhooks/signature/custom-scheme.js';
import { hmac } from '../../../lib/webhooks/signature/hmac-scheme.js';
import { delivery, SCHEME_CASES } from '../../support/scheme-cases.js';

const scheme = hmac({
  header: 'X-Signature',
  algorithm: 'sha256',
  encoding: 'hex',
  payload: ['timestamp', { literal: '.' }, 'body'],
  timestamp: { header: 'X-Time', unit: 's', toleranceSeconds: 60 },
});

describe('signWebhook()', () => {
  it('gives the headers that an independent computation gives', () => {
    const mac = createHmac('sha256', 'secret').update('12.é').digest('hex');
    const expected = { 'x-time': '12', 'x-signature': mac };
    expect(signWebhook({ scheme, secret: 'secret', body: 'é', now: 12_999 })).toEqual(expected);
    expect(signWebhook({ scheme, secret: 'secret', body: Buffer.from('é'), now: new Date(12_000) })).toEqual(
      expected,
    );
  });

  it('reads a secret in the encoding that it is written in', () => {
    const plain = signWebhook({ scheme, secret: 'secret', body: '', now: 0 });
    for (const encoding of ['base64', 'hex'] as const) {
      const secret = { value: Buffer.from('secret').toString(encoding), encoding };
      expect(signWebhook({ scheme, secret, body: '', now: 0 })).toEqual(plain);
    }
  });

  it.each(SCHEME_CASES.map((subject) => [subject.name, subject] as const))(
    'signs for %s with the secret of the options',
    (_name, { scheme, secret, key }) => {
      const now = Date.now();
      const body = '{"event":"payment.success"}';
      const verify = (headers: Record<string, string>) =>
        scheme.verify(delivery(headers, Buffer.from(body)), [key], now);
      expect(verify(signWebhook({ scheme, secret, body, now }))).toEqual({ ok: true });
      expect(verify(signWebhook({ scheme, secret: 'another-secret', body, now }))).toMatchObject({
        ok: false,
      });
      expect(() => signWebhook({ scheme, secret: '', body })).toThrow('empty secret');
    },
  );

  it('takes nothing but its options from an object that has more', () => {
    const options = { scheme, secret: 'secret', body: 'é', now: 12_999 };
    const others = { id: 'another', key: Buffer.from('another'), headers: undefined };
    expect(signWebhook({ ...options, ...(others as object) })).toEqual(signWebhook(options));
  });

  it.each([NaN, new Date('never'), '2026-01-31T08:00:00Z'])(
    'does not sign for %s, which is no time',
    (now) => {
      const options = { scheme, secret: 'secret', body: '', now: now as number };
      expect(() => signWebhook(options)).toThrow(
        'now is no time: write milliseconds since 1970 or a valid Date, or leave it out.',
      );
    },
  );

  it('says so when a scheme cannot sign', () => {
    const mute = customScheme({ name: 'mute', verify: () => ({ ok: true }) });
    expect(() => signWebhook({ scheme: mute, secret: 'secret', body: '' })).toThrow(
      'mute has no sign function',
    );
  });
});

describe('paymentEvent()', () => {
  it.each(['payment.success', 'payment.failed', 'payment.cancelled', 'payment.expired'] as const)(
    'makes a %s that the package accepts',
    (name) => {
      const event = paymentEvent(name);
      expect(readEvent(Buffer.from(JSON.stringify(event)))).toEqual({ event });
      expect(classifyEvent(event)).toEqual({ kind: 'outcome' });
    },
  );

  it('takes other data and makes every reference its own', () => {
    expect(paymentEvent('payment.success', { amount: '5.00' }).data.amount).toBe('5.00');
    const references = [paymentEvent('payment.success'), paymentEvent('payment.success')].map(
      ({ data }) => data.reference,
    );
    expect(new Set(references).size).toBe(2);
  });
});
