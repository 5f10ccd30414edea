import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHmac } from 'node:crypto';
import { paymentEvent } from 'nestjs-payments/testing';
import { type ExpectedStatus, HostileApp, signedLines } from '../../../support/hostile-app.js';
import { adapters, secret } from '../../../support/webhook-app.js';
import { type HeaderLine } from '../../../support/wire.js';

type Change = (lines: HeaderLine[], body: Buffer) => HeaderLine[];

/** Changes the value of one header. */
const value =
  (header: string, change: (value: string) => string): Change =>
  (lines) =>
    lines.map(([name, text]) => [name, name === header ? change(text) : text]);

const signature = (change: (signature: string) => string): Change => value('x-signature', change);
const without =
  (header: string): Change =>
  (lines) =>
    lines.filter(([name]) => name !== header);
const also =
  (name: string, text: (of: (header: string) => string) => string): Change =>
  (lines) => [...lines, [name, text((header) => lines.find(([other]) => other === header)?.[1] ?? '')]];
const renamed =
  (header: string, to: string): Change =>
  (lines) =>
    lines.map(([name, text]) => [name === header ? to : name, text]);

/** Signed with a time of the sender's choosing, in its own words. */
const at =
  (time: (seconds: number) => string): Change =>
  (lines, body) =>
    signedBy('sha256', secret)(
      value('x-timestamp', () => time(Math.floor(Date.now() / 1_000)))(lines, body),
      body,
    );
const signedBy =
  (algorithm: string, key: string): Change =>
  (lines, body) => {
    const of = (header: string): string => lines.find(([name]) => name === header)?.[1] ?? '';
    const mac = createHmac(algorithm, key)
      .update(`${of('x-id')}.${of('x-timestamp')}.`)
      .update(body);
    return signature(() => mac.digest('base64'))(lines, body);
  };

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Another text that decodes to the same bytes: the last digit of 32 bytes carries two unused bits. */
function malleated(text: string): string {
  const last = BASE64.indexOf(text.at(-2) ?? '');
  return `${text.slice(0, -2)}${BASE64[last ^ 1] ?? ''}=`;
}

