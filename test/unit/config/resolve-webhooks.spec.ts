import { describe, expect, it } from 'vitest';
import { optionErrors } from '../../../lib/errors/option-errors.js';
import { resolveWebhooks } from '../../../lib/config/resolve-webhooks.js';
import { customScheme } from '../../../lib/webhooks/signature/custom-scheme.js';
import { hmac } from '../../../lib/webhooks/signature/hmac-scheme.js';
import { standardWebhooks } from '../../../lib/webhooks/signature/standard-webhooks.js';
import { stripeStyle } from '../../../lib/webhooks/signature/stripe-style.js';

const secrets = ['a-signing-secret-of-the-merchant'];
const bodyOnly = {
  header: 'x-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  payload: ['body'],
} as const;
const timed = hmac({
  ...bodyOnly,
  timestamp: { header: 'x-time', unit: 's', toleranceSeconds: 300 },
  payload: ['timestamp', 'body'],
});
const custom = { name: 'partner', verify: () => ({ ok: true }) as const };
const resolve = (options: object) => resolveWebhooks({ secrets, ...options }, optionErrors('default'));

describe('what is said at boot of old deliveries', () => {
  it.each([
    ['hmac-sha256', hmac(bodyOnly)],
    ['partner', customScheme(custom)],
    ['theirs', { name: 'theirs', verify: custom.verify }],
  ])('is that %s signs no time while handled ones are forgotten', (name, scheme) => {
    expect(resolve({ scheme, retentionDays: 7 })?.warnings).toEqual([
      `the scheme ${name} signs no time, so an attacker can replay an old delivery at any time, while PaymentsInbox.purge() forgets handled ` +
        'ones after 7 days (webhooks.retentionDays), and only the journal then knows that they were handled. Write ' +
        'retentionDays: Infinity, or a scheme with a signed time if the gateway sends one: the timestamp of hmac(), or signsTime ' +
        'of customScheme().',
    ]);
    expect(resolve({ scheme })?.warnings).toEqual([expect.stringContaining('after 30 days')]);
    expect(resolve({ scheme, retentionDays: Infinity })?.warnings).toEqual([]);
  });

  it.each([
    ['hmac() with a timestamp', timed],
    ['stripeStyle()', stripeStyle({ header: 'x-signature' })],
    ['customScheme() that says so', customScheme({ ...custom, signsTime: true })],
  ])('is nothing with %s', (_what, scheme) => {
    expect(resolve({ scheme })?.warnings).toEqual([]);
  });

  it('is nothing with standardWebhooks()', () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    expect(resolve({ scheme: standardWebhooks(), secrets: [key] })?.warnings).toEqual([]);
  });

  it('takes signsTime for nothing but true or false', () => {
    expect(() => customScheme({ ...custom, signsTime: 'yes' as never })).toThrow('signsTime');
  });
});

describe('how long handled outcomes are kept', () => {
  it.each([
    [undefined, 30 * 86_400_000],
    [1, 86_400_000],
    [Infinity, Infinity],
  ])('is %s days: %d ms', (retentionDays, retentionMs) => {
    expect(resolve({ scheme: timed, retentionDays })?.retentionMs).toBe(retentionMs);
  });

  it.each([0, -1, 1.5, 36_501, -Infinity, NaN, '30'])('is not %p days', (retentionDays) => {
    expect(() => resolve({ scheme: timed, retentionDays })).toThrow('webhooks.retentionDays');
  });
});

describe('unknownReferences', () => {
  it.each(['handle', 'set-aside', 'acknowledge'])('may be %s', (unknownReferences) => {
    expect(resolve({ scheme: timed, unknownReferences })?.unknownReferences).toBe(unknownReferences);
  });

  it('is handle unless the options say otherwise, and nothing else', () => {
    expect(resolve({ scheme: timed })?.unknownReferences).toBe('handle');
    expect(() => resolve({ scheme: timed, unknownReferences: 'drop' })).toThrow(
      "webhooks.unknownReferences` is not known: write 'handle' or 'set-aside' or 'acknowledge'",
    );
  });
});
