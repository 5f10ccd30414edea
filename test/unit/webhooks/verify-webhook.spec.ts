import { describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { gzipSync } from 'node:zlib';
import {
  hmac,
  isPaymentsError,
  standardWebhooks,
  verifyWebhook,
  type VerifyWebhookOptions,
  type WebhookHeaders,
  WebhookRefusedError,
} from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';

const scheme = hmac({ header: 'X-Signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] });
const secret = 'a-signing-secret-of-the-merchant';
const options: VerifyWebhookOptions = { scheme, secrets: [secret] };
const event = paymentEvent('payment.success', { reference: 'order-1', customer_name: 'Zoë Mwangi 😀' });
const text = JSON.stringify(event);
const bytes = Buffer.from(text);
const signature = signWebhook({ scheme, secret, body: text })['x-signature'] ?? '';
const headers = { 'Content-Type': 'application/json', 'X-Signature': signature };

/** What the sender may read; elsewhere it is the reason itself. */
const MESSAGES: Readonly<Record<number, string>> = {
  401: 'The webhook signature is not valid.',
  413: 'The body is too long.',
  415: 'Send uncompressed JSON in UTF-8.',
};

describe('a list of headers without pairs', () => {
  it.each<[what: string, given: unknown]>([
    ['the raw headers of Node', ['X-Signature', signature]],
    ['names alone', [['x-signature', signature], 'content-type']],
    ['objects', [{ name: 'x-signature', value: signature }]],
    ['nothing', [undefined]],
    ['values without a name', [[1, signature]]],
    ['text', new Set(['x-signature'])],
  ])('gets an error that says what to pass: %s', async (_what, given) => {
    const failed: unknown = await verifyWebhook(text, given as WebhookHeaders, options).catch(
      (error: unknown) => error,
    );
    expect(isPaymentsError(failed) && failed.message).toContain('pass [name, value] for each');
    expect(failed).toMatchObject({ name: 'PaymentsConfigError' });
  });
});

it.each([undefined, null, 'a secret', [secret]])('says which options are missing: %j', async (given) => {
  await expect(verifyWebhook(text, headers, given as unknown as VerifyWebhookOptions)).rejects.toMatchObject({
    name: 'PaymentsConfigError',
    message: expect.stringContaining('pass { scheme, secrets }') as string,
  });
});

async function refusal(
  body: string | Uint8Array,
  given: WebhookHeaders = headers,
  more: Partial<VerifyWebhookOptions> = {},
): Promise<[status: number, reason: string]> {
  const error: unknown = await verifyWebhook(body, given, { ...options, ...more }).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(error instanceof WebhookRefusedError)) throw new Error(`Not refused: ${String(error)}`);
  expect(error.message).toBe(MESSAGES[error.status] ?? error.reason);
  return [error.status, error.reason];
}

describe('verifyWebhook()', () => {
  it.each<[string, WebhookHeaders]>([
    ["Node's headers", { 'content-type': 'application/json', 'x-signature': signature, cookie: undefined }],
    ['headers in any case', { 'CONTENT-TYPE': 'application/json', 'X-SIGNATURE': signature }],
    ['lists of values', { 'x-signature': [signature], accept: ['a', 'b'] }],
    ['Headers of the Fetch API', new Headers(headers)],
    ['a Map', new Map(Object.entries(headers))],
    ['pairs', Object.entries(headers)],
    ['no content type', { 'x-signature': signature }],
  ])('gives the event of a genuine delivery with %s', async (_what, given) => {
    expect(await verifyWebhook(bytes, given, options)).toEqual(event);
  });

  it('takes the body as text, as bytes of any kind and as an ArrayBuffer', async () => {
    const { buffer } = new Uint8Array(bytes);
    for (const body of [text, bytes, new Uint8Array(bytes), buffer]) {
      expect(await verifyWebhook(body, headers, options)).toEqual(event);
    }
  });

  it.each<[string, WebhookHeaders]>([
    ['is absent', {}],
    ['is that of another body', { 'x-signature': signature.replace(/^../, '00') }],
    ['was sent twice', { 'x-signature': [signature, signature] }],
    ['was sent twice, in another case', { 'x-signature': signature, 'X-Signature': signature }],
    [
      'was sent twice, as pairs',
      [
        ['x-signature', signature],
        ['X-Signature', signature],
      ],
    ],
    ['was joined by the host', { 'x-signature': `${signature}, ${signature}` }],
  ])('refuses with 401 a delivery whose signature %s', async (_what, given) => {
    const [status, reason] = await refusal(text, given);
    expect(status).toBe(401);
    expect(reason).not.toContain(signature);
  });

  it('refuses what a route refuses, each with its status', async () => {
    const signed = (body: string | Uint8Array): Record<string, string> =>
      signWebhook({ scheme, secret, body });
    const zipped = gzipSync(text);
    expect(await refusal('{}', headers)).toEqual([401, expect.stringContaining('no signature matches')]);
    expect(await refusal(zipped, { ...signed(zipped), 'content-encoding': 'gzip' })).toEqual([
      415,
      expect.any(String),
    ]);
    expect(await refusal(text, { ...headers, 'Content-Type': 'text/plain' })).toEqual([
      415,
      expect.any(String),
    ]);
    expect(await refusal(text, headers, { bodyLimit: bytes.length - 1 })).toEqual([413, expect.any(String)]);
    expect(await refusal('[]', signed('[]'))).toEqual([400, expect.stringContaining('not a JSON object')]);
    expect(await refusal('{}', signed('{}'))).toEqual([422, expect.stringContaining('event is missing')]);
    expect(await verifyWebhook(text, headers, { ...options, bodyLimit: bytes.length })).toEqual(event);
  });

  it('says nothing of the signature to who sent a body that is too long or of another type', async () => {
    expect(await refusal(text, { 'content-type': 'text/plain' })).toEqual([415, expect.any(String)]);
    expect(await refusal(text, {}, { bodyLimit: 1 })).toEqual([413, expect.any(String)]);
  });

  it('holds a signed time against the time of the check', async () => {
    const timed = {
      scheme: standardWebhooks(),
      secret: { value: 'k'.repeat(24), encoding: 'utf8' } as const,
    };
    const now = Date.parse('2026-01-01');
    const given = signWebhook({ ...timed, body: text, now });
    const check = { scheme: timed.scheme, secrets: [timed.secret] };
    expect(await verifyWebhook(text, given, { ...check, now })).toEqual(event);
    expect(await verifyWebhook(text, given, { ...check, now: new Date(now) })).toEqual(event);
    expect(await refusal(text, given, check)).toEqual([401, expect.stringContaining('too far from now')]);
    const ends = { ...timed.secret, notAfter: new Date(Date.now() + 60_000) };
    const later = { ...check, secrets: [ends], now: Date.now() + 60_001 };
    const [status, reason] = await refusal(
      text,
      signWebhook({ ...timed, body: text, now: later.now }),
      later,
    );
    expect([status, reason]).toEqual([401, expect.stringContaining('`notAfter` of every secret')]);
  });

  it('takes method and URL for a scheme that signs them', async () => {
    const signs = hmac({
      header: 'x-signature',
      algorithm: 'sha256',
      encoding: 'hex',
      payload: ['method', 'url', 'body'],
    });
    const url = '/hooks?shop=1';
    const given = signWebhook({ scheme: signs, secret, body: text, url });
    expect(await verifyWebhook(text, given, { scheme: signs, secrets: [secret], url })).toEqual(event);
    const inherited = Object.create({ url }) as { url: string };
    const own = { scheme: signs, secrets: [secret] };
    expect(await verifyWebhook(text, given, Object.assign(inherited, own))).toEqual(event);
    for (const line of [{}, { url: '/hooks' }, { url, method: 'PUT' }]) {
      expect(await refusal(text, given, { scheme: signs, ...line })).toEqual([401, expect.any(String)]);
    }
  });

  it('tells who wires it up wrongly, and never the sender', async () => {
    const parsed = event as never;
    await expect(verifyWebhook(parsed, headers, options)).rejects.toMatchObject({
      name: 'PaymentsConfigError',
      message: expect.stringContaining('pass the raw body') as unknown,
    });
    // A load balancer's event may have `multiValueHeaders` alone.
    for (const none of [undefined, null]) {
      await expect(verifyWebhook(text, none as never, options)).rejects.toMatchObject({
        name: 'PaymentsConfigError',
        message: expect.stringContaining('multiValueHeaders') as unknown,
      });
    }
    await expect(verifyWebhook(text, headers, { scheme, secrets: [] })).rejects.toThrow('webhooks.secrets');
    await expect(verifyWebhook(text, headers, { secrets: [secret] } as never)).rejects.toThrow(
      'webhooks.scheme',
    );
    await expect(verifyWebhook(text, headers, { scheme, secrets: ['short'] })).rejects.toThrow('allowShort');
  });

  it('logs nothing, and survives a scheme that throws', async () => {
    const log = vi.spyOn(Logger.prototype, 'warn');
    const broken = {
      name: 'broken',
      verify: () => {
        throw new Error('with a secret');
      },
    };
    const [status, reason] = await refusal(text, headers, { scheme: broken });
    expect([status, reason]).toEqual([401, expect.stringContaining('the scheme threw an error')]);
    expect(log).not.toHaveBeenCalled();
  });
});
