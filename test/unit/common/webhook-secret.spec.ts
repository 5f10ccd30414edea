import { describe, expect, it } from 'vitest';
import { secretBytes, secretProblem, type WrittenSecret } from '../../../lib/common/webhook-secret.js';
import { type WebhookSecretForm } from '../../../lib/common/webhook-scheme.js';

const KEY = Buffer.from('thirty-two random bytes, or not.');
const BASE64 = KEY.toString('base64');
const STANDARD: WebhookSecretForm = { encoding: 'base64', prefix: 'whsec_', minBytes: 24, maxBytes: 64 };
const whsec = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 'k').toString('base64')}`;

describe('secretBytes()', () => {
  it.each<[string, WrittenSecret, WebhookSecretForm | undefined, Buffer]>([
    [
      'the whole text if the scheme says nothing',
      { value: `whsec_${BASE64}` },
      undefined,
      Buffer.from(`whsec_${BASE64}`),
    ],
    ['the encoding of the option', { value: KEY.toString('hex'), encoding: 'hex' }, undefined, KEY],
    ['the encoding of the scheme', { value: BASE64 }, STANDARD, KEY],
    ['no prefix of the scheme', { value: `whsec_${BASE64}` }, STANDARD, KEY],
    [
      'no prefix if the option repeats the encoding',
      { value: `whsec_${BASE64}`, encoding: 'base64' },
      STANDARD,
      KEY,
    ],
    [
      'the prefix in another encoding',
      { value: `whsec_${BASE64}`, encoding: 'utf8' },
      STANDARD,
      Buffer.from(`whsec_${BASE64}`),
    ],
    ['no padding', { value: BASE64.replace('=', '') }, STANDARD, KEY],
  ])('reads %s', (_what, secret, form, key) => {
    expect(secretBytes(secret, form)).toEqual(key);
    expect(secretProblem(secret, form)).toBeUndefined();
  });
});

describe('secretProblem()', () => {
  it.each<[string, string, WrittenSecret, WebhookSecretForm | undefined]>([
    ['is blank', 'nothing', { value: '' }, undefined],
    ['is blank', 'white space', { value: ' \t\n' }, undefined],
    ['white space', 'a line break at its end', { value: `${BASE64}\n` }, STANDARD],
    ['white space', 'a byte order mark', { value: `\ufeff${BASE64}` }, undefined],
    [
      'is not base64',
      'a line break inside',
      { value: `whsec_${BASE64.slice(0, 9)}\n${BASE64.slice(9)}` },
      STANDARD,
    ],
    ['is not base64', 'the url alphabet', { value: `whsec_${'-_'.repeat(20)}` }, STANDARD],
    ['is not base64', 'a lost character', { value: `whsec_${BASE64.slice(1)}` }, STANDARD],
    ['is not base64', 'bits that mean nothing', { value: `whsec_${BASE64.replace('4=', '5=')}` }, STANDARD],
    ['is not base64', 'too much padding', { value: `whsec_${BASE64}=` }, STANDARD],
    ['is not base64', 'half of its padding', { value: whsec(25).replace('==', '=') }, STANDARD],
    ['is not base64', 'its prefix twice', { value: `whsec_whsec_${BASE64}` }, STANDARD],
    ['is not base64', 'the prefix of a public key', { value: `whpk_${BASE64}` }, STANDARD],
    ['is not hex', 'a lost digit', { value: KEY.toString('hex').slice(1), encoding: 'hex' }, undefined],
    ['is not hex', 'a letter beyond f', { value: `${KEY.toString('hex')}0g`, encoding: 'hex' }, undefined],
    ['is not utf8', 'half a character', { value: 'a-secret-of-length-\ud800' }, undefined],
    ['shorter than 16 bytes', '15 bytes', { value: 'a'.repeat(15) }, undefined],
    ['shorter than 24 bytes', 'the prefix alone', { value: 'whsec_' }, STANDARD],
    ['shorter than 24 bytes', '23 bytes', { value: whsec(23) }, STANDARD],
    ['longer than the 64 bytes', '65 bytes', { value: whsec(65) }, STANDARD],
    ['zero bytes', 'zero bytes', { value: Buffer.alloc(32).toString('base64') }, STANDARD],
    ['zero bytes', 'zero bytes as text', { value: '\0'.repeat(32) }, undefined],
  ])('says "%s" of %s', (words, _what, secret, form) => {
    expect(secretProblem(secret, form)).toContain(words);
  });

  it.each<[string, WrittenSecret, WebhookSecretForm | undefined]>([
    ['is shorter than 16 bytes', { value: 'a'.repeat(15), allowShort: false }, undefined],
    ['is blank', { value: ' ', allowShort: true }, undefined],
    ['zero bytes', { value: 'whsec_', allowShort: true }, STANDARD],
    ['zero bytes', { value: '\0', allowShort: true }, undefined],
    ['longer than the 64 bytes', { value: whsec(65), allowShort: true }, STANDARD],
  ])('says "%s" of a secret that may be short', (words, secret, form) => {
    expect(secretProblem(secret, form)).toContain(words);
  });

  it.each<[WrittenSecret, WebhookSecretForm | undefined]>([
    [{ value: 'k', allowShort: true }, undefined],
    [{ value: 'eight-by', allowShort: true }, undefined],
    [{ value: whsec(1), allowShort: true }, STANDARD],
    [{ value: 'a'.repeat(16) }, undefined],
    [{ value: 'schlüsselwort-ü' }, undefined],
    [{ value: whsec(24) }, STANDARD],
    [{ value: whsec(64) }, STANDARD],
    [{ value: whsec(25).replace('==', '') }, STANDARD],
    [{ value: KEY.toString('hex').toUpperCase(), encoding: 'hex' }, undefined],
  ])('has nothing against a secret on the edge', (secret, form) => {
    expect(secretProblem(secret, form)).toBeUndefined();
  });
});
