import { afterEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { optionErrors } from '../../../lib/errors/option-errors.js';
import { optionsFromEnvironment } from '../../../lib/config/environment-options.js';
import { resolveWebhooks, resolveWebhookSecrets } from '../../../lib/config/resolve-webhooks.js';
import { SignatureCheck } from '../../../lib/webhooks/signature/signature-check.js';
import { BODY_ONLY, delivery, SCHEME_CASES, STANDARD } from '../../support/scheme-cases.js';

vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
const error = optionErrors('default');
const OTHER = 'another-secret-of-the-merchant!!';
const SIGNS_TIME = { ...BODY_ONLY.scheme, signsTime: true };
const SPLIT =
  'PAYMENTS_WEBHOOK_SECRET was split at its commas: if a comma belongs to one secret, write that one whole beside the ' +
  'factory, webhooks: { scheme, secrets: \\[process.env.PAYMENTS_WEBHOOK_SECRET\\] }\\.';
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
    ['a fraction without digits', '2026-12-31T00:00:00.Z'],
    ['an hour without minutes', '2026-12-31T00Z'],
    ['a date with text before it', 'on 2026-12-31'],
    ['a date with text after it', '2026-12-31 (UTC)'],
    ['a month of one digit', '2026-1-31'],
    ['a day of one digit', '2026-12-1'],
    ['a year of two digits', '26-12-31'],
    ['a day that does not exist', '2026-02-31'],
    ['a moment of one', '2026-02-31T00:00:00Z'],
    ['a number', 1_800_000_000_000],
    ['null', null],
    ['a list with a moment', ['2026-12-31']],
  ])('refuse %s as an end', (_what, notAfter) => {
    expect(() => resolve({ value: BODY_ONLY.secret, notAfter })).toThrow(
      'Payments option `webhooks.secrets[0].notAfter` is not a moment: write a Date or an ISO 8601 string.',
    );
  });

  it.each([
    ['2026-12-31', Date.UTC(2026, 11, 31)],
    ['2026-12-31T12:34Z', Date.UTC(2026, 11, 31, 12, 34)],
    ['2026-12-31T12:34:56Z', Date.UTC(2026, 11, 31, 12, 34, 56)],
    ['2026-12-31T12:34:56.5Z', Date.UTC(2026, 11, 31, 12, 34, 56, 500)],
    ['2026-12-31T12:00:00.000+03:00', Date.UTC(2026, 11, 31, 9)],
    ['2026-12-31T12:00-03:30', Date.UTC(2026, 11, 31, 15, 30)],
  ])('take %s as an end', (notAfter, moment) => {
    vi.useFakeTimers({ now: Date.parse('2026-12-30') });
    expect(resolve({ value: BODY_ONLY.secret, notAfter })[0]?.notAfter).toBe(moment);
  });

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

  it('name PAYMENTS_WEBHOOK_SECRET in every error about a list that was split at its commas', () => {
    const { webhooks } = optionsFromEnvironment({ PAYMENTS_WEBHOOK_SECRET: `${BODY_ONLY.secret},short` });
    expect(() => resolveWebhookSecrets(webhooks?.secrets, BODY_ONLY.scheme, error)).toThrow(
      new RegExp(`^Payments option \`webhooks.secrets\\[1\\]\` is shorter than 16 bytes.*\\. ${SPLIT}$`),
    );
  });

  it('cause a warning if they were split at commas, and if one is short', () => {
    const warnings = (secrets: unknown): readonly string[] | undefined =>
      resolveWebhooks({ scheme: SIGNS_TIME, secrets }, error)?.warnings;
    const { webhooks } = optionsFromEnvironment({ PAYMENTS_WEBHOOK_SECRET: `${BODY_ONLY.secret},${OTHER}` });
    expect(warnings(webhooks?.secrets)).toEqual([
      expect.stringMatching(
        new RegExp(`^PAYMENTS_WEBHOOK_SECRET is read as 2 secrets, any of which signs\\. ${SPLIT}$`),
      ),
    ]);
    expect(warnings([BODY_ONLY.secret, OTHER])).toEqual([]);
    expect(warnings([BODY_ONLY.secret, { value: 'eight-by', allowShort: true }])).toEqual([
      'webhooks.secrets[1] has only 8 bytes (allowShort): an attacker with one delivery can try out ' +
        'all secrets of that length. Ask the gateway for a longer one.',
    ]);
  });

  it('boot while one of them is current, and an earlier one has ended', () => {
    vi.useFakeTimers({ now: Date.parse('2026-12-31') });
    const ended = { value: OTHER, notAfter: '2026-12-30' };
    expect(resolve(ended, { value: BODY_ONLY.secret, notAfter: '2027-12-31' })).toHaveLength(2);
    expect(resolve(ended, BODY_ONLY.secret)).toHaveLength(2);
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
    const boot = (): unknown => resolveWebhooks({ scheme: BODY_ONLY.scheme, secrets: [ended, ended] }, error);
    expect(boot).toThrow('`notAfter` has passed');
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
