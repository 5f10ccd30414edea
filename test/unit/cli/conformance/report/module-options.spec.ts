import { describe, expect, it } from 'vitest';
import { createHmac } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import ts from 'typescript';
import { hmac, type PaymentsModuleOptions } from '../../../../../lib/index.js';
import {
  type GatewayProfile,
  type WebhookFacts,
} from '../../../../../lib/gateway-profile/gateway-profile.js';
import { moduleOptionsText } from '../../../../../lib/cli/conformance/report/module-options.js';

const textFor = (over: Partial<GatewayProfile>): string | undefined =>
  moduleOptionsText({ version: 1, observedAt: '2026-11-26T10:00:00.000Z', facts: {}, evidence: {}, ...over });

/** The options that the printed text gives to the module. */
function optionsOf(text: string): PaymentsModuleOptions {
  const [, body = ''] = ts.transpile(text, { target: ts.ScriptTarget.ES2022 }).split(/^import .*$/m);
  let given: PaymentsModuleOptions | undefined;
  const forRoot = (options: PaymentsModuleOptions): void => void (given = options);
  runInNewContext(body, { hmac, PaymentsModule: { forRoot }, process: { env: {} } });
  return given as unknown as PaymentsModuleOptions;
}

describe('the options of a profile', () => {
  it('are none if the defaults fit', () => {
    expect(textFor({})).toBeUndefined();
    expect(textFor({ facts: { 'smallest amount': 1, 'status of INVALID_BANK': 422 } })).toBeUndefined();
  });

  it('list refusals that come with HTTP 2xx', () => {
    const text = textFor({
      facts: {
        'status of INVALID_BANK': 200,
        'status of INVALID_PHONE': 299,
        'status of INVALID_NETWORK': 300,
      },
    });
    expect(optionsOf(text ?? '').refusalCodes).toEqual(['INVALID_BANK', 'INVALID_PHONE']);
  });

  it('say the smallest amount in TZS', () => {
    expect(optionsOf(textFor({ facts: { 'smallest amount': 50_005 } }) ?? '').limits).toEqual({
      collection: { min: '500.05' },
    });
  });

  it.each<WebhookFacts>([
    { header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: 'body' },
    { header: 'x-signature', algorithm: 'sha512', encoding: 'base64', prefix: "v1='", payload: 'body' },
    {
      header: 'x-signature',
      algorithm: 'sha256',
      encoding: 'hex',
      payload: 'timestamp.body',
      timestamp: { header: 'x-time', unit: 's' },
    },
  ])('verify what is signed in that way %#', async (webhooks) => {
    const { scheme } = optionsOf(textFor({ webhooks }) ?? '').webhooks ?? {};
    const [body, now] = [Buffer.from('{"event":"payment.success"}'), Date.parse('2026-11-26T10:00:00Z')];
    const time = String(now / 1_000);
    const signed = webhooks.timestamp ? `${time}.${body.toString()}` : body;
    const secret = Buffer.from('a secret of more than 16 bytes');
    const signature = createHmac(webhooks.algorithm, secret).update(signed).digest(webhooks.encoding);
    const headers = new Map([
      [webhooks.header, [`${webhooks.prefix ?? ''}${signature}`]],
      ['x-time', [time]],
    ]);
    const verdict = await scheme?.verify({ headers, body, method: 'POST', url: '/' }, [secret], now);
    expect(verdict).toEqual({ ok: true });
    const other = await scheme?.verify(
      { headers, body: Buffer.from('{}'), method: 'POST', url: '/' },
      [secret],
      now,
    );
    expect(other).toMatchObject({ ok: false });
  });
});
