import { afterEach, beforeEach, expect, it } from 'vitest';
import { Controller, Injectable, Param, Post, UseInterceptors } from '@nestjs/common';
import {
  CollectionsService,
  OnPayment,
  PaymentsErrorInterceptor,
  PaymentsJournal,
  type PaymentsStorage,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import { collectionRequest } from './gateway-answers.js';
import { type MisbehavingGateway, startMisbehavingGateway } from './misbehaving-gateway.js';
import { deliver, paymentsOptions, send, startWebhookApp, type WebhookApp } from './webhook-app.js';
import { WebhooksController } from './webhooks.controller.js';
import { accept } from './working-gateway.js';

/** A storage on a pool, or a client, of the application, which can refuse what is asked of it. */
export interface LimitedPool {
  readonly storage: PaymentsStorage;
  /** From now on the pool refuses. */
  refuse(): Promise<void>;
  /** From now on it serves again; left out if it never will. */
  serve?(): Promise<void>;
  close(): Promise<void>;
}

@Injectable()
class Orders {
  readonly paid: string[] = [];

  @OnPayment('payment.success')
  handle({ data }: PaymentWebhookEvent): void {
    this.paid.push(data.reference);
  }
}

@Controller('pay')
@UseInterceptors(PaymentsErrorInterceptor)
class PayController {
  constructor(
    private readonly collections: CollectionsService,
    private readonly journal: PaymentsJournal,
  ) {}

  @Post(':reference')
  async pay(@Param('reference') reference: string): Promise<void> {
    await this.collections.mobileMoney({ ...collectionRequest, reference });
  }

  @Post('look/:reference')
  async look(@Param('reference') reference: string): Promise<void> {
    await this.journal.get('collection', reference);
  }
}

/** What an application answers while its own pool refuses: never a driver's error, and nothing is sent. */
export function poolLimitContract(open: () => Promise<LimitedPool>): void {
  let gateway: MisbehavingGateway;
  let limited: LimitedPool;
  let running: WebhookApp;

  beforeEach(async () => {
    gateway = await startMisbehavingGateway();
    gateway.answer(accept);
    limited = await open();
    running = await startWebhookApp('express', {
      controllers: [WebhooksController, PayController],
      providers: [Orders],
      payments: [paymentsOptions({}, { storage: limited.storage, baseUrl: gateway.baseUrl })],
    });
  });
  afterEach(async () => {
    await running.app.close();
    await limited.close();
    await gateway.close();
  });

  it('answers payments and webhooks with 503 and Retry-After, sends nothing, and continues when it may', async () => {
    const { port } = running;
    const post = (path: string): ReturnType<typeof send> => send(port, path, '');
    const event = paymentEvent('payment.success', { reference: 'order-2' });
    expect((await post('/pay/order-1')).status).toBe(201);
    await limited.refuse();
    const refused = await Promise.all([post('/pay/order-3'), post('/pay/look/order-1')]);
    for (const { status, headers, text } of refused) {
      expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 503, retryAfter: '5' });
      expect(JSON.parse(text)).toMatchObject({
        code: 'STORAGE_UNAVAILABLE',
        mayHaveBeenProcessed: 'not-by-this-call',
      });
    }
    expect(await deliver(port, event)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(gateway.seen).toHaveLength(1);
    const orders = running.app.get(Orders);
    expect(orders.paid).toEqual([]);
    if (!limited.serve) return;
    await limited.serve();
    expect((await post('/pay/order-3')).status).toBe(201);
    expect((await deliver(port, event)).status).toBe(200);
    expect(orders.paid).toEqual(['order-2']);
    expect(gateway.seen).toHaveLength(2);
  });
}
