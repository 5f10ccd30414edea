import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../../lib/config/resolve-options.js';
import { aesGcm, type AesGcmOptions } from '../../../../lib/storage/sealed/aes-gcm.js';
import { type Encryption } from '../../../../lib/storage/sealed/encryption.js';

const bytes = randomBytes(32);
const other = randomBytes(32);

function problemOf(options: unknown): string {
  try {
    aesGcm(options as AesGcmOptions);
  } catch (error) {
    expect((error as Error).name).toBe('PaymentsConfigError');
    return inspect(error);
  }
  return '';
}

describe('aesGcm()', () => {
  it('aesGcm() takes the same key as bytes, base64, base64url and hex', () => {
    const forms = [
      bytes,
      Uint8Array.from(bytes),
      ...(['base64', 'base64url', 'hex'] as const).map((as) => bytes.toString(as)),
    ];
    const marks = forms.map((key) =>
      (aesGcm({ keys: { a: key }, current: 'a' }) as Encryption).fingerprints('x'),
    );
    expect(new Set(marks.flat()).size).toBe(1);
    expect((aesGcm({ keys: { a: other }, current: 'a' }) as Encryption).fingerprints('x')).not.toEqual(
      marks[0],
    );
  });

  it.each<[string, unknown, RegExp]>([
    ['a short key', { keys: { a: randomBytes(31) }, current: 'a' }, /keys\['a'\].*31 bytes instead of 32/],
    [
      'a text of another length',
      { keys: { a: 'secret' }, current: 'a' },
      /keys\['a'\].*base64 or hex, of 32 bytes/,
    ],
    ['an absent key', { keys: { a: undefined }, current: 'a' }, /keys\['a'\].*randomBytes\(32\)/],
    ['an empty key', { keys: { a: '' }, current: 'a' }, /keys\['a'\]/],
    ['a key of zeros', { keys: { a: Buffer.alloc(32) }, current: 'a' }, /keys\['a'\].*guess/],
    [
      'a key that comes twice',
      { keys: { a: bytes, b: bytes.toString('hex') }, current: 'a' },
      /keys\['b'\].*same key as 'a'/,
    ],
    ['a current that is not there', { keys: { a: bytes }, current: 'b' }, /current.*write 'a'/],
    ['no keys', { keys: {}, current: 'a' }, /keys of aesGcm\(\)/],
    ['an id with a colon', { keys: { 'a:b': bytes }, current: 'a:b' }, /keys of aesGcm\(\).*ids/],
    ['an id with a tilde', { keys: { 'a~b': bytes }, current: 'a~b' }, /keys of aesGcm\(\).*ids/],
    [
      'a word for a flag',
      { keys: { a: bytes }, current: 'a', requireSealed: 1 },
      /requireSealed of aesGcm\(\)/,
    ],
  ])('aesGcm() refuses %s', (_what, options, problem) => {
    expect(problemOf(options)).toMatch(problem);
  });

  it('aesGcm() shows no key in an error, and none when it or the options are inspected', () => {
    const shown = [
      problemOf({ keys: { a: bytes.subarray(1) }, current: 'a' }),
      problemOf({ keys: { a: `${bytes.toString('base64')}x` }, current: 'a' }),
      problemOf({ keys: { a: bytes }, current: bytes.toString('hex') }),
      // Written the wrong way round.
      ...(['hex', 'base64', 'base64url'] as const).flatMap((form) => [
        problemOf({ keys: { [bytes.toString(form)]: 'a' }, current: 'a' }),
        problemOf({ keys: { [bytes.toString(form)]: bytes }, current: 'a' }),
      ]),
      inspect(aesGcm({ keys: { a: bytes }, current: 'a' }), { depth: 9, showHidden: true }),
      JSON.stringify(aesGcm({ keys: { a: bytes }, current: 'a' })),
    ].join();
    for (const form of ['hex', 'base64', 'base64url'] as const) {
      expect(shown).not.toContain(bytes.subarray(2).toString(form).slice(0, 20));
    }
    expect(shown).not.toContain(`${bytes[4]}, ${bytes[5]}, ${bytes[6]}`);
  });

  it('aesGcm() is the option encryption of an account, which takes nothing else', () => {
    const options = { baseUrl: 'http://127.0.0.1/api/v1', apiKey: 'pk_test_a', apiSecret: 'sk_test_a' };
    const encryption = aesGcm({ keys: { a: bytes }, current: 'a' });
    expect(resolveOptions({ ...options, encryption }).encryption).toBe(encryption);
    expect(resolveOptions(options).encryption).toBeUndefined();
    expect(() => resolveOptions({ ...options, encryption: { keys: { a: bytes } } })).toThrow(
      /encryption.*aesGcm/,
    );
  });
});
