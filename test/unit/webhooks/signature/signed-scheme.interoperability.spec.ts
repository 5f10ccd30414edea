import { describe, expect, it } from 'vitest';
import { sign as octokitSign, verify as octokitVerify } from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { type SignatureVerdict } from '../../../../lib/common/webhook-scheme.js';
import { signWebhook } from '../../../../lib/testing/sign-webhook.js';
import { anyCodePoint } from '../../../support/any-code-point.js';
import { BODY_ONLY, delivery, type SchemeCase, STANDARD, STRIPE } from '../../../support/scheme-cases.js';

// These libraries read the clock themselves, so the deliveries are of now.
const now = Date.now();
const seconds = Math.floor(now / 1_000);
const RUNS = { numRuns: 500 };
const refused = { ok: false, reason: expect.any(String) as unknown };

/** Whole texts: these libraries take a body as text, so bytes that are no UTF-8 are beyond them. */
const anyText = fc.oneof(
  fc.string({ unit: anyCodePoint, maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.json(),
  fc.constantFrom('', '\0', '\r\n', '\ufeff{}', '.', 't=1,v1=2', '{"amount":"1180.50"}'),
);
const notEmpty = anyText.filter((text) => text !== '');
const anyId = fc.stringMatching(/^[\w.:-]{1,60}$/);

function verdict(subject: SchemeCase, headers: Record<string, string>, body: string, at = now) {
  const webhook = delivery(headers, Buffer.from(body, 'utf8'));
  return subject.scheme.verify(webhook, [subject.key], at) as SignatureVerdict;
}

function signed(subject: SchemeCase, body: string): Record<string, string> {
  return signWebhook({ scheme: subject.scheme, secret: subject.secret, body, now });
}

describe('stripeStyle() and stripe', () => {
  const { webhooks } = Stripe;
  const testHeader = (payload: string, timestamp = seconds): string =>
    webhooks.generateTestHeaderString({ payload, secret: STRIPE.secret, timestamp });
  const theyAccept = (payload: string, header: string): boolean =>
    webhooks.signature!.verifyHeader(payload, header, STRIPE.secret, 300);

  it('accepts what the other signs', () => {
    fc.assert(
      fc.property(anyText, (body) => {
        expect(verdict(STRIPE, { 'x-signature': testHeader(body) }, body)).toEqual({ ok: true });
      }),
      RUNS,
    );
  });

  it('signs what the other accepts', () => {
    fc.assert(
      fc.property(notEmpty, (body) => {
        expect(theyAccept(body, signed(STRIPE, body)['x-signature']!)).toBe(true);
      }),
      RUNS,
    );
    const event = webhooks.constructEvent(
      '{"id":"evt_1"}',
      signed(STRIPE, '{"id":"evt_1"}')['x-signature']!,
      STRIPE.secret,
    );
    expect(event).toEqual({ id: 'evt_1' });
  });

  it('refuses the other body as the other does', () => {
    const header = testHeader('{"a":1}');
    expect(() => theyAccept('{"a":2}', header)).toThrow('No signatures found');
    expect(verdict(STRIPE, { 'x-signature': header }, '{"a":2}')).toEqual(refused);
  });

  it.each<[string, string, (header: string) => string]>([
    ['a time in the future', testHeader('{}', seconds + 3_600), (header) => header],
    ['letters after the time', testHeader('{}'), (header) => header.replace(',', 'abc,')],
    ['a fraction of the time', testHeader('{}'), (header) => header.replace(',', '.5,')],
    ['two times', testHeader('{}'), (header) => `t=1,${header}`],
    ['more after the signature', testHeader('{}'), (header) => `${header}=more`],
  ])('is stricter about %s', (_what, header, change) => {
    expect(theyAccept('{}', change(header))).toBe(true);
    expect(verdict(STRIPE, { 'x-signature': change(header) }, '{}')).toEqual(refused);
  });
});

describe('standardWebhooks() and standardwebhooks', () => {
  const theirs = new Webhook(STANDARD.secret);
  const theirHeaders = (id: string, body: string): Record<string, string> => ({
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': theirs.sign(id, new Date(now), body),
  });
  const theyAccept = (body: string, headers: Record<string, string>): boolean => {
    theirs.verify(body, headers, { jsonParse: false });
    return true;
  };

  it('accepts what the other signs', () => {
    fc.assert(
      fc.property(anyId, anyText, (id, body) => {
        expect(verdict(STANDARD, theirHeaders(id, body), body)).toEqual({ ok: true });
      }),
      RUNS,
    );
  });

  it('signs what the other accepts', () => {
    fc.assert(
      fc.property(anyText, (body) => {
        expect(theyAccept(body, signed(STANDARD, body))).toBe(true);
      }),
      RUNS,
    );
  });

  it('takes the secret with and without its prefix, as the other does', () => {
    const bare = STANDARD.secret.slice('whsec_'.length);
    const headers = signWebhook({ scheme: STANDARD.scheme, secret: bare, body: '{}', now });
    expect(theyAccept('{}', headers)).toBe(true);
    expect(() => new Webhook(bare).verify('{}', signed(STANDARD, '{}'))).not.toThrow();
  });

  it('refuses the other body as the other does', () => {
    const headers = theirHeaders('msg_1', '{"a":1}');
    expect(() => theyAccept('{"a":2}', headers)).toThrow('No matching signature');
    expect(verdict(STANDARD, headers, '{"a":2}')).toEqual(refused);
  });

  it.each<[string, string, (value: string) => string]>([
    ['letters after the time', 'webhook-timestamp', (value) => `${value}abc`],
    ['a fraction of the time', 'webhook-timestamp', (value) => `${value}.9`],
    ['a leading zero of the time', 'webhook-timestamp', (value) => `0${value}`],
    ['more after the signature', 'webhook-signature', (value) => `${value},more`],
  ])('is stricter about %s', (_what, name, change) => {
    const headers = theirHeaders('msg_1', '{}');
    const changed = { ...headers, [name]: change(headers[name]!) };
    expect(theyAccept('{}', changed)).toBe(true);
    expect(verdict(STANDARD, changed, '{}')).toEqual(refused);
  });

  it('is stricter about a key of zero bytes, which signs as an empty one', () => {
    const key = Buffer.alloc(24);
    const zeros = new Webhook(key, { format: 'raw' });
    const headers = {
      ...theirHeaders('msg_1', '{}'),
      'webhook-signature': zeros.sign('msg_1', new Date(now), '{}'),
    };
    expect(() => zeros.verify('{}', headers)).not.toThrow();
    const webhook = delivery(headers, Buffer.from('{}'));
    expect(STANDARD.scheme.verify(webhook, [key], now)).toEqual(refused);
  });
});

describe("hmac() with the prefix 'sha256=' and @octokit/webhooks-methods", () => {
  it('accepts what the other signs', async () => {
    await fc.assert(
      fc.asyncProperty(notEmpty, async (body) => {
        const headers = { 'x-signature': await octokitSign(BODY_ONLY.secret, body) };
        expect(verdict(BODY_ONLY, headers, body)).toEqual({ ok: true });
      }),
      RUNS,
    );
  });

  it('signs what the other accepts', async () => {
    await fc.assert(
      fc.asyncProperty(notEmpty, async (body) => {
        const signature = signed(BODY_ONLY, body)['x-signature']!;
        expect(await octokitVerify(BODY_ONLY.secret, body, signature)).toBe(true);
      }),
      RUNS,
    );
  });

  it('refuses the other body as the other does', async () => {
    const signature = await octokitSign(BODY_ONLY.secret, '{"a":1}');
    expect(await octokitVerify(BODY_ONLY.secret, '{"a":2}', signature)).toBe(false);
    expect(verdict(BODY_ONLY, { 'x-signature': signature }, '{"a":2}')).toEqual(refused);
  });
});
