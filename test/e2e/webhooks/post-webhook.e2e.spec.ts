import { readFileSync } from 'node:fs';
import { type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type INestApplication } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { hmac, PaymentsModule, type WebhookOptions } from 'nestjs-payments';
import { paymentEvent, postWebhook } from 'nestjs-payments/testing';
import { adapters, paymentsOptions, scheme, secret } from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

describe.each(adapters)('postWebhook() on %s', (adapter) => {
  let app: INestApplication;

  afterEach(() => app.close());

  async function create(
    webhooks: Partial<WebhookOptions> = {},
    https?: { readonly key: Buffer; readonly cert: Buffer },
  ): Promise<INestApplication> {
    const module = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot(paymentsOptions(webhooks))],
      controllers: [WebhooksController],
    }).compile();
    const fastify = () => new FastifyAdapter({ ...(https && { https }) } as object);
    app = module.createNestApplication(adapter === 'express' ? new ExpressAdapter() : fastify(), {
      logger: false,
      ...(https && { httpsOptions: https }),
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

  it('takes a path without its first slash, as a controller has it', async () => {
    const scheme = hmac({
      header: 'x-signature',
      algorithm: 'sha256',
      encoding: 'hex',
      payload: ['url', 'body'],
    });
    await create({ scheme });
    const answer = await postWebhook(app, 'webhooks/payments', paymentEvent('payment.success'), {
      scheme,
      secret,
    });
    expect(answer).toEqual({ status: 200, body: '' });
  });

  it('delivers over HTTPS, whatever the certificate', async () => {
    const of = (kind: string): Buffer => readFileSync(`test/support/tls/stranger.${kind}.pem`);
    await create({}, { key: of('key'), cert: of('cert') });
    const event = paymentEvent('payment.success');
    const answer = await postWebhook(app, '/webhooks/payments', event, { scheme, secret });
    expect(answer).toEqual({ status: 200, body: '' });
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

  it('signs its own content-type if the scheme signs that, and no header that it does not send', async () => {
    const signing = (header: string) =>
      hmac({ header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: [{ header }, 'body'] });
    const event = paymentEvent('payment.success');
    const scheme = signing('content-type');
    await create({ scheme });
    expect(await postWebhook(app, '/webhooks/payments', event, { scheme, secret })).toMatchObject({
      status: 200,
    });
    await expect(
      postWebhook(app, '/webhooks/payments', event, { scheme: signing('x-shop'), secret }),
    ).rejects.toThrow('without the signed header x-shop');
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
