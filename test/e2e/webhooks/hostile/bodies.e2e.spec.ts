import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gzipSync } from 'node:zlib';
import { paymentEvent } from 'nestjs-payments/testing';
import { HostileApp, signedLines } from '../../../support/hostile-app.js';
import { adapters } from '../../../support/webhook-app.js';

const LIMIT = 65_536;

const json = (data: Record<string, unknown> = {}): string =>
  JSON.stringify(paymentEvent('payment.success', data));
/** An event with more JSON beside its data. */
const beside = (more: string): string => json().replace('{', `{${more},`);
/** An event with other data, written by hand. */
const withData = (name: string, text: string): string =>
  json().replace(new RegExp(`"${name}":("[^"]*"|[^,}]*)`), `"${name}":${text}`);
const nested = (levels: number): string =>
  beside(`"more":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}`);
const ofLength = (length: number): string => {
  const text = json();
  return text.slice(0, -1) + ' '.repeat(length - text.length) + '}';
};

const REFERENCE = '"reference":"order';

/** Bodies with a right signature. */
const SIGNED: readonly (readonly [what: string, body: string | Uint8Array, expected: number])[] = [
  ['an event', json(), 200],
  ['an event with blanks and line ends around it', ` \r\n\t${json()}\n`, 200],
  ['an event behind a byte order mark', `\ufeff${json()}`, 200],
  ['an event with every character escaped', json().replace('TZS', '\\u0054\\u005a\\u0053'), 200],
  ['an event with a name twice, of which the last counts', beside('"event":"payment.failed"'), 200],
  ['an event with __proto__', beside('"__proto__":{"data":{"amount":"1.00"}}'), 200],
  ['an event with constructor.prototype', beside('"constructor":{"prototype":{"event":"x"}}'), 200],
  ['an event with toString and hasOwnProperty', beside('"toString":1,"hasOwnProperty":null,"then":{}'), 200],
  ['an event with toJSON', beside('"toJSON":"x"'), 200],
  [
    'an event with numbers that no double holds',
    beside('"a":1e999,"b":-1e999,"c":12345678901234567890'),
    200,
  ],
  ['an event with half a character in a field that is not read', beside('"note":"\\ud800"'), 200],
  ['an event with a zero in a field that is not read', beside('"note":"\\u0000"'), 200],
  ['an event of a hundred levels', nested(100), 200],
  [
    'an event with five thousand fields',
    beside([...Array(5_000).keys()].map((n) => `"f${n}":0`).join()),
    200,
  ],
  ['an event exactly as long as the limit', ofLength(LIMIT), 200],
  ['an amount as a number', withData('amount', '1180.5'), 200],
  ['an amount that a server added up in floating point', withData('amount', '1180.5000000000002'), 200],

  ['nothing', '', 400],
  ['blanks', '  \n', 400],
  ['half an event', json().slice(0, -1), 400],
  ['two events', json() + json(), 400],
  ['an event and a zero byte', `${json()}\0`, 400],
  ['a form', 'event=payment.success', 400],
  ['an event with a comma too many', beside('"a":[1,]'), 400],
  ['an event in single quotes', json().replaceAll('"', "'"), 400],
  ['an event with a comment', `/* hello */${json()}`, 400],
  ['an event with NaN', beside('"a":NaN'), 400],
  ['an event with a raw line end in a text', json().replace(REFERENCE, `${REFERENCE}\n`), 400],
  ['a list of events', `[${json()}]`, 400],
  ['a number', '7', 400],
  ['a text', JSON.stringify(json()), 400],
  ['null', 'null', 400],
  ['true', 'true', 400],
  ['an event in UTF-16', Buffer.from(json(), 'utf16le'), 400],
  ['an event in Latin-1', Buffer.from(json({ customer_name: 'Zoë' }), 'latin1'), 400],
  ['an over-long form of a character', odd(0xc0, 0xaf), 400],
  ['half a character in UTF-8', odd(0xed, 0xa0, 0x80), 400],
  ['a character that was cut off', odd(0xe2, 0x82), 400],
  ['an event in gzip that nobody announced', gzipSync(json()), 400],
  ['an event of a hundred and one levels', nested(101), 400],
  ['an event of ten thousand levels', nested(10_000), 400],
  ['an event of thirty thousand levels', nested(30_000), 400],
  ['levels that are never closed', '{"a":'.repeat(12_000), 400],

  ['an empty object', '{}', 422],
  ['an event without a name', json().replace('"event"', '"Event"'), 422],
  [
    'an event whose name is only in __proto__',
    json().replace('"event":', '"__proto__":{"event":') + '}',
    422,
  ],
  ['data in a list', json().replace('"data":', '"data":[').replace(/\}\}$/, '}]}'), 422],
  ['data as text', beside('"data":"x"').replace(/"data":\{.*\}\}$/, '"data":"x"}'), 422],
  ['no reference', withData('reference', 'null'), 422],
  ['an empty reference', withData('reference', '""'), 422],
  ['a reference of 256 bytes', withData('reference', `"${'é'.repeat(128)}"`), 422],
  ['a reference with a zero', withData('reference', '"order\\u0000"'), 422],
  ['a reference with half a character', withData('reference', '"order\\udc00"'), 422],
  ['a reference that is an object', withData('reference', '{"$ne":""}'), 422],
  ['a negative amount', withData('amount', '"-1.00"'), 422],
  ['an amount in thousands', withData('amount', '"1,180.50"'), 422],
  ['an amount in another notation', withData('amount', '"1e3"'), 422],
  ['an endless amount', withData('amount', '1e999'), 422],
  ['an amount of many decimals', withData('amount', '0.3000000000004'), 422],
  ['a currency that is none', withData('currency', '5'), 422],
  ['a status of 300 letters', withData('status', `"${'s'.repeat(300)}"`), 422],

  ['one byte more than the limit', ofLength(LIMIT + 1), 413],
  ['a megabyte', ofLength(1_048_576), 413],
  ['a megabyte of nothing', Buffer.alloc(1_048_576), 413],
];

