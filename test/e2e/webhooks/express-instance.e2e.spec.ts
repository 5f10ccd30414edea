import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, type INestApplication, Module, Req, Res } from '@nestjs/common';
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
import { text } from 'node:stream/consumers';
import { PaymentsModule } from '../../../lib/payments.module.js';
import { paymentEvent } from '../../../lib/testing/payment-event.js';
import { postWebhook } from '../../../lib/testing/post-webhook.js';
import { PaymentsWebhook } from '../../../lib/webhooks/routes/payments-webhook.decorator.js';
import { deliver, LogLines, paymentsOptions, scheme, secret } from '../../support/webhook-app.js';

type Handle = (request: object, response: object, next?: () => void) => void;

interface ExpressInstance extends RequestListener {
  handle: Handle;
  use(middleware: unknown): void;
}

const express = createRequire(import.meta.url)('express') as { (): ExpressInstance; json(): unknown };

/** What the requests and responses of the handled webhooks had of their own. */
let seen: (readonly [request: readonly PropertyKey[], response: readonly PropertyKey[]])[] = [];

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('payments')
  received(@Req() request: object, @Res({ passthrough: true }) response: object): void {
    seen.push([Reflect.ownKeys(request), Reflect.ownKeys(response)]);
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

  const start = async (): Promise<INestApplication> => {
    app = await NestFactory.create(AppModule, new ExpressAdapter(instance), { logger: logs });
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

  it('is answered 500, and the log says why, where a body parser stood there first', async () => {
    instance.use(express.json());
    expect(await post()).toBe(500);
    expect(seen).toEqual([]);
    expect(logs.webhooks('error').join()).toContain('on an Express or Fastify instance');
  });

  it('leaves the body to what stood there first, and answers the same path for another host', async () => {
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

  it('is answered 500, and the log says why, where an application around it read the body first', async () => {
    await start();
    const around = express();
    around.use(express.json());
    around.use(instance);
    const { status } = await deliver(await listen(around), paymentEvent('payment.success'));
    expect(status).toBe(500);
    expect(seen).toEqual([]);
    expect(logs.webhooks('error').join()).toContain('raw bytes');
  });

  it('is left alone where somebody around it answered before it was read, and disturbs nothing', async () => {
    await start();
    let impatient = true;
    const port = await listen((request, response) => {
      if (impatient) request.once('data', () => response.writeHead(503).end());
      instance(request, response);
    });
    const headers = { 'content-type': 'application/json', 'content-length': 4 };
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

  it('has everything that Express would add by a name, before Express begins', async () => {
    const before: typeof seen = [];
    const { handle } = instance;
    instance.handle = (request, response, next) => {
      before.push([Reflect.ownKeys(request), Reflect.ownKeys(response)]);
      handle.call(instance, request, response, next);
    };
    expect(await post()).toBe(200);
    const added = seen.map((own, index) =>
      own.map((keys, of) =>
        keys.filter((key) => typeof key === 'string' && !before[index]?.[of]?.includes(key)),
      ),
    );
    // This one Express adds before it changes the prototypes.
    expect(added).toEqual([[['res'], []]]);
  });
});
