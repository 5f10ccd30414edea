import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { customScheme, hmac } from 'nestjs-payments';
import { callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.js';
import { type SandboxStage, setSandboxStage } from '../../support/sandbox-stage.js';

const { phone } = COLLECTION;

describe("the emulator's webhooks", () => {
  let receiver: WebhookReceiver;
  let stage: SandboxStage;
  let sandbox: PaymentsSandbox;
  let gateway: SandboxStage['gateway'];

  beforeEach(async () => {
    stage = await setSandboxStage();
    ({ sandbox, gateway, receiver } = stage);
  });

  afterEach(() => stage.close());

  it.each([
    ['approve', 'success'],
    ['decline', 'failed'],
    ['cancel', 'cancelled'],
    ['expire', 'expired'],
  ] as const)('tell what %s led to, once, with the payload of the specification', async (action, status) => {
    await gateway.collect({ metadata: { cart: 7 } });
    const payment = await sandbox.customer(phone)[action]('order-1');

    expect(payment.status).toBe(status);
    expect(receiver.received).toHaveLength(1);
    expect(JSON.parse(receiver.received[0]!.body.toString())).toEqual({
      event: `payment.${status}`,
      created_at: '2026-01-01T09:00:00.000Z',
      data: {
        reference: 'order-1',
        amount: '15000.00',
        currency: 'TZS',
        status,
        customer_name: COLLECTION.customer_name,
        customer_email: COLLECTION.customer_email,
        customer_phone: phone,
        channel: 'NET_SIX',
        provider_reference: payment.provider_reference,
        metadata: { cart: 7 },
      },
    });
  });

  it('are signed over the exact body with the secret of moduleOptions()', async () => {
    await gateway.collect();
    await sandbox.customer(phone).approve('order-1');

    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[number]];
    const secret = sandbox.moduleOptions().webhooks?.secrets[0] as string;
    expect(headers['x-webhook-signature']).toBe(createHmac('sha256', secret).update(body).digest('hex'));
    expect(headers['content-type']).toBe('application/json');
  });

  it('carry a signature time by the real clock, whatever the sandbox clock says', async () => {
    const scheme = hmac({
      header: 'x-signature',
      algorithm: 'sha256',
      encoding: 'hex',
      timestamp: { header: 'x-timestamp', unit: 's', toleranceSeconds: 300 },
      payload: ['timestamp', { literal: '.' }, 'body'],
    });
    const other = await startSandbox({ clock: 'manual', webhookScheme: scheme });
    other.deliverTo(receiver.url);
    await callerOf(other).collect();
    await other.clock.advance('15m');

    const { headers } = receiver.received[0]!;
    expect(Math.abs(Number(headers['x-timestamp']) - Date.now() / 1_000)).toBeLessThan(10);
    await other.stop();
  });

  it('are signed over their own headers, if the scheme signs a header', async () => {
    const scheme = hmac({
      header: 'x-signature',
      algorithm: 'sha256',
      encoding: 'hex',
      payload: [{ header: 'Content-Type' }, { literal: '.' }, { header: 'user-agent' }, 'id', 'url', 'body'],
      id: { header: 'x-id' },
    });
    const other = await startSandbox({ clock: 'manual', webhookScheme: scheme });
    other.deliverTo(receiver.url);
    await callerOf(other).collect();
    await other.customer(phone).approve('order-1');

    const { headers, body } = receiver.received[0]!;
    const { pathname, search } = new URL(receiver.url);
    const webhook = {
      headers: new Map(Object.entries(headers).map(([name, value]) => [name, [value].flat() as string[]])),
      body,
      url: pathname + search,
    };
    const key = Buffer.from(other.webhookSecret);
    expect(await scheme.verify(webhook, [key], Date.now())).toEqual({ ok: true });
  });

  it('are signed by a scheme that gives the header that it signs by itself', async () => {
    const webhookScheme = customScheme({
      name: 'shop',
      requiredHeaders: ['x-shop'],
      verify: () => ({ ok: true }),
      sign: ({ headers }) => ({ 'x-shop': headers?.['x-shop'] ?? 'demo' }),
    });
    const other = await startSandbox({ clock: 'manual', webhookScheme });
    other.deliverTo(receiver.url);
    await callerOf(other).collect();
    await other.customer(phone).approve('order-1');
    expect(receiver.received.at(-1)?.headers['x-shop']).toBe('demo');
  });

  it('are refused at the start, if the scheme signs a header that none of them has', async () => {
    const webhookScheme = hmac({
      header: 'x-signature',
      algorithm: 'sha256',
      encoding: 'hex',
      payload: [{ header: 'content-type' }, { header: 'X-Shop' }, 'body'],
    });
    await expect(startSandbox({ webhookScheme })).rejects.toThrow(
      'Sandbox option webhookScheme signs the header x-shop, which no webhook of the emulator has: sign content-type or user-agent, or no header.',
    );
  });

  it('come again by the schedule, byte for byte the same, until one is answered 200', async () => {
    receiver.answerWith(500, 302, 201, 200);
    await gateway.collect();
    await sandbox.customer(phone).approve('order-1');
    expect(sandbox.deliveries()).toMatchObject([
      { state: 'waiting', next_attempt_at: '2026-01-01T09:00:05.000Z' },
    ]);

    await sandbox.clock.advance('4s');
    expect(receiver.received).toHaveLength(1);
    await sandbox.clock.advance('1s');
    expect(receiver.received).toHaveLength(2);
    await sandbox.clock.advance('6h');

    expect(receiver.received).toHaveLength(4);
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1);
    expect(sandbox.deliveries()).toMatchObject([
      {
        state: 'delivered',
        status: 200,
        next_attempt_at: null,
        attempts: [
          { number: 1, status: 500, problem: 'answered 500 instead of 200', at: '2026-01-01T09:00:00.000Z' },
          { number: 2, status: 302, problem: 'answered 302: redirects are not followed' },
          { number: 3, status: 201, problem: 'answered 201 instead of 200', at: '2026-01-01T09:05:05.000Z' },
          { number: 4, status: 200, problem: null, at: '2026-01-01T09:35:05.000Z' },
        ],
      },
    ]);
  });

  it('give up after the eighth try', async () => {
    receiver.answerWith(500);
    await gateway.collect();
    await sandbox.customer(phone).approve('order-1');
    await sandbox.clock.advance('3d');

    expect(receiver.received).toHaveLength(8);
    expect(sandbox.deliveries()).toMatchObject([{ state: 'exhausted', status: 500, next_attempt_at: null }]);
  });

  it('name the reason when nothing listens', async () => {
    const gone = await startReceiver();
    await gone.close();
    sandbox.deliverTo(gone.url);
    await gateway.collect();
    await sandbox.customer(phone).approve('order-1');

    const [delivery] = sandbox.deliveries();
    expect(delivery?.attempts[0]?.problem).toContain('nothing listens at 127.0.0.1:');
  });

  it('name the reason when nobody answers in time', async () => {
    const hasty = await startSandbox({ webhookTimeoutMs: 30 });
    receiver.answerWith('never');
    hasty.deliverTo(receiver.url);
    await callerOf(hasty).collect();
    await hasty.customer(phone).approve('order-1');

    expect(hasty.deliveries()[0]?.attempts[0]?.problem).toBe('no answer within 30 ms');
  });

  it('name the reason when the scheme cannot sign, and the clock continues', async () => {
    const scheme = customScheme({
      name: 'broken',
      verify: () => ({ ok: false, reason: 'never' }),
      sign: () => {
        throw new Error('no key');
      },
    });
    const broken = await startSandbox({ clock: 'manual', webhookScheme: scheme });
    broken.deliverTo(receiver.url);
    await callerOf(broken).collect();
    await broken.clock.advance('15m');
    await broken.clock.advance('5s');

    expect(broken.deliveries()[0]?.attempts).toMatchObject([
      { status: null, problem: 'it could not be signed: no key' },
      { status: null, problem: 'it could not be signed: no key' },
    ]);
  });

  it('keep the query of the address', async () => {
    await gateway.collect();
    await sandbox.customer(phone).approve('order-1');
    expect(sandbox.deliveries()[0]?.url).toContain('?shop=1&till=2');
  });

  it('are skipped while there is no address', async () => {
    const quiet = await startSandbox({ clock: 'manual' });
    await callerOf(quiet).collect();
    await quiet.customer(phone).approve('order-1');

    expect(quiet.deliveries()).toMatchObject([{ state: 'skipped', url: null, attempts: [] }]);
  });

  it('go to this machine only, unless told otherwise', async () => {
    expect(() => {
      sandbox.deliverTo('http://10.0.0.7/hook');
    }).toThrow('not on this machine');
    expect(() => {
      sandbox.deliverTo('127.0.0.1:3000');
    }).toThrow('must be a whole http: address');
    expect(() => {
      sandbox.deliverTo('http://me:pass@127.0.0.1:3000/');
    }).toThrow('no password');

    const remote = await startSandbox({ allowRemoteWebhooks: true });
    expect(() => {
      remote.deliverTo(new URL('https://example.com/hook'));
    }).not.toThrow();
  });

  it('are not sent for payouts', async () => {
    await gateway.payToBank();
    await sandbox.payout('salary-1').pay();
    expect(sandbox.deliveries()).toEqual([]);
  });

  it('stop with reset, also those that are due later', async () => {
    receiver.answerWith(500);
    await gateway.collect();
    await sandbox.customer(phone).approve('order-1');
    await sandbox.reset();
    await sandbox.clock.advance('1d');

    expect(receiver.received).toHaveLength(1);
    expect(sandbox.deliveries()).toEqual([]);
  });

  it('are given up by stop while the application still works on one', async () => {
    receiver.answerWith('never');
    const patient = await startSandbox();
    patient.deliverTo(receiver.url);
    await callerOf(patient).collect();
    const approved = patient.customer(phone).approve('order-1');
    await patient.stop();
    await expect(approved).resolves.toMatchObject({ status: 'success' });
  });
});
