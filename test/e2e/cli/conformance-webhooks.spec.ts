import { afterEach, describe, expect, it } from 'vitest';
import { createHmac } from 'node:crypto';
import { hmac, standardWebhooks, stripeStyle, type WebhookScheme } from 'nestjs-payments';
import { callerOf } from '../../support/gateway-caller.js';
import {
  answerTo,
  concludeWebhooks,
  type Conclusion,
  FIVE_ENDINGS,
  stageWebhooks,
  strayLines,
  type WebhookStage,
  type WebhooksHeard,
} from '../../support/heard-webhooks.js';

const HEX_SECRET = 'ab'.repeat(24);
const WHSEC = `whsec_${Buffer.from('thirty-two random bytes, or not.').toString('base64')}`;
const BODY_IN_HEX = { header: 'x-s', algorithm: 'sha256', encoding: 'hex', payload: ['body'] } as const;
const TIME = { header: 'x-t', unit: 's', toleranceSeconds: 300 } as const;

let stage: WebhookStage;
afterEach(() => stage.stop());

const about = (heard: WebhooksHeard, question: string): Conclusion => answerTo(question, heard);

async function learnFrom(options: Parameters<typeof stageWebhooks>[0], payments = 2): Promise<WebhooksHeard> {
  stage = await stageWebhooks(options);
  for (const ending of FIVE_ENDINGS.slice(0, payments)) await stage.end(ending);
  return stage.hear();
}

/** Makes payments until a signature has one of the letters in which the kinds of base64 differ: one in seven has none. */
async function withLettersOfBase64Url(heard: WebhooksHeard): Promise<WebhooksHeard> {
  if (heard.deliveries.some(({ headers }) => /[-_]/.test(String(headers.get('x-s'))))) return heard;
  await stage.end('approve');
  return withLettersOfBase64Url(await stage.hear());
}

