import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Controller, type INestApplication, Module, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as send,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { PaymentsModule, PaymentsWebhook } from 'nestjs-payments';
import { paymentEvent, postWebhook } from 'nestjs-payments/testing';
import { deliver, LogLines, paymentsOptions, scheme, secret } from '../../support/webhook-app.js';

interface ExpressInstance extends RequestListener {
  use(...middleware: unknown[]): void;
}

const express = createRequire(import.meta.url)('express') as { (): ExpressInstance } & Record<
  'json' | 'raw' | 'text' | 'urlencoded',
  () => unknown
>;

/** The requests of the handled webhooks. */
let seen: object[] = [];

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('payments')
  received(@Req() request: object): void {
    seen.push(request);
  }
}

@Module({ imports: [PaymentsModule.forRoot(paymentsOptions())], controllers: [WebhooksController] })
class AppModule {}

describe('a webhook on an Express instance that was passed to Nest', () => {
  let instance: ExpressInstance;
  let logs: LogLines;
  let app: INestApplication | undefined;
  /** Around the application. */
  let server: Server | undefined;

  const start = async (prepare?: (app: INestApplication) => void): Promise<INestApplication> => {
    app = await NestFactory.create(AppModule, new ExpressAdapter(instance), { logger: logs });
    prepare?.(app);
    return app.init();
  };
  const post = async (path = '/webhooks/payments'): Promise<number> => {
    const { status } = await postWebhook(app ?? (await start()), path, paymentEvent('payment.success'), {
      scheme,
      secret,
    });
    return status;
  };

  const listen = async (listener: RequestListener): Promise<number> => {
    server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };

  beforeEach(() => {
    seen = [];
    instance = express();
    logs = new LogLines();
  });

  afterEach(async () => {
    server?.close();
    server = undefined;
    await app?.close();
    app = undefined;
  });

  it('is answered 500, and the log says why, if a body parser was there first', async () => {
    instance.use(express.json());
    expect(await post()).toBe(500);
    expect(seen).toEqual([]);
    expect(logs.webhooks('error').join()).toContain('on an Express or Fastify instance');
  });

  it.each(['json', 'raw', 'text'] as const)(
    'is known to fail at boot behind express.%s()',
    async (parser) => {
      instance.use(express[parser]());
      await start();
      expect(logs.webhooks('error')).toEqual([
        expect.stringMatching(
          /body parser \((json|raw|text)Parser\) is installed on the Express instance.*app\.use\(express\.json\(\)\)/,
        ),
      ]);
    },
  );

  it.each<[as: string, kept: (bytes: Buffer) => unknown]>([
    ['a Buffer', (bytes) => bytes],
    ['text', String],
  ])('is verified by the bytes that an earlier reader left at request.rawBody, as %s', async (_as, kept) => {
    instance.use((request: IncomingMessage & { rawBody?: unknown }, _response: unknown, next: () => void) => {
      void buffer(request).then((bytes) => {
        request.rawBody = kept(bytes);
        next();
      });
    });
    expect(await post()).toBe(200);
    const { port } = (
      await app!.listen(0, '127.0.0.1').then(() => app!.getHttpServer() as Server)
    ).address() as AddressInfo;
    const forged = { headers: { 'x-webhook-signature': 'f'.repeat(64) } };
    expect((await deliver(port, paymentEvent('payment.success'), forged)).status).toBe(401);
    expect(seen).toHaveLength(1);
    expect(logs.webhooks('error')).toEqual([]);
  });

  it('is received, and nothing is said at boot, behind a parser for forms or for another path', async () => {
    instance.use(express.urlencoded());
    instance.use('/elsewhere', express.json());
    expect(await post()).toBe(200);
    expect(logs.webhooks('error')).toEqual([]);
  });

  it('leaves the body to an earlier reader, and answers the same path for another host', async () => {
    instance.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
      if (request.headers.host === 'other.test') request.pipe(response);
      else next();
    });
    expect(await post()).toBe(200);
    const port = await listen(instance);
    const other = send({ port, method: 'POST', path: '/webhooks/payments', headers: { host: 'other.test' } });
    other.end('as it came');
    const [response] = (await once(other, 'response')) as [IncomingMessage];
    expect(await text(response)).toBe('as it came');
  });

  it('is read behind what rewrites URLs there', async () => {
    instance.use((request: { url: string }, _response: unknown, next: () => void) => {
      request.url = request.url.replace('/public', '');
      next();
    });
    expect(await post('/public/webhooks/payments')).toBe(200);
    expect(seen).toHaveLength(1);
  });

  it('is read behind what rewrites URLs in main.ts', async () => {
    let isOpen = true;
    await start((app) => {
      app.use((request: { url: string }, _response: unknown, next: () => void) => {
        request.url = request.url.replace('/public', '');
        next();
      });
      app.useGlobalGuards({ canActivate: () => isOpen });
    });
    const port = await listen(instance);
    const path = '/public/webhooks/payments';
    const event = paymentEvent('payment.success');
    const statusOf = async (body: string | object, headers = {}): Promise<number> =>
      (await deliver(port, body, { path, headers })).status;
    expect(await statusOf(event)).toBe(200);
    expect(await statusOf(event, { 'transfer-encoding': 'chunked' })).toBe(200);
    expect(seen).toHaveLength(1);
    expect(await statusOf(event, { 'x-webhook-signature': 'f'.repeat(64) })).toBe(401);
    expect(await statusOf(event, { 'content-type': 'text/plain' })).toBe(415);
    expect(await statusOf(' '.repeat(70_000))).toBe(413);
    expect(await statusOf('{')).toBe(400);
    expect(logs.webhooks('error')).toEqual([
      expect.stringContaining('A webhook with a valid signature was refused with 400'),
    ]);
    isOpen = false;
    expect(await statusOf(event)).toBe(403);
    expect(logs.webhooks('error').at(-1)).toContain('was answered 403 by a guard');
  });

  it('is answered 500, and the log says why, if an outer application read the body first', async () => {
    await start();
    const around = express();
    around.use(express.json());
    around.use(instance);
    const { status } = await deliver(await listen(around), paymentEvent('payment.success'));
    expect(status).toBe(500);
    expect(seen).toEqual([]);
    expect(logs.webhooks('error').join()).toContain(
      'The raw bytes of a webhook for WebhooksController.received are missing',
    );
  });

  it('is left alone if an outer server answered before it was read, and disturbs nothing', async () => {
    await start();
    let impatient = true;
    const port = await listen((request, response) => {
      if (impatient) request.once('data', () => response.writeHead(503).end());
      instance(request, response);
    });
    const headers = {
      'content-type': 'application/json',
      'content-length': 4,
      'x-webhook-signature': 'forged',
    };
    const agent = new Agent({ keepAlive: true });
    const slow = send({ port, path: '/webhooks/payments', method: 'POST', headers, agent });
    slow.write('{}');
    const [answer] = (await once(slow, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(503);
    slow.end('  ');
    await once(answer.resume(), 'end');
    impatient = false;
    // The same connection: by then the rest of the first body has been read.
    expect((await deliver(port, paymentEvent('payment.success'), { agent })).status).toBe(200);
    agent.destroy();
    expect(seen).toHaveLength(1);
  });

  it('arrives at an earlier reader as often as it was sent', async () => {
    let length = 0;
    instance.use((request: IncomingMessage, _response: unknown, next: () => void) => {
      request.on('data', (chunk: Uint8Array) => (length += chunk.length));
      next();
    });
    expect(await post()).toBe(200);
    expect(seen).toHaveLength(1);
    expect(length).toBe(Number((seen[0] as IncomingMessage).headers['content-length']));
  });

  it('is received behind a listener on the instance if only the host identifies its route', async () => {
    @Controller({ path: 'webhooks', host: '127.0.0.1' })
    class HostBound extends WebhooksController {}
    @Module({ imports: [PaymentsModule.forRoot(paymentsOptions())], controllers: [HostBound] })
    class HostModule {}
    instance.use((request: IncomingMessage, _response: unknown, next: () => void) => {
      request.on('data', () => undefined);
      next();
    });
    app = await NestFactory.create(HostModule, new ExpressAdapter(instance), { logger: logs });
    await app.init();
    expect(await post()).toBe(200);
    expect(seen).toHaveLength(1);
  });
});
