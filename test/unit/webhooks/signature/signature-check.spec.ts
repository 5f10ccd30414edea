import { performance } from 'node:perf_hooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { SafeLogger } from '../../../../lib/common/safe-logger.js';
import { type SignatureVerdict, type WebhookScheme } from '../../../../lib/common/webhook-scheme.js';
import { SignatureCheck } from '../../../../lib/webhooks/signature/signature-check.js';
import { customScheme } from '../../../../lib/webhooks/signature/custom-scheme.js';

const webhook = { headers: new Map(), body: Buffer.from('{}') };
const forever = { bytes: () => Buffer.from('key-one'), notAfter: undefined, isShort: false };
const warnings = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);

function check(verify: WebhookScheme['verify'], keys = [forever]): SignatureCheck {
  return new SignatureCheck(
    'default',
    { scheme: { name: 'own', verify }, keys },
    new SafeLogger('PaymentsWebhooks'),
  );
}

describe('SignatureCheck', () => {
  afterEach(() => {
    vi.useRealTimers();
    warnings.mockClear();
  });

  it.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['true', () => true],
    ['an ok that is only truthy', () => ({ ok: 1 })],
    ['a rejection', () => Promise.reject(new Error('with a secret'))],
    [
      'a throw',
      () => {
        throw new Error('with a secret');
      },
    ],
  ])('refuses when the scheme answers with %s', async (_what, answer) => {
    expect(await check(answer as () => SignatureVerdict).accepts(webhook)).toBe(false);
    expect(warnings.mock.calls.flat().join()).not.toContain('secret');
    const custom = customScheme({ name: 'own', verify: answer as () => SignatureVerdict });
    expect(await custom.verify(webhook, [], 0)).toMatchObject({ ok: false });
  });

  it('accepts a clear yes, now or later', async () => {
    expect(await check(() => ({ ok: true })).accepts(webhook)).toBe(true);
    expect(await check(() => Promise.resolve({ ok: true })).accepts(webhook)).toBe(true);
  });

  it('refuses without asking the scheme once no key is valid any more, and says why', async () => {
    vi.useFakeTimers({ now: 1_000 });
    const ended = [{ bytes: () => Buffer.from('ended'), notAfter: 999 }] as unknown as (typeof forever)[];
    expect(await check(() => ({ ok: true }), ended).accepts(webhook)).toBe(false);
    expect(warnings.mock.calls.flat().join()).toContain('`notAfter` of every secret has passed');
  });

  it('passes on only the keys that are still valid', async () => {
    vi.useFakeTimers({ now: 1_000 });
    const seen: string[] = [];
    const keys = [
      forever,
      { bytes: () => Buffer.from('ends-now'), notAfter: 1_000 },
      { bytes: () => Buffer.from('ended'), notAfter: 999 },
    ];
    await check(
      (_webhook, given) => {
        seen.push(...given.map((key) => Buffer.from(key).toString()));
        return { ok: true };
      },
      keys as (typeof forever)[],
    ).accepts(webhook);
    expect(seen).toEqual(['key-one', 'ends-now']);
  });

  it('reports refusals once a minute, with how many there were, also if the clock is set back', async () => {
    vi.useFakeTimers({ now: 1_000_000, toFake: ['Date'] });
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const subject = check(() => ({ ok: false, reason: 'no signature matches' }));
    for (let count = 0; count < 5; count += 1) await subject.accepts(webhook);
    expect(warnings).toHaveBeenCalledTimes(1);
    vi.setSystemTime(0);
    now.mockReturnValue(60_000);
    await subject.accepts(webhook);
    expect(warnings).toHaveBeenCalledTimes(2);
    expect(warnings.mock.lastCall?.[0]).toMatch(
      /no signature matches .*body of 2 bytes\) \(4 more since the last line\)/,
    );
    now.mockRestore();
  });
});

describe('customScheme()', () => {
  const verify = (): SignatureVerdict => ({ ok: true });

  it('signs if the application gives a sign function', () => {
    expect(customScheme({ name: 'own', verify })).not.toHaveProperty('sign');
    expect(customScheme({ name: 'own', verify, sign: () => ({ a: 'b' }) }).sign).toBeDefined();
  });

  it('keeps how its secrets are written', () => {
    const secretForm = { encoding: 'hex', minBytes: 8, maxBytes: 8 } as const;
    expect(customScheme({ name: 'own', verify, secretForm }).secretForm).toEqual(secretForm);
    expect(customScheme({ name: 'own', verify })).not.toHaveProperty('secretForm');
  });

  it.each([
    ['encoding', { encoding: 'latin1' }],
    ['prefix', { encoding: 'utf8', prefix: 1 }],
    ['minBytes', { encoding: 'utf8', minBytes: 0 }],
    ['minBytes', { encoding: 'utf8', minBytes: 1.5 }],
    ['maxBytes', { encoding: 'utf8', minBytes: 8, maxBytes: 7 }],
  ])('names the field %s of secretForm when it cannot be right', (field, secretForm) => {
    expect(() => customScheme({ name: 'own', verify, secretForm: secretForm as never })).toThrow(
      `The option secretForm.${field} of customScheme()`,
    );
  });

  it('names what is missing', () => {
    expect(() => customScheme({ name: ' ', verify })).toThrow('name');
    expect(() => customScheme({ name: 'own' } as never)).toThrow('verify');
  });
});
