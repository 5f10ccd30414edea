import { describe, expect, it } from 'vitest';
import { runInNewContext } from 'node:vm';
import ts from 'typescript';
import {
  hmac,
  memoryStorage,
  type PaymentsModuleOptions,
  standardWebhooks,
  stripeStyle,
} from '../../../../../lib/index.js';
import {
  type GatewayProfile,
  type WebhookFacts,
} from '../../../../../lib/gateway-profile/gateway-profile.js';
import { type GatewayFacts, REFUSAL_FACTS } from '../../../../../lib/gateway-profile/facts.js';
import { resolveOptions } from '../../../../../lib/config/resolve-options.js';
import { learntScheme } from '../../../../../lib/webhooks/signature/learnt-scheme.js';
import { moduleOptionsText } from '../../../../../lib/cli/conformance/report/module-options.js';

const KEYS = {
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_test_a',
  apiSecret: 'sk_test_a',
  storage: memoryStorage(),
};
const textFor = (over: Partial<GatewayProfile>): string | undefined =>
  moduleOptionsText({ version: 1, observedAt: '2026-11-26T10:00:00.000Z', facts: {}, evidence: {}, ...over });

const BODY_IN_HEX: WebhookFacts = {
  scheme: 'hmac',
  header: 'x-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  payload: ['body'],
};

/** The options that the printed text gives to the module. */
function optionsOf(text: string): PaymentsModuleOptions {
  const [, body = ''] = ts.transpile(text, { target: ts.ScriptTarget.ES2022 }).split(/^import .*$/m);
  let given: PaymentsModuleOptions | undefined;
  const forRoot = (options: PaymentsModuleOptions): void => void (given = options);
  runInNewContext(body, {
    hmac,
    standardWebhooks,
    stripeStyle,
    PaymentsModule: { forRoot },
    process: { env: {} },
  });
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

  it('boot, whatever refusal comes with HTTP 2xx, and list none after which money may have moved', () => {
    const statuses = Object.fromEntries(REFUSAL_FACTS.map((code) => [`status of ${code}`, 200]));
    const codesWith = (facts: GatewayFacts): readonly string[] => {
      const { refusalCodes = [] } = optionsOf(textFor({ facts: { ...statuses, ...facts } }) ?? '');
      return [...resolveOptions({ ...KEYS, refusalCodes: [...refusalCodes] }).refusalCodes];
    };
    const others = REFUSAL_FACTS.filter(
      (code) => !/^DUPLICATE|^INVALID_REQUEST$|^PROVIDER_ERROR$/.test(code),
    );
    expect(codesWith({})).toEqual(others);
    expect(codesWith({ 'repeated key, other body': 'INVALID_REQUEST' })).toEqual(others);
    expect(codesWith({ 'repeated key, other body': 'DUPLICATE_REQUEST' })).toEqual([
      'INVALID_REQUEST',
      ...others,
    ]);
  });

  it('say the smallest amount in TZS', () => {
    expect(optionsOf(textFor({ facts: { 'smallest amount': 50_005 } }) ?? '').limits).toEqual({
      collection: { min: '500.05' },
    });
  });

  it.each<[WebhookFacts, boolean]>([
    [{ scheme: 'standardWebhooks' }, true],
    [{ scheme: 'stripeStyle', header: 'x-signature' }, true],
    [{ ...BODY_IN_HEX, timestamp: { header: 'x-t', unit: 's' }, payload: ['timestamp', 'body'] }, true],
    [BODY_IN_HEX, false],
  ])('say what a tolerance has to cover if redeliveries keep their signed time %#', (webhooks, isSaid) => {
    const text = textFor({ webhooks, facts: { 'repeated webhook': 'as before' } }) ?? '';
    expect(text.includes('// Let toleranceSeconds cover all tries of a webhook')).toBe(isSaid);
    expect(text.includes('toleranceSeconds: 300')).toBe(isSaid);
    expect(optionsOf(text).webhooks?.scheme.name).toBeDefined();
    const again = textFor({ webhooks, facts: { 'repeated webhook': 'signed again' } });
    expect(again).not.toContain('of its first try');
  });

  it.each<[WebhookFacts]>([
    [BODY_IN_HEX],
    [
      {
        scheme: 'hmac',
        header: 'x-signature',
        algorithm: 'sha512',
        encoding: 'base64',
        prefix: "v1\\'",
        payload: ['id', { literal: '.' }, 'timestamp', { literal: ':' }, 'body'],
        timestamp: { header: 'x-time', unit: 'ms' },
        id: { header: 'x-id' },
        secretEncoding: 'hex',
      },
    ],
    [{ scheme: 'standardWebhooks' }],
    [{ scheme: 'standardWebhooks', prefix: 'svix', secretEncoding: 'utf8' }],
    [{ scheme: 'stripeStyle', header: 'x-signature' }],
    [{ scheme: 'stripeStyle', header: 'x-signature', unit: 'ms', signatureKey: 's', separator: ':' }],
  ])('verify what is signed in that way %#', async (webhooks) => {
    const { scheme, secrets } = optionsOf(textFor({ webhooks }) ?? '').webhooks ?? {};
    expect(secrets).toEqual([
      webhooks.secretEncoding === undefined ? '' : { value: '', encoding: webhooks.secretEncoding },
    ]);
    const [body, now] = [Buffer.from('{"event":"payment.success"}'), Date.parse('2026-11-26T10:00:00Z')];
    const key = Buffer.from('a secret of more than 16 bytes');
    const signed = learntScheme(webhooks).sign?.({ body, key, now }) ?? {};
    const headers = new Map(Object.entries(signed).map(([name, value]) => [name, [value]]));
    expect(await scheme?.verify({ headers, body }, [key], now)).toEqual({ ok: true });
    expect(await scheme?.verify({ headers, body: Buffer.from('{}') }, [key], now)).toMatchObject({
      ok: false,
    });
  });
});
