import { afterEach, beforeEach, expect, it } from 'vitest';
import { Injectable } from '@nestjs/common';
import { type Redis } from 'ioredis';
import { CollectionsService, type PaymentWebhookEvent, OnPayment } from 'nestjs-payments';
import { redisStorage } from 'nestjs-payments/redis';
import { paymentEvent } from 'nestjs-payments/testing';
import { connectAsStorage, connectRedis, forget, ownPrefix, reaches } from '../../../support/redis.js';
import { describeWith, redisService } from '../../../support/services.js';
import { SeverableProxy } from '../../../support/severable-proxy.js';
import { deliver, paymentsOptions, startWebhookApp, type WebhookApp } from '../../../support/webhook-app.js';
import { WebhooksController } from '../../../support/webhooks.controller.js';

const CUSTOMER = '255712345678';

let paid: string[];

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid({ data }: PaymentWebhookEvent): void {
    paid.push(data.reference);
  }
}

describeWith([redisService], 'an application whose Redis goes away', () => {
  const prefix = ownPrefix();
  let proxy: SeverableProxy;
  let client: Redis;
  let running: WebhookApp;

  beforeEach(async () => {
    paid = [];
    proxy = await SeverableProxy.before(redisService.url);
    client = connectAsStorage(proxy.url);
    const storage = redisStorage({ client, keyPrefix: prefix });
    running = await startWebhookApp('express', {
      controllers: [WebhooksController],
      providers: [Orders],
      payments: [paymentsOptions({}, { storage })],
    });
  });

  afterEach(async () => {
    await running.app.close();
    const direct = connectRedis();
    await forget(direct, prefix);
    direct.disconnect();
    client.disconnect();
    await proxy.close();
  });

  it('asks the gateway to come again, and acts once when Redis is back', async () => {
    const event = paymentEvent('payment.success', { reference: 'order-1', customer_phone: CUSTOMER });
    const before = paymentEvent('payment.success', { reference: 'order-0' });
    expect((await deliver(running.port, before)).status).toBe(200);
    const lost = reaches(client, 'reconnecting');
    proxy.cut();
    await lost;
    const refused = await deliver(running.port, event);
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBe('5');
    proxy.restore();
    await reaches(client, 'ready');
    expect((await deliver(running.port, event)).status).toBe(200);
    expect((await deliver(running.port, event)).status).toBe(200);
    expect(paid).toEqual(['order-0', 'order-1']);
    expect(running.logs.webhooks('error')).toHaveLength(1);
    expect(running.logs.webhooks('error')[0]).toContain('Redis cannot be reached');
    expect(JSON.stringify(running.logs.lines)).not.toContain(CUSTOMER);
  });

  it('sends no payment that cannot be written down', async () => {
    const payment = {
      amount: '1000',
      reference: 'order-1',
      phone: CUSTOMER,
      customer_name: 'A. Customer',
      customer_email: 'customer@example.com',
    };
    const collections = running.app.get(CollectionsService);
    // The gateway of these options does not exist: with Redis there, that is what stops the payment.
    await expect(collections.mobileMoney(payment)).rejects.toMatchObject({ name: 'GatewayUnreachableError' });
    const lost = reaches(client, 'reconnecting');
    proxy.cut();
    await lost;
    await expect(collections.mobileMoney({ ...payment, reference: 'order-2' })).rejects.toMatchObject({
      name: 'PaymentsStorageError',
    });
    proxy.restore();
    await reaches(client, 'ready');
  });
});