/** Bodies that are not the ones that were signed. */
const ALTERED: readonly (readonly [what: string, change: (body: string) => string | Uint8Array])[] = [
  ['in one byte', (body) => body.replace('success', 'succesS')],
  ['in its amount', (body) => body.replace('"amount": "', '"amount": "9')],
  ['by a line end', (body) => `${body}\n`],
  ['by a byte order mark', (body) => `\ufeff${body}`],
  ['by a zero byte', (body) => `${body}\0`],
  ['by reading and writing it again', (body) => JSON.stringify(JSON.parse(body))],
  [
    'in the order of its fields',
    (body) =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body) as object).reverse()), null, 1),
  ],
  ['in its escapes', (body) => body.replace('TZS', '\\u0054ZS')],
  ['into UTF-16', (body) => Buffer.from(body, 'utf16le')],
  ['into gzip', (body) => gzipSync(body)],
  ['into nothing', () => ''],
  ['into what is not JSON', () => '{'],
  ['into two', (body) => body + body],
];

function odd(...bytes: readonly number[]): Uint8Array {
  const text = json({ customer_name: '\u0001' }).replace('\\u0001', '\u0001');
  const [before = '', after = ''] = text.split('\u0001');
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
}

const chunked = (body: Uint8Array, size: number): Buffer => {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size);
    chunks.push(
      Buffer.from(`${chunk.length.toString(16)};name=value\r\n`),
      Buffer.from(chunk),
      Buffer.from('\r\n'),
    );
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
};

describe.each(adapters)('the body of a webhook on %s', (adapter) => {
  const app = new HostileApp(adapter);
  beforeAll(() => app.start());
  afterAll(() => app.stop());

  it.each(SIGNED)(
    'is answered as it deserves when it has a right signature and is %s',
    async (_what, content, expected) => {
      const body = Buffer.from(content);
      await app.expectStatus({ lines: signedLines(body), body }, expected);
      const lines = [...signedLines(body), ['Transfer-Encoding', 'chunked'] as const];
      // The same bytes again, unless they were done with: a duplicate is answered 200 without being handled.
      if (expected !== 200) await app.expectStatus({ lines, body: chunked(body, 60_000) }, expected);
    },
  );

  it.each(ALTERED)('is refused when it was altered %s', async (_what, change) => {
    const body = JSON.stringify(paymentEvent('payment.success'), null, 1);
    const altered = Buffer.from(change(body));
    await app.expectStatus({ lines: signedLines(Buffer.from(body)), body: altered }, 401);
  });

  it('may come in chunks of a byte', async () => {
    const body = Buffer.from(json());
    const lines = [...signedLines(body), ['Transfer-Encoding', 'chunked'] as const];
    await app.expectStatus({ lines, body: chunked(body, 1) }, 200);
  });

  it.each<[string, string, string]>([
    ['two lengths', 'Content-Length', '5\r\nContent-Length: 6'],
    ['a length that is no number', 'Content-Length', '0x10'],
    ['a negative length', 'Content-Length', '-1'],
    ['a length and chunks', 'Transfer-Encoding', 'chunked\r\nContent-Length: 5'],
    ['chunks of no length', 'Transfer-Encoding', 'chunked'],
  ])('never reaches the application with %s', async (_what, name, value) => {
    const body = Buffer.from(json());
    await app.expectStatus({ lines: [...signedLines(body), [name, value]], body }, 400);
  });

  it('costs the log at most one line if its signature is right, and none if it is too long', () => {
    expect(app.log.filter((line) => line.length > 600)).toEqual([]);
    expect(app.log.filter((line) => line.includes('413'))).toEqual([]);
  });
});
