import { afterEach, beforeEach, expect, it } from 'vitest';
import { Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import {
  CollectionsService,
  DisbursementsService,
  OnPayment,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { paymentEvent } from 'nestjs-payments/testing';
import { bankRequest, collectionRequest } from '../../support/gateway-answers.js';
import { type MisbehavingGateway, startMisbehavingGateway } from '../../support/misbehaving-gateway.js';
import { eventually } from '../../support/eventually.js';
import { patientLibrary } from '../../support/patient-library.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../support/payments-database.js';
import { describeWith, postgresService } from '../../support/services.js';
import { deliver, paymentsOptions, startWebhookApp, type WebhookApp } from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';
import { accept } from '../../support/working-gateway.js';

const BURST = 40;
const POOL_SIZE = 10;
const numbers = Array.from({ length: BURST }, (_, index) => index);

/** Pays out of its handler, which takes a connection beside the one of the delivery. */
@Injectable()
class Payouts {
  running = 0;
  most = 0;
  /** What they wait for before they pay. */
  gate: Promise<void> = Promise.resolve();

  constructor(private readonly disbursements: DisbursementsService) {}

  @OnPayment('payment.success')
  async payOut({ data }: PaymentWebhookEvent): Promise<void> {
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    try {
      await this.gate;
      await this.disbursements.bank({ ...bankRequest, reference: `payout-${data.reference}` });
    } finally {
      this.running -= 1;
    }
  }
}

describeWith([postgresService], 'a burst of webhooks whose handlers pay, with a transaction each', () => {
  // The last of forty waits for a connection until the others are done.
  patientLibrary();
  let database: PaymentsDatabase;
  let gateway: MisbehavingGateway;
  let pool: Pool;
  let running: WebhookApp;

  beforeEach(async () => {
    database = await openPaymentsDatabase(postgresService.url);
    gateway = await startMisbehavingGateway();
    gateway.answer(accept);
    pool = database.connect({ max: POOL_SIZE });
    const storage = postgresStorage({ pool, schema: database.schema, transactional: true });
    running = await startWebhookApp('express', {
      controllers: [WebhooksController],
      providers: [Payouts],
      payments: [paymentsOptions({}, { storage, baseUrl: gateway.baseUrl })],
    });
  });
  afterEach(async () => {
    await running.app.close();
    await database.close();
    await gateway.close();
  });

  it('is handled whole, and payments beside it find a connection', async () => {
    const { app, port } = running;
    const burst = numbers.map((number) =>
      deliver(port, paymentEvent('payment.success', { reference: `order-${number}` })),
    );
    const payments = numbers.map((number) =>
      app.get(CollectionsService).mobileMoney({ ...collectionRequest, reference: `sale-${number}` }),
    );
    const settled = await Promise.allSettled(payments);
    expect(settled.filter(({ status }) => status === 'rejected')).toEqual([]);
    const answers = await Promise.all(burst);
    expect(answers.map(({ status }) => status)).toEqual(numbers.map(() => 200));
    expect(app.get(Payouts).most).toBe(POOL_SIZE / 2);
    expect(gateway.seen).toHaveLength(2 * BURST);
  });

  it('keeps no delivery waiting that has nothing to handle', async () => {
    const { app, port } = running;
    const payouts = app.get(Payouts);
    const handled = paymentEvent('payment.success', { reference: 'handled' });
    expect((await deliver(port, handled)).status).toBe(200);
    let open = (): void => undefined;
    payouts.gate = new Promise((resolve) => (open = resolve));
    const burst = numbers.map((number) =>
      deliver(port, paymentEvent('payment.success', { reference: `order-${number}` })),
    );
    await eventually(() => {
      expect(payouts.running).toBe(POOL_SIZE / 2);
    });
    const again = await deliver(port, handled);
    expect(again.status).toBe(200);
    expect(payouts.running).toBe(POOL_SIZE / 2);
    open();
    expect((await Promise.all(burst)).map(({ status }) => status)).toEqual(numbers.map(() => 200));
  });
});
