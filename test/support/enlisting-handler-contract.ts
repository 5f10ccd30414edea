import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Injectable, Logger } from '@nestjs/common';
import {
  DisbursementsService,
  type JournalEntry,
  OnPayment,
  type PaymentEventContext,
  type PaymentsStorage,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { bankRequest } from './gateway-answers.js';
import { type MisbehavingGateway, startMisbehavingGateway } from './misbehaving-gateway.js';
import { type PaymentsApp, startPaymentsApp } from './payments-app.js';
import { scheme, secret } from './webhook-app.js';
import { accept } from './working-gateway.js';

/** What the handler throws after it has enlisted its payout. */
let failure: Error | undefined;

@Injectable()
class Refunds {
  constructor(private readonly payouts: DisbursementsService) {}

  @OnPayment('payment.success')
  async paid(_event: PaymentWebhookEvent, { transaction }: PaymentEventContext): Promise<void> {
    await this.payouts.enlistBank(transaction, bankRequest);
    if (failure) throw failure;
  }
}

/** What holds for a handler that enlists a payment in `context.transaction`. Call it inside a `describe`. */
export function enlistingHandlerContract(open: () => Promise<PaymentsStorage> | PaymentsStorage): void {
  let gateway: MisbehavingGateway;
  let app: PaymentsApp;

  beforeEach(async () => {
    for (const level of ['log', 'warn', 'error'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation(() => {});
    failure = undefined;
    gateway = await startMisbehavingGateway();
    gateway.answer(accept);
    const options = {
      baseUrl: gateway.baseUrl,
      apiKey: 'pk_test_demo',
      apiSecret: 'sk_test_demo',
      webhooks: { scheme, secrets: [secret] },
    };
    app = await startPaymentsApp({ ...options, storage: await open() }, [Refunds]);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await app.app.close();
    await gateway.close();
  });

  async function deliver(): Promise<number> {
    const body = JSON.stringify(paymentEvent('payment.success', { reference: 'order-1' }));
    const headers = { 'content-type': 'application/json', ...signWebhook({ scheme, secret, body }) };
    return (await fetch(app.webhookUrl, { method: 'POST', headers, body })).status;
  }
  const entry = (): Promise<JournalEntry | undefined> =>
    app.journal.get('disbursement', bankRequest.reference);

  it('is sent after the commit, once however often it is delivered', async () => {
    expect(await deliver()).toBe(200);
    await gateway.arrived(1);
    expect(await deliver()).toBe(200);
    expect(await app.disbursements.bank(bankRequest)).toMatchObject({ reference: bankRequest.reference });
    expect(gateway.seen).toHaveLength(1);
    expect(await entry()).toMatchObject({ state: 'accepted' });
  });

  it('leaves nothing behind if the handler throws, and is made by the next delivery', async () => {
    failure = new Error('after it was enlisted');
    expect(await deliver()).toBe(500);
    expect([await entry(), gateway.seen]).toEqual([undefined, []]);
    failure = undefined;
    expect(await deliver()).toBe(200);
    await gateway.arrived(1);
    expect(gateway.seen).toHaveLength(1);
  });
}
