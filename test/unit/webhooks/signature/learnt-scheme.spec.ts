import { describe, expect, it } from 'vitest';
import { type WebhookFacts } from '../../../../lib/gateway-profile/gateway-profile.js';
import { secretBytes, secretProblem } from '../../../../lib/common/webhook-secret.js';
import { learntKey, learntScheme } from '../../../../lib/webhooks/signature/learnt-scheme.js';

const HMAC = {
  scheme: 'hmac',
  header: 'x-s',
  algorithm: 'sha256',
  encoding: 'hex',
  payload: ['body'],
} as const;
const BODY = Buffer.from('{}');

describe('the scheme of a profile', () => {
  it.each<[WebhookFacts, string, string]>([
    [HMAC, 'a secret that is text alone', 'utf8'],
    [{ ...HMAC, secretEncoding: 'hex' }, 'ab'.repeat(20), 'hex'],
    [{ ...HMAC, secretEncoding: 'base64' }, Buffer.alloc(20, 7).toString('base64'), 'base64'],
    [{ scheme: 'stripeStyle', header: 'x-s', secretEncoding: 'hex' }, 'ab'.repeat(20), 'hex'],
    [{ scheme: 'standardWebhooks' }, Buffer.alloc(24, 7).toString('base64'), 'base64'],
    [{ scheme: 'standardWebhooks', secretEncoding: 'utf8' }, 'a secret of twenty-four bytes', 'utf8'],
  ])('reads a secret as the options do: %#', async (facts, secret, encoding) => {
    const scheme = learntScheme(facts);
    const key = learntKey(facts, secret);
    expect(Buffer.from(key)).toEqual(Buffer.from(secret, encoding as BufferEncoding));
    expect(Buffer.from(secretBytes({ value: secret }, scheme.secretForm))).toEqual(Buffer.from(key));
    const signed = scheme.sign?.({ body: BODY, key, now: 1_000 }) ?? {};
    const headers = new Map(Object.entries(signed).map(([name, value]) => [name, [value]]));
    expect(await scheme.verify({ headers, body: BODY }, [key], 1_000)).toEqual({ ok: true });
  });

  it("takes the emulator's own secret where secrets are base64", () => {
    const { secretForm } = learntScheme({ ...HMAC, secretEncoding: 'base64' });
    expect(secretProblem({ value: `whsec_${'0a'.repeat(16)}` }, secretForm)).toBeUndefined();
  });
});
