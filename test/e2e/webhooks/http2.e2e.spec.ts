import { afterEach, describe, expect, it } from 'vitest';
import { type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { type AddressInfo, type Server } from 'node:net';
import { PaymentsModule } from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { paymentsOptions, scheme, secret } from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

@Module({ imports: [PaymentsModule.forRoot(paymentsOptions())], controllers: [WebhooksController] })
class AppModule {}

describe('webhooks over HTTP/2', () => {
  let app: INestApplication | undefined;
  let session: ClientHttp2Session;

  async function start(): Promise<void> {
    const adapter = new FastifyAdapter({ http2: true } as object);
    app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, { logger: false });
    await app.listen(0, '127.0.0.1');
    const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
    session = connect(`http://127.0.0.1:${port}`);
  }

  async function post(body: string, headers: IncomingHttpHeaders = {}): Promise<number | undefined> {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/webhooks/payments',
      'content-type': 'application/json',
      ...signWebhook({ scheme, secret, body }),
      ...headers,
    });
    // A sender that is still writing may be told to stop.
    stream.on('error', () => undefined);
    const answered = once(stream, 'response') as Promise<[IncomingHttpHeaders & { ':status'?: number }]>;
    stream.end(body);
    const [{ ':status': status }] = await answered;
    stream.resume();
    if (!stream.closed) await once(stream, 'close');
    return status;
  }

  afterEach(async () => {
    session.destroy();
    await app?.close();
    app = undefined;
  });

  it('are handled', async () => {
    await start();
    expect(await post(JSON.stringify(paymentEvent('payment.success')))).toBe(200);
  });

  it.each<[string, number, string, IncomingHttpHeaders]>([
    ['is too long', 413, ' '.repeat(300_000), {}],
    ['is too long and says so', 413, ' '.repeat(300_000), { 'content-length': '300000' }],
    ['is compressed', 415, ' '.repeat(300_000), { 'content-encoding': 'gzip' }],
  ])('are refused, and the application closes, when one %s', async (_what, status, body, headers) => {
    await start();
    expect(await post(body, headers)).toBe(status);
    expect(await post(JSON.stringify(paymentEvent('payment.success')))).toBe(200);
    // It ends when both sides have ended every stream.
    session.close();
    await app?.close();
    app = undefined;
  });
});
