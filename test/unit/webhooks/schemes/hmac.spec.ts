import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type RawWebhook } from '../../../../lib/common/webhook-scheme.js';
import { hmac } from '../../../../lib/webhooks/schemes/hmac.js';
import { type HmacOptions } from '../../../../lib/webhooks/schemes/hmac-options.js';

const key = Buffer.from('a-signing-secret-of-the-merchant');
const body = Buffer.from('{"event":"payment.success"}');
const now = 1_800_000_000_000;
const plain: HmacOptions = { header: 'X-Signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] };
const timed: HmacOptions = {
  ...plain,
  prefix: 'v0=',
  timestamp: { header: 'X-Time', unit: 's', toleranceSeconds: 300 },
  payload: [{ literal: 'v0:' }, 'timestamp', { literal: ':' }, 'body'],
};

function delivery(headers: Record<string, string | string[]>, bytes: Uint8Array = body): RawWebhook {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat()] as const);
  return { headers: new Map(entries), body: bytes };
}

function signed(options: HmacOptions): Record<string, string> {
  return hmac(options).sign!({ body, key, now });
}

function verdict(options: HmacOptions, webhook: RawWebhook, at = now, keys: readonly Uint8Array[] = [key]) {
  return hmac(options).verify(webhook, keys, at);
}

const refused = { ok: false, reason: expect.any(String) as unknown };

