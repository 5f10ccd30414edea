import { afterEach, expect, it, vi } from 'vitest';
import { Controller, Injectable } from '@nestjs/common';
import {
  memoryStorage,
  OnPayment,
  PaymentsJournal,
  type PaymentWebhookEvent,
  PaymentsWebhook,
} from 'nestjs-payments';
import { PaymentsQueueModule } from 'nestjs-payments/bullmq';
import { paymentEvent } from 'nestjs-payments/testing';
import { failLogger } from '../../support/failing-logger.js';
import { journalRecord } from '../../support/journal-contract.js';
import {
  adapters,
  deliver,
  paymentsOptions,
  startWebhookApp,
  type WebhookApp,
  type WebhookAppOptions,
} from '../../support/webhook-app.js';

@Injectable()
class Orders {
  fails = false;
  readonly paid: string[] = [];

  @OnPayment('payment.success')
  success({ data }: PaymentWebhookEvent): void {
    if (this.fails) throw new Error('no such order');
    this.paid.push(data.reference);
  }
}

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('payments')
  received(): void {}
}

let started: WebhookApp | undefined;

afterEach(async () => {
  vi.restoreAllMocks();
  await started?.app.close();
  started = undefined;
});

async function start(
  adapter: (typeof adapters)[number],
  options: WebhookAppOptions = {},
): Promise<WebhookApp> {
  const metadata = { controllers: [WebhooksController], providers: [Orders] };
  return (started = await startWebhookApp(adapter, { ...metadata, ...options }));
}

it.each(adapters)('a logger that throws stops no boot on %s', async (adapter) => {
  failLogger();
  const live = { apiKey: 'pk_live_shop', apiSecret: 'sk_live_shop', storage: memoryStorage() };
  const queue = PaymentsQueueModule.forRoot({
    connection: { host: '127.0.0.1', port: 1 },
    worker: false,
  });
  const payments = [paymentsOptions({ unknownReferences: 'acknowledge', retentionDays: 1 }, live)];
  expect((await start(adapter, { payments, imports: [queue] })).port).toBeGreaterThan(0);
});

it.each(adapters)('a logger that throws changes no answer to a webhook on %s', async (adapter) => {
  const { app, port } = await start(adapter);
  failLogger();
  const orders = app.get(Orders);
  const event = paymentEvent('payment.success');
  expect((await deliver(port, event, { headers: { 'x-webhook-signature': 'forged' } })).status).toBe(401);
  expect((await deliver(port, 'no JSON')).status).toBe(400);
  orders.fails = true;
  expect((await deliver(port, event)).status).toBe(500);
  orders.fails = false;
  expect((await deliver(port, event)).status).toBe(200);
  expect((await deliver(port, { ...event, event: 'payment.failed' })).status).toBe(200);
  expect(orders.paid).toEqual([event.data.reference]);
});

it('a logger that throws ends no run of recover(), and every stale payment is announced', async () => {
  let now = 1_800_000_000_000;
  const storage = memoryStorage({ now: () => now });
  const announced: string[] = [];
  const { app } = await start('express', {
    payments: [paymentsOptions({}, { storage, staleAfterMs: 60_000, statusPaths: {} })],
    providers: [Orders],
  });
  for (const reference of ['order-1', 'order-2']) {
    await storage.journal.insert(journalRecord(reference, { state: 'accepted' }), 0);
  }
  const unreadable = journalRecord('order-3', { body: '{"reference":"ord' });
  await storage.journal.insert(unreadable, 0);
  now += 120_000;
  failLogger();
  const replace = storage.journal.replace.bind(storage.journal);
  vi.spyOn(storage.journal, 'replace').mockImplementation((version, record, leaseMs) => {
    if (record.stale) announced.push(record.reference);
    return replace(version, record, leaseMs);
  });
  const report = await app.get(PaymentsJournal).recover();
  expect(report).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
  expect(announced.toSorted()).toEqual(['order-1', 'order-2']);
});