describe('the signature of webhooks', () => {
  it.each<[string, WebhookScheme | undefined, string | undefined, object]>([
    [
      'as the emulator signs',
      undefined,
      undefined,
      { ...BODY_IN_HEX, scheme: 'hmac', header: 'x-webhook-signature' },
    ],
    [
      'with SHA-512, base64 and a prefix',
      hmac({ ...BODY_IN_HEX, algorithm: 'sha512', encoding: 'base64', prefix: 'sha512=' }),
      undefined,
      { ...BODY_IN_HEX, scheme: 'hmac', algorithm: 'sha512', encoding: 'base64', prefix: 'sha512=' },
    ],
    [
      'with SHA-384 and base64url',
      hmac({ ...BODY_IN_HEX, algorithm: 'sha384', encoding: 'base64url' }),
      undefined,
      { ...BODY_IN_HEX, scheme: 'hmac', algorithm: 'sha384', encoding: 'base64url' },
    ],
    [
      'over a time and the body',
      hmac({ ...BODY_IN_HEX, timestamp: TIME, payload: ['timestamp', { literal: '.' }, 'body'] }),
      undefined,
      {
        ...BODY_IN_HEX,
        scheme: 'hmac',
        timestamp: { header: 'x-t', unit: 's' },
        payload: ['timestamp', { literal: '.' }, 'body'],
      },
    ],
    [
      'over a version, an ISO time and the body',
      hmac({
        ...BODY_IN_HEX,
        timestamp: { ...TIME, unit: 'iso' },
        payload: [{ literal: 'v0:' }, 'timestamp', { literal: ':' }, 'body'],
      }),
      undefined,
      {
        ...BODY_IN_HEX,
        scheme: 'hmac',
        timestamp: { header: 'x-t', unit: 'iso' },
        payload: [{ literal: 'v0:' }, 'timestamp', { literal: ':' }, 'body'],
      },
    ],
    [
      'with a secret in hex',
      { ...hmac(BODY_IN_HEX), secretForm: { encoding: 'hex' } },
      HEX_SECRET,
      { ...BODY_IN_HEX, scheme: 'hmac', secretEncoding: 'hex' },
    ],
    ['by Standard Webhooks', standardWebhooks(), WHSEC, { scheme: 'standardWebhooks' }],
    [
      'by Standard Webhooks with other names',
      standardWebhooks({ prefix: 'svix' }),
      WHSEC,
      { scheme: 'standardWebhooks', prefix: 'svix' },
    ],
    ['as Stripe does', stripeStyle({ header: 'X-S' }), undefined, { scheme: 'stripeStyle', header: 'x-s' }],
    [
      'nearly as Stripe does',
      stripeStyle({ header: 'x-s', unit: 'ms', signatureKey: 's', separator: ':' }),
      undefined,
      { scheme: 'stripeStyle', header: 'x-s', unit: 'ms', signatureKey: 's', separator: ':' },
    ],
  ])('is learnt if it is made %s', async (_, webhookScheme, webhookSecret, expected) => {
    const learnt = await learnFrom({
      ...(webhookScheme && { webhookScheme }),
      ...(webhookSecret !== undefined && { webhookSecret }),
    });
    const isBase64Url = 'encoding' in expected && expected.encoding === 'base64url';
    const heard = isBase64Url ? await withLettersOfBase64Url(learnt) : learnt;
    expect(concludeWebhooks(heard).webhooks).toEqual(expected);
    expect(about(heard, 'webhook signature')).toMatchObject({ verdict: 'learnt', option: 'webhooks.scheme' });
    expect(about(heard, 'webhook headers').verdict).toBe('held');
  });

  it('tells how far its time is from the arrival, and whether a redelivery is signed again', async () => {
    const heard = await learnFrom({ webhookScheme: stripeStyle({ header: 'x-s' }) });
    const { says } = about(heard, 'webhook signature');
    expect(says).toMatch(/, over time and body; webhooks came (?:-?\d to )?\d s after the signed time$/);
    expect(about(heard, 'repeated webhook').says).toMatch(
      /^a webhook that comes again has the same bytes and /,
    );
  });

  it.each([
    ['past', -10_800_000, '1080[0-9]'],
    ['future', 10_800_000, '-10(?:800|79[0-9])'],
  ])('differs if every time of it is three hours in the %s', async (_, skewMs, seconds) => {
    const scheme = stripeStyle({ header: 'x-s' });
    const sign: WebhookScheme['sign'] = (input) => scheme.sign?.({ ...input, now: input.now + skewMs }) ?? {};
    const heard = await learnFrom({ webhookScheme: { ...scheme, sign } });
    const { verdict, says } = about(heard, 'webhook signature');
    expect(verdict).toBe('differs');
    expect(says).toMatch(
      new RegExp(
        `, over time and body; webhooks came (?:${seconds} to )?${seconds} s after the signed time, and the package takes 300 s at most$`,
      ),
    );
    expect(concludeWebhooks(heard).webhooks).toBeUndefined();
  });

  it('is not learnt from the same bytes twice, from one payment, or with another secret', async () => {
    const heard = await learnFrom({}, 1);
    expect(heard.deliveries.length).toBeGreaterThan(1);
    expect(concludeWebhooks(heard).webhooks).toBeUndefined();
    expect(about(heard, 'webhook signature')).toMatchObject({ verdict: 'silent' });
    await stage.end('approve');
    const more = await stage.hear(['a secret that nobody signs with']);
    expect(concludeWebhooks(more).webhooks).toBeUndefined();
    expect(about(more, 'webhook signature')).toMatchObject({
      verdict: 'silent',
      evidence: [expect.stringMatching(/^webhook-/), expect.stringMatching(/^webhook-/)] as string[],
    });
    expect(about({ ...more, secrets: [] }, 'webhook signature').says).toBe('needs PAYMENTS_WEBHOOK_SECRET');
    expect(concludeWebhooks(await stage.hear()).webhooks).toBeDefined();
  });

  it.each([
    ['is learnt while two secrets sign in turn', 'x-webhook-signature', 'learnt', /over the body$/],
    [
      'differs if there are two ways',
      'x-s',
      'differs',
      /^some webhooks are signed as .*, others in another way$/,
    ],
  ])('%s', async (_, header, verdict, says) => {
    stage = await stageWebhooks();
    await stage.end('approve');
    await stage.end('decline');
    const other = 'another secret that signs too';
    const { sign } = hmac({ ...BODY_IN_HEX, header });
    const body = '{"event":"payment.success","data":{"reference":"asked-0"}}';
    await post(body, sign?.({ body: Buffer.from(body), key: Buffer.from(other), now: 0 }) ?? {});
    const heard = await stage.hear([other, stage.sandbox.webhookSecret]);
    expect(about(heard, 'webhook signature')).toMatchObject({
      verdict,
      says: expect.stringMatching(says) as string,
    });
  });

  it.each<[string, WebhookScheme, (headers: Readonly<Record<string, string>>) => object, RegExp]>([
    [
      'two headers have the signed time',
      hmac({ ...BODY_IN_HEX, timestamp: TIME, payload: ['timestamp', { literal: '.' }, 'body'] }),
      ({ 'x-t': time }) => ({ 'a-t': time }),
      /^two ways of reading the signature fit: .*, time in a-t, or .*, time in x-t$/,
    ],
    [
      'two headers have the signature',
      hmac(BODY_IN_HEX),
      ({ 'x-s': signature }) => ({ 'a-s': signature }),
      /^two ways of reading the signature fit: .*, a-s, over the body, or .*, x-s, over the body$/,
    ],
  ])('is silent if %s', async (_, scheme, more, says) => {
    const sign: WebhookScheme['sign'] = (input) => {
      const headers = scheme.sign?.(input) ?? {};
      return { ...more(headers), ...headers };
    };
    const heard = await learnFrom({ webhookScheme: { ...scheme, sign } });
    const conclusion = about(heard, 'webhook signature');
    expect(conclusion).toMatchObject({ verdict: 'silent', says: expect.stringMatching(says) as string });
    expect(conclusion.evidence).toHaveLength(2);
    expect(concludeWebhooks(heard).webhooks).toBeUndefined();
  });

  it.each<[string, (body: Uint8Array, key: Uint8Array) => Buffer, RegExp]>([
    [
      'SHA-1',
      (body, key) => createHmac('sha1', key).update(body).digest(),
      /^the package refuses it: HMAC-SHA1$/,
    ],
    [
      'another body',
      (body, key) => createHmac('sha256', key).update(body).update('\n').digest(),
      /^the package refuses it: the signature is that of the body with a line break at its end$/,
    ],
  ])('differs if it is that of %s', async (_, signatureOf, says) => {
    const sign: WebhookScheme['sign'] = ({ body, key }) => ({
      'x-s': signatureOf(body, key).toString('hex'),
    });
    const heard = await learnFrom({ webhookScheme: { ...hmac(BODY_IN_HEX), sign } });
    expect(about(heard, 'webhook signature')).toMatchObject({
      verdict: 'differs',
      says: expect.stringMatching(says) as string,
    });
    expect(concludeWebhooks(heard).webhooks).toBeUndefined();
  });
});

