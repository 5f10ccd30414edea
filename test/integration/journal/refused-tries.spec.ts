import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import {
  memoryStorage,
  type JournalRecord,
  type PaymentOutcome,
  type PaymentsStorage,
} from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { collectionRecord, collectionRequest, envelope } from '../../support/gateway-answers.js';
import {
  json,
  reset,
  startMisbehavingGateway,
  type MisbehavingGateway,
} from '../../support/misbehaving-gateway.js';
import { API_KEY, API_SECRET } from '../../support/merchant.js';
import { startPaymentsApp, type PaymentsApp } from '../../support/payments-app.js';
import { scheme, secret } from '../../support/webhook-app.js';

const KEY = {
  account: 'default',
  environment: 'sandbox',
  family: 'collection',
  reference: 'order-1',
} as const;
const FAILURES = ['failed', 'cancelled', 'expired'] as const;
const REFUSED = json({ message: 'no' }, 422);
const NAMED = { ...collectionRecord, provider_reference: 'PA-SECOND' };
const ACCEPTED = json(envelope(NAMED, 'PAYMENT_INITIATED'));

/** The gateway answered 422 without a code and may have made the payment all the same; the same call came again. */
describe('a failure of a try that was refused without a listed code', () => {
  let gateway: MisbehavingGateway;
  let storage: PaymentsStorage;
  let payments: PaymentsApp;
  let now: number;

  const pay = (): Promise<unknown> =>
    payments.collections.mobileMoney(collectionRequest).catch((error: unknown) => error);
  const record = async (): Promise<JournalRecord | undefined> => (await storage.journal.get(KEY))?.record;

  async function deliver(name: string, data: object = {}): Promise<number> {
    const { reference, amount } = collectionRequest;
    const event = paymentEvent(name, { reference, amount: amount, ...data });
    const body = JSON.stringify(event);
    const headers = { 'content-type': 'application/json', ...signWebhook({ scheme, secret, body }) };
    return (await fetch(payments.webhookUrl, { method: 'POST', headers, body })).status;
  }

  const expectSetAside = async (state: JournalRecord['state'], outcome?: PaymentOutcome): Promise<void> => {
    for (const failure of FAILURES) {
      expect(await deliver(`payment.${failure}`, { provider_reference: 'PA-FIRST' })).toBe(200);
      expect(await deliver(`payment.${failure}`, { provider_reference: null })).toBe(200);
    }
    expect(payments.seen.events).toEqual(['conflict', 'conflict', 'conflict']);
    const after = await record();
    expect([after?.state, after?.outcome]).toEqual([state, outcome]);
  };

  beforeEach(async () => {
    for (const level of ['error', 'warn'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation(() => {});
    now = 1_800_000_000_000;
    storage = memoryStorage({ now: () => now });
    gateway = await startMisbehavingGateway();
    payments = await startPaymentsApp({
      ...{ baseUrl: gateway.baseUrl, apiKey: API_KEY, apiSecret: API_SECRET, storage },
      webhooks: { scheme, secrets: [secret] },
      statusPaths: { collection: '/payments/{reference}' },
      probe: false,
    });
    gateway.answer(REFUSED, ACCEPTED);
    expect(await pay()).toMatchObject({ name: 'PaymentRejectedError', final: false });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await payments.app.close();
    await gateway.close();
  });

  it('leaves the payment open that the gateway accepted after it', async () => {
    await pay();
    await expectSetAside('accepted');
    expect(await deliver('payment.success', { provider_reference: 'PA-SECOND' })).toBe(200);
    expect(await record()).toMatchObject({ state: 'settled', outcome: 'success' });
    expect(payments.seen.events.at(-1)).toBe('payment.success');
  });

  it.each(FAILURES)('is told apart from the %s of the accepted one by its transaction', async (failure) => {
    await pay();
    expect(await deliver(`payment.${failure}`, { provider_reference: 'PA-SECOND' })).toBe(200);
    expect(payments.seen.events).toEqual([`payment.${failure}`]);
    expect(await record()).toMatchObject({ state: 'settled', outcome: failure });
  });

  it('cannot be told apart if the success answer names no transaction, and an operator releases it', async () => {
    const { provider_reference: _, ...unnamed } = NAMED;
    gateway.answer(json(envelope(unnamed, 'PAYMENT_INITIATED')));
    await pay();
    await expectSetAside('accepted');
    const [{ id } = { id: '' }] = await payments.inbox.conflicts();
    await payments.inbox.release(id);
    expect(await record()).toMatchObject({ state: 'settled' });
  });

  it.each(['status', 'operator'] as const)('takes no success back that the %s told', async (by) => {
    await pay();
    if (by === 'operator') await payments.journal.settle('collection', 'order-1', 'success');
    else {
      gateway.answer(json(envelope({ ...NAMED, status: 'success' })));
      now += 200_000;
      await payments.journal.recover();
    }
    expect(await record()).toMatchObject({ state: 'settled', outcome: 'success', settledBy: by });
    await expectSetAside('settled', 'success');
  });

  it('ends nothing that a webhook contradicted', async () => {
    await deliver('payment.refunded');
    expect(await record()).toMatchObject({ state: 'unknown', evidence: 'conflict' });
    await expectSetAside('unknown');
  });

  it('ends nothing of which the gateway has shown more than the operator knew who called it failed', async () => {
    gateway.answer(reset);
    expect(await pay()).toMatchObject({ name: 'PaymentOutcomeUnknownError' });
    await payments.journal.settle('collection', 'order-1', 'failed');
    await deliver('payment.refunded');
    expect(await record()).toMatchObject({ state: 'unknown', evidence: 'conflict' });
    await expectSetAside('unknown');
  });

  it('ends nothing by a status answer either', async () => {
    await pay();
    gateway.answer(json(envelope({ ...NAMED, provider_reference: 'PA-FIRST', status: 'failed' })));
    now += 200_000;
    await payments.journal.recover();
    expect(await record()).toMatchObject({ state: 'accepted' });
    gateway.answer(json(envelope({ ...NAMED, status: 'failed' })));
    await payments.journal.recover();
    expect(await record()).toMatchObject({ state: 'settled', outcome: 'failed', settledBy: 'status' });
  });

  it('frees the reference by the word of an operator for the next attempt, as any payment', async () => {
    gateway.answer(reset, ACCEPTED);
    await pay();
    await payments.journal.settle('collection', 'order-1', 'failed');
    now += 200_000;
    expect(await pay()).toMatchObject({ reference: 'order-1' });
    expect(await record()).toMatchObject({ state: 'accepted', attempt: 2 });
  });
});
