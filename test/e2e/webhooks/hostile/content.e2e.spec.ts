import { afterAll, beforeAll, describe, it } from 'vitest';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { paymentEvent } from 'nestjs-payments/testing';
import { type ExpectedStatus, HostileApp, signedLines } from '../../../support/hostile-app.js';
import { adapters } from '../../../support/webhook-app.js';
import { type HeaderLine } from '../../../support/wire.js';

/** Content types of a delivery with a right signature; a list is one line each. */
const TYPES: readonly (readonly [types: readonly string[], expected: ExpectedStatus])[] = [
  [[], 200],
  [['application/json'], 200],
  [['APPLICATION/Json'], 200],
  [['application/json;'], 200],
  [['application/json; charset=utf-8'], 200],
  [['application/json ; charset=UTF-8'], 200],
  [['application/json;charset="utf-8"'], 200],
  [['application/json; charset=utf8'], 200],
  [['application/json; profile=gateway'], 200],
  [['application/json; profile=gateway; charset=utf-8'], 200],
  // Fastify itself has no parser for these.
  [['application/cloudevents+json'], { express: 200, fastify: 415 }],
  [['application/problem+json; charset=utf-8'], { express: 200, fastify: 415 }],
  // Node takes the first of several lines.
  [['application/json', 'text/plain'], 200],
  [['text/plain', 'application/json'], 415],
  [['application/json; charset=utf-16'], 415],
  [['application/json; charset=iso-8859-1'], 415],
  [['application/json; charset=us-ascii'], 415],
  [['application/json; charset=utf-7'], 415],
  [['application/json; charset='], 415],
  [['application/json; charset'], 415],
  [['application/json; charset = utf-16'], 415],
  [['application/json; charset=utf-8; charset=utf-16'], 415],
  [['application/json; CHARSET=UTF-16'], 415],
  [["application/json; charset*=utf-16''x"], 415],
  [['application/json, text/plain'], 415],
  [['application/jsonp'], 415],
  [['application/json-seq'], 415],
  [['application/x-ndjson'], 415],
  [['text/json'], 415],
  [['text/plain'], 415],
  [['text/html'], 415],
  [['application/xml'], 415],
  [['application/soap+xml'], 415],
  [['application/octet-stream'], 415],
  [['application/x-www-form-urlencoded'], 415],
  [['multipart/form-data; boundary=x'], 415],
  [['json'], 415],
  [['*/*'], 415],
  [['\xe9'], 415],
];

const ENCODINGS: readonly (readonly [lines: readonly string[], expected: number])[] = [
  [[''], 200],
  [['identity'], 200],
  [['Identity'], 200],
  [['gzip'], 415],
  [['GZIP'], 415],
  [['x-gzip'], 415],
  [['deflate'], 415],
  [['br'], 415],
  [['zstd'], 415],
  [['identity, gzip'], 415],
  [['gzip, identity'], 415],
  [['identity', 'gzip'], 415],
  [['utf-8'], 415],
];

const event = (): Buffer => Buffer.from(JSON.stringify(paymentEvent('payment.success')));

describe.each(adapters)('the content of a webhook on %s', (adapter) => {
  const app = new HostileApp(adapter);
  beforeAll(() => app.start());
  afterAll(() => app.stop());

  it.each(TYPES)('of the type %j', async (types, expected) => {
    const body = event();
    const lines = types.map((type): HeaderLine => ['Content-Type', type]);
    await app.expectStatus({ lines: [...lines, ...signedLines(body).slice(1)], body }, expected);
  });

  it.each(ENCODINGS)('in the encoding %j, while it is plain JSON', async (encodings, expected) => {
    const body = event();
    const lines = encodings.map((encoding): HeaderLine => ['Content-Encoding', encoding]);
    await app.expectStatus({ lines: [...lines, ...signedLines(body)], body }, expected);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('compressed as %s is refused, whichever bytes were signed', async (encoding, compress) => {
    const plain = event();
    const body = compress(plain);
    for (const signed of [plain, body]) {
      const lines = [...signedLines(signed), ['Content-Encoding', encoding] as const];
      await app.expectStatus({ lines, body }, 415);
    }
  });

  it('is looked at before the signature', async () => {
    const body = event();
    await app.expectStatus({ lines: [['Content-Type', 'text/plain']], body }, 415);
    await app.expectStatus({ lines: [['Content-Encoding', 'gzip']], body }, 415);
    await app.expectStatus({ body: Buffer.alloc(300_000) }, 413);
    await app.expectStatus({ lines: [['Content-Type', 'application/json']], body }, 401);
  });
});
