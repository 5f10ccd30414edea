import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { type SignatureVerdict, type WebhookScheme } from '../../../../lib/common/webhook-scheme.js';
import { SignatureCheck } from '../../../../lib/webhooks/delivery/signature.check.js';
import { customScheme } from '../../../../lib/webhooks/schemes/custom.scheme.js';

const webhook = { headers: new Map(), body: Buffer.from('{}') };
const forever = { bytes: Buffer.from('key-one'), notAfter: undefined };
const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);

function check(verify: WebhookScheme['verify'], keys = [forever]): SignatureCheck {
  return new SignatureCheck('default', { scheme: { name: 'own', verify }, keys });
}

describe('SignatureCheck', () => {
  afterEach(() => {
    jest.useRealTimers();
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
    jest.useFakeTimers({ now: 1_000 });
    const ended = [{ bytes: Buffer.from('ended'), notAfter: 999 }] as unknown as (typeof forever)[];
    expect(await check(() => ({ ok: true }), ended).accepts(webhook)).toBe(false);
    expect(warnings.mock.calls.flat().join()).toContain('`notAfter` of every secret has passed');
  });

  it('passes on only the keys that are still valid', async () => {
    jest.useFakeTimers({ now: 1_000 });
    const seen: string[] = [];
    const keys = [
      forever,
      { bytes: Buffer.from('ends-now'), notAfter: 1_000 },
      { bytes: Buffer.from('ended'), notAfter: 999 },
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

  it('reports refusals once a minute, with how many there were', async () => {
    jest.useFakeTimers({ now: 1_000_000 });
    const subject = check(() => ({ ok: false, reason: 'no signature matches' }));
    for (let count = 0; count < 5; count += 1) await subject.accepts(webhook);
    expect(warnings).toHaveBeenCalledTimes(1);
    jest.setSystemTime(1_060_000);
    await subject.accepts(webhook);
    expect(warnings).toHaveBeenCalledTimes(2);
    expect(warnings.mock.lastCall?.[0]).toMatch(/no signature matches .*body of 2 bytes, 5 since/);
  });
});

describe('customScheme()', () => {
  it('signs where it can', () => {
    const verify = (): SignatureVerdict => ({ ok: true });
    expect(customScheme({ name: 'own', verify })).not.toHaveProperty('sign');
    expect(customScheme({ name: 'own', verify, sign: () => ({ a: 'b' }) }).sign).toBeDefined();
  });

  it('names what is missing', () => {
    const verify = (): SignatureVerdict => ({ ok: true });
    expect(() => customScheme({ name: ' ', verify })).toThrow('name');
    expect(() => customScheme({ name: 'own' } as never)).toThrow('verify');
  });
});