describe('what strangers send', () => {
  it('is neither learnt from, nor kept, nor ends the listener, and may come again for its owner', async () => {
    stage = await stageWebhooks();
    const forged = '{"event":"payment.success","data":{"reference":"Asha Juma"}}';
    for (let copy = 0; copy < 250; copy += 1) {
      expect(await post(`${forged}${' '.repeat(copy)}`, { 'x-webhook-signature': 'aa' })).toBe(503);
    }
    expect(stage.listener.deliveries).toEqual([]);
    expect(await post('x'.repeat(70_000), {})).toBe(413);
    expect((await fetch(stage.url)).status).toBe(405);
    expect((await fetch(stage.url.replace('hooks', 'other'), { method: 'POST', body: '{}' })).status).toBe(
      404,
    );
    await stage.end('approve');
    await stage.end('decline');
    const heard = await stage.hear();
    expect(about(heard, 'webhook signature').verdict).toBe('learnt');
    expect(about(heard, 'event payment.success').verdict).toBe('held');
    expect(strayLines(stage.listener.strays)).toEqual([
      '1 POST came to another path: /other',
      '250 POSTs had the reference of somebody else and got 503, so that the gateway sends them again.',
    ]);
  });

  it('teaches nothing about the signature, however well it is signed', async () => {
    stage = await stageWebhooks();
    const { sign } = hmac({ ...BODY_IN_HEX, header: 'x-s' });
    for (const reference of ['theirs-1', 'theirs-2']) {
      const body = JSON.stringify({ event: 'payment.success', data: { reference } });
      const key = Buffer.from(stage.sandbox.webhookSecret);
      await post(body, sign?.({ body: Buffer.from(body), key, now: 0 }) ?? {});
    }
    expect(about(await stage.hear(), 'webhook signature')).toMatchObject({
      verdict: 'silent',
      says: 'no webhook of this run came',
    });
  });

  it.each(['', '[]', 'null', '{"data":7}', '{"event":{},"data":{"reference":[]}}', '\u0000\uFFFF', '{'])(
    'may be garbage: %j',
    async (garbage) => {
      stage = await stageWebhooks();
      expect(await post(garbage, { 'x-webhook-signature': garbage.replace(/[^\x20-\x7e]/g, '') })).toBe(200);
      const heard = await stage.hear();
      expect(concludeWebhooks(heard).conclusions.filter(({ verdict }) => verdict !== 'silent')).toEqual([]);
    },
  );
});

