import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { type PaymentEventName, paymentsConfig, type PaymentWebhookEvent } from 'nestjs-payments';
import { paymentEvent, postWebhook } from 'nestjs-payments/testing';
import { AppModule } from '../src/app.module.js';
import { type Order } from '../src/orders/order.js';
import { OrdersService } from '../src/orders/orders.service.js';
import { OvenService } from '../src/orders/oven.service.js';
import { webhookScheme } from '../src/webhook.scheme.js';
import { BUYER } from './support/buyer.js';
import { testKeys } from './support/test-keys.js';

const [SECRET] = testKeys.webhooks.secrets as [string];

// No gateway at all: the test makes and signs the events, and delivers them over real HTTP.
describe('a webhook', () => {
  let app: INestApplication;
  let orders: OrdersService;
  let oven: OvenService;
  let order: Order;

  beforeEach(async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(paymentsConfig.KEY)
      .useValue(testKeys)
      .compile();
    app = module.createNestApplication({ logger: false });
    orders = module.get(OrdersService);
    oven = module.get(OvenService);
    order = orders.open(BUYER);
  });
  afterEach(() => app.close());

  const event = (name: PaymentEventName): PaymentWebhookEvent =>
    paymentEvent(name, { reference: order.reference, amount: order.amount });
  const deliver = async (sent: PaymentWebhookEvent, secret = SECRET): Promise<number> =>
    (await postWebhook(app, '/webhooks/payments', sent, { scheme: webhookScheme, secret })).status;

  it('a webhook turns the order paid', async () => {
    expect(await deliver(event('payment.success'))).toBe(200);
    expect(orders.find(order.reference).status).toBe('paid');
  });

  it('a cake is baked once, however often and however fast the webhook comes', async () => {
    const success = event('payment.success');
    const answers = await Promise.all([deliver(success), deliver(success), deliver(success)]);
    expect(answers).toEqual([200, 200, 200]);
    expect(oven.baked).toEqual([order.reference]);
  });

  it('a webhook with a wrong signature is refused', async () => {
    const success = event('payment.success');
    expect(await deliver(success, 'a-secret-that-somebody-guessed')).toBe(401);
    expect(orders.find(order.reference).status).toBe('asking');
  });

  it('a webhook that contradicts the recorded outcome changes nothing, and the bakery keeps baking', async () => {
    await deliver(event('payment.success'));
    expect(await deliver(event('payment.failed'))).toBe(200);
    expect(orders.find(order.reference).status).toBe('paid');
    expect(oven.baked).toEqual([order.reference]);
  });

  it('a webhook of an order that nobody placed is answered 500, so the gateway delivers it again', async () => {
    expect(await deliver(paymentEvent('payment.success', { reference: 'cake-unknown' }))).toBe(500);
  });
});