describe('hmac()', () => {
  it('signs as an independent computation does', () => {
    const mac = createHmac('sha256', key).update(`v0:1800000000:${body.toString()}`).digest('hex');
    expect(signed(timed)).toEqual({ 'x-time': '1800000000', 'x-signature': `v0=${mac}` });
  });

  it.each(['sha256', 'sha384', 'sha512'] as const)('accepts what it signed with %s', (algorithm) => {
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      const options = { ...plain, algorithm, encoding };
      expect(verdict(options, delivery(signed(options)))).toEqual({ ok: true });
    }
  });

  it('accepts any of several keys and refuses where none fits', () => {
    const other = Buffer.from('the-secret-before-the-rotation!!');
    expect(verdict(plain, delivery(signed(plain)), now, [other, key])).toEqual({ ok: true });
    expect(verdict(plain, delivery(signed(plain)), now, [other])).toEqual(refused);
    expect(verdict(plain, delivery(signed(plain)), now, [])).toEqual(refused);
  });

  it('refuses a signature that an empty key made', () => {
    const anyone = { 'x-signature': createHmac('sha256', '').update(body).digest('hex') };
    expect(verdict(plain, delivery(anyone), now, [Buffer.alloc(0)])).toEqual(refused);
    expect(() => hmac(plain).sign!({ body, key: Buffer.alloc(0), now })).toThrow('empty secret');
  });

  it('refuses a changed body, a cut signature and one without its prefix', () => {
    const headers = signed(timed);
    const signature = headers['x-signature']!;
    expect(verdict(timed, delivery(headers, Buffer.from('{}')))).toEqual(refused);
    for (const wrong of [signature.slice(3), signature.slice(0, -1), 'v0=', '', 'v0=' + 'é'.repeat(64)]) {
      expect(verdict(timed, delivery({ ...headers, 'x-signature': wrong }))).toEqual(refused);
    }
  });

  it('refuses every other spelling of a right signature', () => {
    const hex = signed(plain)['x-signature']!;
    expect(verdict(plain, delivery({ 'x-signature': hex.toUpperCase() }))).toEqual(refused);
    const base64 = { ...plain, encoding: 'base64' } as const;
    const text = signed(base64)['x-signature']!;
    for (const wrong of [text.replace('=', ''), `${text}=`, `${text} `]) {
      expect(verdict(base64, delivery({ 'x-signature': wrong }))).toEqual(refused);
    }
  });

  it('refuses an absent, repeated or over-long signature header', () => {
    const { 'x-signature': signature } = signed(plain);
    expect(verdict(plain, delivery({}))).toEqual(refused);
    expect(verdict(plain, delivery({ 'x-signature': [signature!, signature!] }))).toEqual(refused);
    const list = { ...plain, signatures: { separator: ' ' } };
    expect(verdict(list, delivery({ 'x-signature': `${signature!} ${'a'.repeat(4_096)}` }))).toEqual(refused);
  });

  it('takes one match among several signatures in a header', () => {
    const list = { ...plain, prefix: 'v1,', signatures: { separator: ' ' } };
    const { 'x-signature': signature } = signed(list);
    expect(verdict(list, delivery({ 'x-signature': `v2,other ${signature!}` }))).toEqual({ ok: true });
    expect(verdict(list, delivery({ 'x-signature': 'v1,one v1,two' }))).toEqual(refused);
    expect(verdict({ ...plain, prefix: 'v1,' }, delivery({ 'x-signature': `${signature!} v1,x` }))).toEqual(
      refused,
    );
  });

  it('holds the tolerance in both directions', () => {
    const webhook = delivery(signed(timed));
    expect(verdict(timed, webhook, now + 300_000)).toEqual({ ok: true });
    expect(verdict(timed, webhook, now - 300_000)).toEqual({ ok: true });
    expect(verdict(timed, webhook, now + 300_001)).toEqual(refused);
    expect(verdict(timed, webhook, now - 300_001)).toEqual(refused);
  });

  it.each([
    '1800000000abc',
    '1800000000.5',
    ' 1800000000',
    '+1800000000',
    '01800000000',
    '0x6B49D200',
    '1e9',
    '-1',
    '',
  ])('refuses the timestamp %p although it is signed', (time) => {
    const mac = createHmac('sha256', key).update(`v0:${time}:${body.toString()}`).digest('hex');
    const webhook = delivery({ 'x-time': time, 'x-signature': `v0=${mac}` });
    expect(verdict(timed, webhook, Number.parseInt(time, 10) * 1_000 || 0)).toEqual(refused);
  });

  it.each(['s', 'ms', 'iso'] as const)('signs and reads a timestamp in %s', (unit) => {
    const options = { ...timed, timestamp: { header: 'x-time', unit, toleranceSeconds: 1 } };
    expect(verdict(options, delivery(signed(options)))).toEqual({ ok: true });
    expect(verdict(options, delivery(signed(options)), now + 2_000)).toEqual(refused);
  });

  it('refuses an iso timestamp without an offset, or of a day that does not exist', () => {
    const options = { ...timed, timestamp: { header: 'x-time', unit: 'iso', toleranceSeconds: 1 } } as const;
    for (const time of ['2027-01-15T08:00:00', '2027-13-45T08:00:00Z', '2027-01-15']) {
      const mac = createHmac('sha256', key).update(`v0:${time}:${body.toString()}`).digest('hex');
      const webhook = delivery({ 'x-time': time, 'x-signature': `v0=${mac}` });
      expect(verdict(options, webhook, Date.parse('2027-01-15T08:00:00Z'))).toEqual(refused);
    }
  });

  it('binds a signed id and a signed header to the body', () => {
    const options: HmacOptions = {
      ...plain,
      id: { header: 'X-Id' },
      payload: ['id', { literal: '.' }, { header: 'X-Merchant' }, { literal: '.' }, 'body'],
    };
    const scheme = hmac(options);
    const headers = scheme.sign!({ body, key, now, id: 'one', headers: { 'X-Merchant': 'm1' } });
    expect(headers).toMatchObject({ 'x-id': 'one', 'x-merchant': 'm1' });
    expect(scheme.verify(delivery(headers), [key], now)).toEqual({ ok: true });
    expect(scheme.verify(delivery({ ...headers, 'x-id': 'two' }), [key], now)).toEqual(refused);
    expect(scheme.verify(delivery({ ...headers, 'x-merchant': 'm2' }), [key], now)).toEqual(refused);
    expect(() => scheme.sign!({ body, key, now })).toThrow('X-Merchant');
  });

  it('never throws, whatever arrives', () => {
    const scheme = hmac({ ...timed, signatures: { separator: ' ' } });
    fc.assert(
      fc.property(
        fc.array(fc.string(), { maxLength: 3 }),
        fc.array(fc.string()),
        fc.uint8Array(),
        (a, b, bytes) => {
          const webhook = {
            headers: new Map([
              ['x-signature', a],
              ['x-time', b],
            ]),
            body: bytes,
          };
          return !(scheme.verify(webhook, [key], now) as { ok: boolean }).ok;
        },
      ),
    );
  });

  it.each<[string, Partial<Record<keyof HmacOptions, unknown>>]>([
    ['algorithm', { algorithm: 'md5' }],
    ['encoding', { encoding: 'utf8' }],
    ['header', { header: 'x signature' }],
    ['header', { header: undefined }],
    ['payload', { payload: ['timestamp'] }],
    ['payload', { payload: 'body' }],
    ['payload', { payload: ['body', null] }],
    ['payload', { payload: ['body', 'path'] }],
    ['payload', { payload: ['timestamp', 'body'] }],
    ['payload', { payload: ['body', { header: '' }] }],
    ['payload', { payload: ['id', 'body'] }],
    ['id', { id: { header: 'x-id' } }],
    ['timestamp', { timestamp: { header: 'x-time', unit: 's', toleranceSeconds: 300 } }],
    ['timestamp.unit', { ...timed, timestamp: { header: 'x-time', unit: 'min', toleranceSeconds: 300 } }],
    ['timestamp.toleranceSeconds', { ...timed, timestamp: { header: 'x', unit: 's', toleranceSeconds: 0 } }],
    [
      'timestamp.toleranceSeconds',
      { ...timed, timestamp: { header: 'x', unit: 's', toleranceSeconds: 1.5 } },
    ],
    ['signatures.separator', { signatures: { separator: '' } }],
    ['signatures.separator', { signatures: { separator: 'a' } }],
    ['signatures.separator', { prefix: 'v1,', signatures: { separator: ',' } }],
  ])('names the option %s when it cannot be right', (option, change) => {
    expect(() => hmac({ ...plain, ...change } as HmacOptions)).toThrow(
      expect.objectContaining({
        name: 'PaymentsConfigError',
        message: expect.stringMatching(`option ${option.replace('.', '\\.')} of`) as unknown,
      }),
    );
  });
});
