import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { type RawWebhook } from '../../../../lib/common/webhook-scheme.js';
import { hmac } from '../../../../lib/webhooks/signature/hmac-scheme.js';
import { type HmacOptions } from '../../../../lib/webhooks/signature/hmac-options.js';

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

it('says whether it signs a time: how long deliveries must be remembered depends on it', () => {
  expect([plain, timed].map((options) => hmac(options).signsTime)).toEqual([false, true]);
});

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

  it('accepts any of several keys and refuses if none fits', () => {
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

  it('says why it refuses', () => {
    const { 'x-signature': signature = '', ...unsigned } = signed(timed);
    const reasonOf = (headers: Record<string, string | string[]>, at = now): unknown =>
      (verdict(timed, delivery(headers), at) as { readonly reason?: string }).reason;
    const garbled = 'is absent, empty, over-long, repeated or garbled';
    expect(reasonOf(unsigned)).toBe(`the signature header ${garbled}`);
    expect(reasonOf({ 'x-signature': signature })).toBe(`a signed header ${garbled}`);
    expect(reasonOf({ 'x-signature': 'v0=00', 'x-time': '1800000000' })).toBe('no signature matches');
    expect(reasonOf({ 'x-signature': signature, 'x-time': 'noon' })).toBe('the timestamp is malformed');
    expect(reasonOf({ ...unsigned, 'x-signature': signature }, now + 300_001)).toBe(
      'the timestamp is too far from now',
    );
    const list = { ...plain, signatures: { separator: ',' } };
    const seventeen = Array<string>(17).fill('0').join(',');
    expect(verdict(list, delivery({ 'x-signature': seventeen }))).toEqual({
      ok: false,
      reason: 'there are too many signatures',
    });
    expect(hmac(plain).name).toBe('hmac-sha256');
  });

  it('refuses a changed body, a cut signature and one without its prefix', () => {
    const headers = signed(timed);
    const signature = headers['x-signature']!;
    expect(verdict(timed, delivery(headers, Buffer.from('{}')))).toEqual(refused);
    for (const wrong of [signature.slice(3), signature.slice(0, -1), 'v0=', '', 'v0=' + 'é'.repeat(64)]) {
      expect(verdict(timed, delivery({ ...headers, 'x-signature': wrong }))).toEqual(refused);
    }
  });

  it('takes hexadecimal in upper case, but no mixture and no other prefix', () => {
    const hex = signed(plain)['x-signature']!;
    expect(verdict(plain, delivery({ 'x-signature': hex.toUpperCase() }))).toEqual({ ok: true });
    const mixed = hex.replace(/[a-f]/, (letter) => letter.toUpperCase());
    expect(verdict(plain, delivery({ 'x-signature': mixed }))).toEqual(refused);
    const { 'x-signature': marked = '', 'x-time': time = '' } = signed(timed);
    const upper = marked.slice('v0='.length).toUpperCase();
    expect(verdict(timed, delivery({ 'x-time': time, 'x-signature': `v0=${upper}` }))).toEqual({ ok: true });
    expect(verdict(timed, delivery({ 'x-time': time, 'x-signature': `V0=${upper}` }))).toEqual(refused);
    for (const encoding of ['base64', 'base64url'] as const) {
      const text = signed({ ...plain, encoding })['x-signature']!;
      expect(verdict({ ...plain, encoding }, delivery({ 'x-signature': text.toUpperCase() }))).toEqual(
        refused,
      );
    }
  });

  it('binds method and URL to the body if they are signed', () => {
    const options: HmacOptions = {
      ...plain,
      payload: ['method', { literal: ' https://shop.example' }, 'url', { literal: '\n' }, 'body'],
    };
    const url = '/api/webhooks/payments?shop=1&till=%C3%A9';
    const mac = createHmac('sha256', key)
      .update(`POST https://shop.example${url}\n`)
      .update(body)
      .digest('hex');
    const scheme = hmac(options);
    expect(scheme.sign!({ body, key, now, url })).toEqual({ 'x-signature': mac });
    const webhook = { ...delivery({ 'x-signature': mac }), method: 'POST', url };
    expect(scheme.verify(webhook, [key], now)).toEqual({ ok: true });
    for (const other of [
      { method: 'PUT' },
      { method: undefined },
      { url: '/webhooks/payments?shop=1&till=%C3%A9' },
      { url: undefined },
      { url: '' },
      { url: `${url}\u0101` },
      { url: `/${'a'.repeat(4_096)}` },
    ]) {
      expect(scheme.verify({ ...webhook, ...other }, [key], now)).toEqual(refused);
    }
  });

  it.each<[part: string, where: string, payload: HmacOptions['payload']]>([
    ['the signed url', 'url', ['url', 'body']],
    ['the signed header X-Tenant', 'headers', [{ header: 'X-Tenant' }, 'body']],
  ])('says where to pass %s, without which it cannot sign: in %s', (part, where, payload) => {
    const signed = { body, key, now };
    expect(() => hmac({ ...plain, payload }).sign!(signed)).toThrow(
      `without ${part}: pass its value in ${where}.`,
    );
  });

  it('signs no URL that it does not know as an empty one', () => {
    const options: HmacOptions = { ...plain, payload: ['url', 'body'] };
    const anyUrl = { 'x-signature': createHmac('sha256', key).update(body).digest('hex') };
    expect(verdict(options, delivery(anyUrl))).toEqual(refused);
    expect(verdict(options, { ...delivery(anyUrl), url: '' })).toEqual(refused);
  });

  it('refuses every other spelling of a right signature', () => {
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

  it.each([
    ['2027-01-15T11:00:00+03:00', { ok: true }],
    ['2027-01-15T00:30:00-07:30', { ok: true }],
    ['2027-01-15T08:00:00.123456789Z', { ok: true }],
    ['2027-01-15T08:00:00.9+00:00', { ok: true }],
    ['2027-01-15T08:00:00+03:00', refused],
    ['2027-01-15T11:00:00 03:00', refused],
    ['2027-01-15T11:00:00+0300', refused],
    ['2027-01-15T11:00:00+03', refused],
    ['2027-01-15T11:00:00+03:0', refused],
    ['2027-01-15T11:00:00+3:00', refused],
    ['2027-01-15T11:00:00+03:00Z', refused],
    ['2027-01-15T08:00:00.Z', refused],
    ['2027-01-15T08:00Z', refused],
    ['02027-01-15T08:00:00Z', refused],
    ['+002027-01-15T08:00:00Z', refused],
    ['2027-1-15T08:00:00Z', refused],
    ['2027-01-15 08:00:00Z', refused],
  ])('reads the signed iso time %s with its offset', (text, expected) => {
    const options = { ...timed, timestamp: { header: 'x-time', unit: 'iso', toleranceSeconds: 1 } } as const;
    const mac = createHmac('sha256', key).update(`v0:${text}:${body.toString()}`).digest('hex');
    const webhook = delivery({ 'x-time': text, 'x-signature': `v0=${mac}` });
    expect(verdict(options, webhook, Date.parse('2027-01-15T08:00:00Z'))).toEqual(expected);
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

  const HEADER = "must be the name of an HTTP header, for example 'x-webhook-signature'";
  const UNKNOWN_PART =
    "holds an unknown part: write 'body', 'timestamp', 'id', 'method', 'url', { header } or { literal }";
  const NO_BODY = "must hold 'body': a signature that leaves the body out protects nothing";
  const TOLERANCE = 'must be a whole number of seconds from 1 on: write 300';
  const SEPARATOR = "must be text that no signature contains, for example ' '";
  const time = { header: 'x-time', unit: 's', toleranceSeconds: 300 };

  it.each<[option: string, problem: string, change: Partial<Record<keyof HmacOptions, unknown>>]>([
    ['algorithm', 'must be one of sha256, sha384, sha512', { algorithm: 'md5' }],
    ['encoding', 'must be one of hex, base64, base64url', { encoding: 'utf8' }],
    ['encoding', 'must be one of hex, base64, base64url', { encoding: 'toString' }],
    ['header', HEADER, { header: 'x signature' }],
    ['header', HEADER, { header: undefined }],
    ['header', HEADER, { header: '' }],
    ['payload', UNKNOWN_PART, { payload: 'body' }],
    ['payload', UNKNOWN_PART, { payload: ['body', null] }],
    ['payload', UNKNOWN_PART, { payload: ['body', 'path'] }],
    ['payload', UNKNOWN_PART, { payload: ['body', {}] }],
    ['payload', UNKNOWN_PART, { payload: ['body', { literal: 1 }] }],
    ['payload', NO_BODY, { payload: [] }],
    ['payload', NO_BODY, { payload: [{ literal: 'v0' }] }],
    ['payload', NO_BODY, { payload: [{ header: 'x-merchant' }, 'url'] }],
    ['payload', NO_BODY, { payload: ['timestamp'], timestamp: time }],
    ['payload', NO_BODY, { payload: ['id'], id: { header: 'x-id' } }],
    [
      'payload',
      "signs 'timestamp': say in timestamp which header carries it",
      { payload: ['timestamp', 'body'] },
    ],
    ['payload', "signs 'id': say in id which header carries it", { payload: ['id', 'body'] }],
    ['payload', HEADER, { payload: ['body', { header: '' }] }],
    [
      'id',
      "is not signed and would protect nothing: add 'id' to payload, or leave id out",
      { id: { header: 'x-id' } },
    ],
    [
      'timestamp',
      "is not signed and would protect nothing: add 'timestamp' to payload, or leave timestamp out",
      { timestamp: time },
    ],
    ['id.header', HEADER, { payload: ['id', 'body'], id: { header: 'x id' } }],
    ['timestamp.header', HEADER, { ...timed, timestamp: { ...time, header: 'x time' } }],
    ['timestamp.unit', 'must be one of s, ms, iso', { ...timed, timestamp: { ...time, unit: 'min' } }],
    ['timestamp.toleranceSeconds', TOLERANCE, { ...timed, timestamp: { ...time, toleranceSeconds: 0 } }],
    ['timestamp.toleranceSeconds', TOLERANCE, { ...timed, timestamp: { ...time, toleranceSeconds: 1.5 } }],
    ['signatures.separator', SEPARATOR, { signatures: {} }],
    ['signatures.separator', SEPARATOR, { signatures: { separator: '' } }],
    ['signatures.separator', SEPARATOR, { signatures: { separator: 'a' } }],
    ['signatures.separator', SEPARATOR, { signatures: { separator: 'A9' } }],
    ['signatures.separator', SEPARATOR, { encoding: 'base64', signatures: { separator: 'z=' } }],
    ['signatures.separator', SEPARATOR, { encoding: 'base64url', signatures: { separator: '-_' } }],
    ['signatures.separator', SEPARATOR, { prefix: 'v1,', signatures: { separator: ',' } }],
  ])('refuses the option %s, which %s: %j', (option, problem, change) => {
    expect(() => hmac({ ...plain, ...change } as HmacOptions)).toThrow(
      expect.objectContaining({
        name: 'PaymentsConfigError',
        message: `The option ${option} of hmac() ${problem}.`,
      }),
    );
  });

  it.each([
    ['hex', ', '],
    ['hex', 'a g'],
    ['hex', 'z'],
    ['base64', ' '],
    ['base64', 'a-'],
    ['base64url', '='],
  ] as const)('takes several signatures in %s with %j between them', (encoding, separator) => {
    const list: HmacOptions = { ...plain, encoding, signatures: { separator } };
    const { 'x-signature': signature = '' } = signed(list);
    const headers = { 'x-signature': `other${separator}${signature}` };
    expect(verdict(list, delivery(headers))).toEqual({ ok: true });
  });
});

it.each(['timestamp', 'id', 'signatures'])(
  'hmac() refuses null as its %s, which would be checked by nothing',
  (part) => {
    const right = { header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] } as const;
    expect(() => hmac({ ...right, [part]: null })).toThrow(
      `The option ${part} of hmac() must be an object, or left out.`,
    );
  },
);
