import { afterEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { optionErrors } from '../../../lib/config/option-checks.js';
import { resolveWebhookSecrets } from '../../../lib/config/resolve-webhooks.js';
import { SignatureCheck } from '../../../lib/webhooks/signature/signature-check.js';
import { BODY_ONLY, delivery, SCHEME_CASES, STANDARD } from '../../support/scheme-cases.js';

vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
const error = optionErrors('default');
const resolve = (...secrets: unknown[]) => resolveWebhookSecrets(secrets, BODY_ONLY.scheme, error);

describe('the webhook secrets', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('become the keys of every scheme', () => {
    for (const { scheme, secret, key } of SCHEME_CASES) {
      const [resolved] = resolveWebhookSecrets([secret], scheme, error);
      expect(resolved?.bytes()).toEqual(key);
    }
  });

  it('are checked in the form of the scheme', () => {
    const standard = (secret: unknown) => () => resolveWebhookSecrets([secret], STANDARD.scheme, error);
    expect(standard('a-signing-secret-of-the-merchant!')).toThrow('`webhooks.secrets[0]` is not base64');
    expect(standard('whsec_')).toThrow('`webhooks.secrets[0]` is shorter than 24 bytes');
    const ofLength = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 'k').toString('base64')}`;
    for (const bytes of [23, 65]) expect(standard(ofLength(bytes))).toThrow('webhooks.secrets[0]');
    for (const bytes of [24, 64]) expect(standard(ofLength(bytes))).not.toThrow();
    expect(standard({ value: 'whsec_', encoding: 'base64' })).toThrow('is shorter than 24 bytes');
  });

  it.each([
    ['yesterday', new Date(NaN)],
    ['a word', 'soon'],
    ['a day that only some engines read', '12/31/2026'],
    ['a time without an offset', '2026-12-31T00:00:00'],
    ['a number', 1_800_000_000_000],
    ['null', null],
  ])('refuse %s as an end', (_what, notAfter) => {
    expect(() => resolve({ value: BODY_ONLY.secret, notAfter })).toThrow(
      'secrets[0].notAfter` is not a moment',
    );
  });

  it.each(['2026-12-31', '2026-12-31T12:00Z', '2026-12-31T12:00:00.000+03:00'])(
    'take %s as an end',
    (notAfter) => {
      vi.useFakeTimers({ now: Date.parse('2026-12-30') });
      expect(resolve({ value: BODY_ONLY.secret, notAfter })[0]?.notAfter).toBe(Date.parse(notAfter));
    },
  );

  it('refuse an encoding that is none, and an entry that is no secret', () => {
    expect(() => resolve({ value: BODY_ONLY.secret, encoding: 'latin1' })).toThrow(
      "'utf8' or 'base64' or 'hex'",
    );
    expect(() => resolve({ value: BODY_ONLY.secret, encoding: null })).toThrow('encoding');
    for (const entry of [undefined, null, 7, [], {}, Buffer.from(BODY_ONLY.secret)]) {
      expect(() => resolve(BODY_ONLY.secret, entry)).toThrow('secrets[1]` must be a string');
    }
  });

  it('take a short one that says so, mark it, and name the way if none says so', () => {
    const [short, long] = resolve({ value: 'eight-by', allowShort: true }, BODY_ONLY.secret);
    expect([short?.isShort, long?.isShort]).toEqual([true, false]);
    expect(() => resolve('eight-by')).toThrow('write { value, allowShort: true }');
    expect(() => resolve({ value: 'eight-by', allowShort: 1 })).toThrow('allowShort` must be true or false');
  });

  it('rotate: both sign until the old one ends, then only the new one', async () => {
    vi.useFakeTimers({ now: Date.parse('2026-12-30') });
    const old = 'the-secret-before-the-rotation!!';
    const keys = resolve({ value: old, notAfter: '2026-12-31' }, BODY_ONLY.secret);
    const check = new SignatureCheck('default', { scheme: BODY_ONLY.scheme, keys }, { warn: () => {} });
    const body = Buffer.from('{}');
    const signedWith = (secret: string): boolean | Promise<boolean> => {
      const headers = BODY_ONLY.scheme.sign!({ body, key: Buffer.from(secret), now: Date.now() });
      return check.accepts(delivery(headers, body));
    };
    expect(await signedWith(old)).toBe(true);
    expect(await signedWith(BODY_ONLY.secret)).toBe(true);
    vi.setSystemTime(Date.parse('2026-12-31') + 1);
    expect(await signedWith(old)).toBe(false);
    expect(await signedWith(BODY_ONLY.secret)).toBe(true);
  });

  it('refuse to boot when all have ended, and refuse every delivery when all end later', async () => {
    const end = Date.parse('2026-12-31');
    const ended = { value: BODY_ONLY.secret, notAfter: new Date(end) };
    vi.useFakeTimers({ now: end });
    expect(() => resolve(ended, ended)).toThrow('`notAfter` has passed');
    vi.setSystemTime(end - 1);
    const check = new SignatureCheck(
      'default',
      { scheme: BODY_ONLY.scheme, keys: resolve(ended) },
      { warn: () => {} },
    );
    vi.setSystemTime(end + 1);
    const body = Buffer.from('{}');
    const headers = BODY_ONLY.scheme.sign!({ body, key: BODY_ONLY.key, now: Date.now() });
    expect(await check.accepts(delivery(headers, body))).toBe(false);
  });
});
