import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { CollectionsService } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, postWebhook, signWebhook } from 'nestjs-payments/testing';
import type { Server } from 'node:http';
import request from 'supertest';
import { AppModule } from './../src/app.module.js';
import { httpAdapter } from './../src/http-adapter.js';
import { webhookScheme as scheme } from './../src/webhook-scheme.js';

const phone = '255712345678';
const order = (reference: string) => ({
  reference,
  amount: '1180.50',
  phone,
  customer_name: 'Asha Mushi',
  customer_email: 'asha@example.com',
});

describe('an application with nestjs-payments', () => {
  let sandbox: PaymentsSandbox;
  let app: INestApplication<Server> | undefined;

  const http = () => request(app!.getHttpServer());
  const find = async (reference: string) => (await http().get(`/orders/${reference}`)).body;

  beforeAll(async () => {
    sandbox = await PaymentsSandbox.start();
    const { baseUrl, apiKey, apiSecret } = sandbox.moduleOptions();
    Object.assign(process.env, {
      PAYMENTS_BASE_URL: baseUrl,
      PAYMENTS_API_KEY: apiKey,
      PAYMENTS_API_SECRET: apiSecret,
      PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
    });
    const moduleFixture = await Test.createTestingModule({ imports: [AppModule] }).compile();
    app = moduleFixture.createNestApplication(httpAdapter());
    await app.listen(0, '127.0.0.1');
    sandbox.deliverTo(`${await app.getUrl()}/webhooks/payments`);
  });

  afterAll(async () => {
    await app?.close();
    await sandbox?.stop();
  });

  it('runs on the adapter and the Node version that the matrix names', () => {
    const { HTTP_ADAPTER, NODE_MAJOR } = process.env;
    expect(app!.getHttpAdapter().getType()).toBe(HTTP_ADAPTER);
    expect(process.versions.node.split('.')[0]).toBe(NODE_MAJOR);
  });

  it('injects a service by its class', () => {
    expect(app!.get(CollectionsService, { strict: false })).toBeInstanceOf(CollectionsService);
  });

  it('asks a customer for money', async () => {
    const response = await http().post('/orders').send(order('order-1')).expect(201);
    expect(response.body).toMatchObject({ reference: 'order-1', amount: '1180.50', status: 'pending' });
    expect(sandbox.payments()).toHaveLength(1);
  });

  it('answers a wrong body 400, with what to write instead, and sends nothing', async () => {
    const before = sandbox.requests().length;
    const response = await http()
      .post('/orders')
      .send({ ...order('order-2'), phone: '0712345678' })
      .expect(400);
    expect(response.body.message).toEqual([expect.stringContaining('write 255712345678')]);
    expect(sandbox.requests()).toHaveLength(before);
  });

  it('turns a refusal of the gateway into an HTTP answer', async () => {
    sandbox.directory.close('0123456789');
    const response = await http()
      .post('/orders/recipient')
      .send({ channel: 'PARTNERPESA', account_number: '0123456789' })
      .expect(404);
    expect(response.body).toMatchObject({ code: 'ACCOUNT_NOT_FOUND', mayHaveBeenProcessed: false });
  });

  it('handles the approval of the customer once', async () => {
    await http().post('/orders').send(order('order-3')).expect(201);
    await sandbox.customer(phone).approve('order-3');
    expect(await find('order-3')).toMatchObject({ timesPaid: 1, events: ['payment.success'] });
  });

  it('handles a webhook of the testing entry point once, however often it is sent', async () => {
    const event = paymentEvent('payment.success', { reference: 'order-4' });
    const secret = sandbox.webhookSecret;
    for (let delivery = 0; delivery < 2; delivery += 1) {
      const { status } = await postWebhook(app!, '/webhooks/payments', event, { scheme, secret });
      expect(status).toBe(200);
    }
    expect(await find('order-4')).toMatchObject({ timesPaid: 1 });
  });

  it('answers an unsigned or altered webhook 401 and runs no handler', async () => {
    const body = JSON.stringify(paymentEvent('payment.success', { reference: 'order-5' }));
    const headers = signWebhook({ scheme, secret: sandbox.webhookSecret, body });
    const post = () => http().post('/webhooks/payments').set('content-type', 'application/json');
    await post().send(body).expect(401);
    await post().set(headers).send(body.replace('order-5', 'order-6')).expect(401);
    expect(await find('order-5')).toMatchObject({ timesPaid: 0 });
    expect(await find('order-6')).toMatchObject({ timesPaid: 0 });
    await post().set(headers).send(body).expect(200);
    expect(await find('order-5')).toMatchObject({ timesPaid: 1 });
  });
});
