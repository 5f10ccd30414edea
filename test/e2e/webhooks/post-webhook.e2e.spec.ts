import { type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type INestApplication } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { PaymentsModule } from 'nestjs-payments';
import { paymentEvent, postWebhook } from 'nestjs-payments/testing';
import { adapters, paymentsOptions, scheme, secret } from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

describe.each(adapters)('postWebhook() on %s', (adapter) => {
  let app: INestApplication;

  afterEach(() => app.close());

  async function create(): Promise<INestApplication> {
    const module = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot(paymentsOptions())],
      controllers: [WebhooksController],
    }).compile();
    app = module.createNestApplication(adapter === 'express' ? new ExpressAdapter() : new FastifyAdapter(), {
      logger: false,
    });
    return app;
  }

  it('delivers to an application that was only created, and leaves it closed', async () => {
    await create();
    for (const name of ['payment.success', 'payment.failed'] as const) {
      const answer = await postWebhook(app, '/webhooks/payments', paymentEvent(name), { scheme, secret });
      expect(answer).toEqual({ status: 200, body: '' });
    }
    expect((app.getHttpServer() as Server).listening).toBe(false);
  });

  it('delivers many at once to an application that was only created, and leaves it closed', async () => {
    await create();
    const event = paymentEvent('payment.success');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => postWebhook(app, '/webhooks/payments', event, { scheme, secret })),
    );
    expect(answers).toEqual(answers.map(() => ({ status: 200, body: '' })));
    expect((app.getHttpServer() as Server).listening).toBe(false);
  });

  it('delivers to an application that listens, and leaves it listening', async () => {
    await create();
    await app.listen(0, '127.0.0.1');
    const answer = await postWebhook(app, '/webhooks/payments', paymentEvent('payment.success'), {
      scheme,
      secret: 'another secret than the one of the application',
    });
    expect(answer).toMatchObject({ status: 401, body: { statusCode: 401 } });
    expect((app.getHttpServer() as Server).listening).toBe(true);
  });
});