describe('the events', () => {
  it('are held for all four ends, and silent for payouts that have none', async () => {
    stage = await stageWebhooks();
    for (const ending of FIVE_ENDINGS) await stage.end(ending);
    stage.note('salary-1', 'payout');
    await callerOf(stage.sandbox).payToBank({ reference: 'salary-1' });
    await stage.sandbox.payout('salary-1').pay();
    const heard = await stage.hear();
    for (const end of ['success', 'failed', 'cancelled', 'expired']) {
      expect(about(heard, `event payment.${end}`)).toMatchObject({ verdict: 'held' });
    }
    expect(about(heard, 'declined payment').says).toBe(
      'a payment that its customer declines gives payment.failed',
    );
    expect(about(heard, 'other events').verdict).toBe('held');
    expect(about(heard, 'payout webhooks').says).toMatch(/^no webhook for payouts within \d+ (?:s|min)$/);
  });

  it.each([
    ['approve', 'payment.success'],
    ['expire', 'payment.expired'],
  ] as const)(
    'say nothing of a payment that was to be declined if the customer did %s',
    async (did, event) => {
      stage = await stageWebhooks();
      await stage.end(did);
      stage.note('asked-0', 'decline');
      expect(about(await stage.hear(), 'declined payment')).toMatchObject({
        verdict: 'silent',
        says: `the payment that was to be declined gave ${event}: nobody declined it`,
      });
    },
  );

  it('are waited for only if a person ends the payment and the gateway accepted it', async () => {
    stage = await stageWebhooks();
    stage.note('payout', 'payout');
    stage.note('unended', 'other');
    stage.note('refused', 'approve', 'unknown');
    stage.note('old', 'approve', 'earlier');
    const heard = await stage.hear();
    expect(heard.until).toBe(heard.from);
    expect(about(heard, 'event payment.success').says).toBe(
      'no payment was made that was to end as payment.success',
    );
    stage.note('made', 'approve');
    const waited = await stage.hear();
    expect(waited.until - waited.from).toBe(60_000);
    expect(about(waited, 'event payment.success').says).toBe('no payment.success within 60 s');
  });

  it('differ by the names of fields and headers, without a value', async () => {
    const scheme = hmac(BODY_IN_HEX);
    const sign: WebhookScheme['sign'] = (input) => ({ ...scheme.sign?.(input), 'x-odd': 'Asha' });
    stage = await stageWebhooks({ webhookScheme: { ...scheme, sign } });
    await stage.end('approve');
    stage.note('own', 'payout');
    await post(
      '{"event":"payout.paid","data":{"reference":"own","amount":5,"secret_name":"Asha","255712345678":1}}',
      {},
    );
    const heard = await stage.hear();
    expect(about(heard, 'webhook headers')).toMatchObject({
      verdict: 'differs',
      says: expect.stringMatching(/^webhooks have headers that are not known: .*x-odd/) as string,
    });
    const { says } = about(heard, 'payout events');
    expect(says).toContain(
      'payouts have the events payout.paid, but created_at is missing, data.amount has another',
    );
    expect(JSON.stringify(concludeWebhooks(heard))).not.toMatch(/Asha|255712345678/);
  });
});

async function post(body: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return (await fetch(stage.url, { method: 'POST', body, headers })).status;
}