const CASES: readonly (readonly [what: string, change: Change, expected: ExpectedStatus])[] = [
  ['as they should be', (lines) => lines, 200],
  ['re-cased in their names', (lines) => lines.map(([name, text]) => [name.toUpperCase(), text]), 200],
  ['with blanks around the signature', signature((text) => ` \t${text}\t `), 200],
  ['signed by this spec itself', signedBy('sha256', secret), 200],

  ['without the signature', without('x-signature'), 401],
  ['without any of them', (lines) => lines.slice(0, 1), 401],
  ['with an empty signature', signature(() => ''), 401],
  ['with a blank signature', signature(() => ' \t '), 401],
  ['with the signature less its last character', signature((text) => text.slice(0, -1)), 401],
  ['with the first character of the signature', signature((text) => text.slice(0, 1)), 401],
  ['with one character more', signature((text) => `${text}A`), 401],
  ['with more padding', signature((text) => `${text}=`), 401],
  ['without padding', signature((text) => text.replace('=', '')), 401],
  ['with the signature twice in one value', signature((text) => `${text}, ${text}`), 401],
  ['with a blank inside the signature', signature((text) => `${text.slice(0, 9)} ${text.slice(9)}`), 401],
  ['with the signature in quotes', signature((text) => `"${text}"`), 401],
  ['with a prefix before the signature', signature((text) => `sha256=${text}`), 401],
  ['with the signature in another case', signature((text) => text.toLowerCase()), 401],
  ['with other unused bits in the base64', signature(malleated), 401],
  ['in hexadecimal', signature((text) => Buffer.from(text, 'base64').toString('hex')), 401],
  ['with one bit of the signature turned', signature(flipped), 401],
  ['with a letter beyond ASCII', signature((text) => `${text.slice(0, -1)}\xe9`), 401],
  ['with UTF-8 in the signature', signature(() => Buffer.from('подпись').toString('latin1')), 401],
  ['with an over-long signature', signature((text) => text + 'A'.repeat(5_000)), 401],
  ['with a list of signatures instead of one', signature((text) => Array(90).fill(text).join(' ')), 401],
  ['signed with the empty key', signedBy('sha256', ''), 401],
  ['signed with another key', signedBy('sha256', `${secret} `), 401],
  ['signed with the key in capitals', signedBy('sha256', secret.toUpperCase()), 401],
  ['signed with SHA-1', signedBy('sha1', secret), 401],
  ['signed with SHA-512', signedBy('sha512', secret), 401],
  ['signed for another body', (lines, body) => signedBy('sha256', secret)(lines, body.subarray(1)), 401],

  ['with the signature on two lines', also('x-signature', (of) => of('x-signature')), 401],
  ['with a wrong signature on a second line', also('x-signature', () => 'wrong'), 401],
  ['with an empty second signature', also('X-Signature', () => ''), 401],
  ['with a wrong signature on the first line', (lines) => [['x-signature', 'wrong'], ...lines], 401],
  ['with the time on two lines', also('x-timestamp', (of) => of('x-timestamp')), 401],
  ['with another time on a second line', also('X-Timestamp', () => '0'), 401],
  ['with the delivery id on two lines', also('x-id', (of) => of('x-id')), 401],
  ['with an underscore in the name', renamed('x-signature', 'x_signature'), 401],
  ['with a longer name', renamed('x-signature', 'x-signatures'), 401],

  ['without the time', without('x-timestamp'), 401],
  ['with an empty time', value('x-timestamp', () => ''), 401],
  ['with a time that was not signed', value('x-timestamp', (text) => String(Number(text) + 1)), 401],
  ['of ten minutes ago', at((now) => String(now - 600)), 401],
  ['of ten minutes ahead', at((now) => String(now + 600)), 401],
  ['of four minutes ago', at((now) => String(now - 240)), 200],
  ['of four minutes ahead', at((now) => String(now + 240)), 200],
  ['of a fraction of a second', at((now) => `${now}.5`), 401],
  ['of a hexadecimal time', at((now) => `0x${now.toString(16)}`), 401],
  ['of milliseconds', at((now) => String(now * 1_000)), 401],
  ['of an exponent', at((now) => `${now}e0`), 401],
  ['of a signed time', at((now) => `+${now}`), 401],
  ['of a time with a tail', at((now) => `${now}s`), 401],
  ['of a time in other digits', at((now) => `\xb2${now}`), 401],
  ['without the delivery id', without('x-id'), 401],
  ['with another delivery id', value('x-id', (text) => `${text}1`), 401],

  ['with a folded signature', signature((text) => `${text.slice(0, 9)}\r\n ${text.slice(9)}`), 400],
  ['with a zero byte in the signature', signature((text) => `${text}\0`), 400],
  ['with a blank before the colon', renamed('x-signature', 'x-signature '), 400],
  ['with a name beyond ASCII', renamed('x-signature', 'x-s\xefgnature'), 400],
  ['longer than Node takes headers', signature((text) => text + 'A'.repeat(20_000)), 431],
];

function flipped(text: string): string {
  const bytes = Buffer.from(text, 'base64');
  bytes[31] = (bytes[31] ?? 0) ^ 1;
  return bytes.toString('base64');
}

describe.each(adapters)('the headers of a webhook on %s', (adapter) => {
  const app = new HostileApp(adapter);
  beforeAll(() => app.start());
  afterAll(() => app.stop());

  const refused = new Set<string>();

  it.each(CASES)('%s', async (_what, change, expected) => {
    const body = Buffer.from(JSON.stringify(paymentEvent('payment.success')));
    const { status, text } = await app.expectStatus(
      { lines: change(signedLines(body), body), body },
      expected,
    );
    if (status === 401) refused.add(text);
  });

  it('are refused in the same words whatever is wrong, and the log says so once a minute', () => {
    expect(refused.size).toBe(1);
    expect(app.refusals).toHaveLength(1);
  });
});
