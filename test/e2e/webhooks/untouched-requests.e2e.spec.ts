import { afterEach, describe, expect, it } from 'vitest';
import {
  Body,
  Controller,
  HttpCode,
  type INestApplication,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Post,
  Req,
  RequestMethod,
  Res,
  UploadedFile,
  UseInterceptors,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { PassThrough } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { PaymentsWebhook } from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import { unverifiedBytesIn } from '../../support/unverified-bytes.js';
import {
  type AdapterName,
  adapters,
  deliver,
  type Headers,
  paymentsOptions,
  send,
  startWebhookApp,
  type WebhookApp,
  type WebhookAppOptions,
} from '../../support/webhook-app.js';

const express = createRequire(import.meta.url)('express') as { json(options: object): unknown };
const rawBody = createRequire(import.meta.url)('raw-body') as (stream: IncomingMessage) => Promise<Buffer>;

type NestRequest = IncomingMessage & { readonly rawBody?: Buffer; readonly raw?: IncomingMessage };
type Next = (error?: unknown) => void;
type Middleware = (request: IncomingMessage & { seen?: string }, response: unknown, next: Next) => void;

/** Other routes of the path pattern of the webhooks, registered before them. */
@Controller('webhooks')
class Neighbours {
  @Post('json')
  @HttpCode(200)
  json(@Body() body: unknown, @Req() { rawBody: raw }: NestRequest): unknown {
    return { body, raw: raw?.length };
  }

  @Post('form')
  @HttpCode(200)
  form(@Body() body: unknown): unknown {
    return body;
  }

  @Post('stream')
  @HttpCode(200)
  async stream(@Req() request: NestRequest): Promise<string> {
    return (await buffer(request.raw ?? request)).toString();
  }

  @Post('pipe')
  @HttpCode(200)
  async pipe(@Req() request: NestRequest): Promise<string> {
    return (await buffer((request.raw ?? request).pipe(new PassThrough()))).toString();
  }
}

@Controller('webhooks')
class Uploads {
  @Post('file')
  @HttpCode(200)
  @UseInterceptors(FileInterceptor('file'))
  file(@UploadedFile() file?: { readonly buffer: Buffer }): string {
    return file?.buffer.toString() ?? 'none';
  }
}

/** A middleware of Nest that takes a path below the pattern of the webhooks, for example to pass it on to another system. */
@Module({})
class ForwardingModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply((incoming: IncomingMessage, response: ServerResponse) => {
        void forwarded(incoming).then((length) => response.end(`forwarded ${length}`));
      })
      .forRoutes({ path: 'webhooks/legacy', method: RequestMethod.POST });
  }
}

/** Of JSON Nest's parser has read everything on Express. */
async function forwarded(incoming: IncomingMessage & { readonly body?: unknown }): Promise<number> {
  if (incoming.readableEnded) return JSON.stringify(incoming.body).length;
  return (await buffer(incoming)).length;
}

let handled: IncomingMessage[] = [];

/** Answers with each piece of the body as it comes. */
@Controller('webhooks')
class Duplex {
  @Post('duplex')
  duplex(@Req() request: IncomingMessage, @Res() response: ServerResponse): void {
    request.pipe(response);
  }
}

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook(':tenant')
  received(@Req() request: NestRequest): void {
    handled.push(request);
  }
}

@Controller('webhooks')
class FixedController {
  @PaymentsWebhook('payments')
  received(@Req() request: NestRequest): void {
    handled.push(request);
  }
}

const octets = { 'content-type': 'application/octet-stream' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const multipart = { 'content-type': 'multipart/form-data; boundary=-' };
const forged = { 'content-type': 'application/json', 'x-webhook-signature': 'f'.repeat(64) };
const file = '---\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nof a file\r\n-----\r\n';
const longText = JSON.stringify({ text: 'x'.repeat(90_000) });

type Read = readonly [path: string, headers: Headers, body: string, answer: string];

const READS: readonly Read[] = [
  ['json', {}, '{"a":1}', '{"body":{"a":1},"raw":7}'],
  ['json', {}, longText, `{"body":${longText},"raw":${longText.length}}`],
  ['stream', octets, 'of bytes', 'of bytes'],
  ['stream', octets, 'x'.repeat(500_000), 'x'.repeat(500_000)],
  ['pipe', octets, 'of bytes', 'of bytes'],
];
const READS_ON_EXPRESS: readonly Read[] = [
  ['form', form, 'a=1&b=2', '{"a":"1","b":"2"}'],
  ['file', multipart, file, 'of a file'],
];
const readsOn = (adapter: AdapterName): readonly Read[] =>
  adapter === 'express' ? [...READS, ...READS_ON_EXPRESS] : READS;

/** Fastify has no parser of its own for streams. */
function passStreams(app: INestApplication): void {
  const fastify = (app as NestFastifyApplication).getHttpAdapter().getInstance();
  fastify.addContentTypeParser('application/octet-stream', (_request, _payload, done) => {
    done(null);
  });
}

describe.each(adapters)('beside a webhook route with a parameter on %s', (adapter: AdapterName) => {
  let running: WebhookApp | undefined;

  async function start(options: WebhookAppOptions = {}): Promise<WebhookApp> {
    handled = [];
    running = await startWebhookApp(adapter, {
      controllers: [Neighbours, ...(adapter === 'express' ? [Uploads] : []), WebhooksController],
      nest: { rawBody: true },
      ...(adapter === 'fastify' ? { prepare: passStreams } : {}),
      ...options,
    });
    return running;
  }

  afterEach(async () => {
    await running?.app.close();
    running = undefined;
  });

  it.each(readsOn(adapter))(
    'the route %s reads what was sent, even by who signs it',
    async (path, headers, body, answer) => {
      const { port } = await start();
      const chunkedHeaders = { ...headers, 'transfer-encoding': 'chunked' };
      for (const sent of [headers, chunkedHeaders]) {
        const { status, text: received } = await deliver(port, body, {
          path: `/webhooks/${path}`,
          headers: sent,
        });
        expect([status, received]).toEqual([200, answer]);
      }
      expect((await deliver(port, paymentEvent('payment.success'), { path: '/webhooks/t1' })).status).toBe(
        200,
      );
    },
  );
});

describe.each(adapters)('a middleware of Nest below a webhook route with a parameter on %s', (adapter) => {
  it.each<[what: string, headers: Headers, body: string]>([
    ['an upload', octets, 'x'.repeat(100)],
    ['a form', multipart, file],
    ['unsigned JSON', { 'content-type': 'application/json' }, '{"a":1}'],
    ["JSON that another system's secret signs", forged, '{"a":1}'],
    ['a long upload', octets, 'x'.repeat(200_000)],
  ])('answers %s', async (_what, headers, body) => {
    const { app, port, logs } = await startWebhookApp(adapter, {
      imports: [ForwardingModule],
      controllers: [WebhooksController],
    });
    const { status, text: answer } = await send(port, '/webhooks/legacy', body, headers);
    const event = paymentEvent('payment.success');
    const unsigned = await send(port, '/webhooks/t1', JSON.stringify(event));
    const refused = await deliver(port, event, { path: '/webhooks/t1', headers: forged });
    const taken = await deliver(port, event, { path: '/webhooks/t1' });
    await app.close();
    expect([status, answer]).toEqual([200, `forwarded ${body.length}`]);
    expect([unsigned.status, refused.status, taken.status]).toEqual([401, 401, 200]);
    expect(logs.webhooks('error')).toEqual([]);
  });
});

it.each<[what: string, type: string, length: number]>([
  ['that is longer than its parser takes', 'application/json', 150_000],
  ['in a charset that its parser does not know', 'application/json; charset=utf8', 10],
])(
  'a genuine delivery to a path with a parameter passes the parser of express %s',
  async (_what, type, length) => {
    const { app, port } = await startWebhookApp('express', {
      controllers: [WebhooksController],
      payments: [paymentsOptions({ bodyLimit: 200_000 })],
    });
    const event = paymentEvent('payment.success', { note: 'x'.repeat(length) });
    const path = '/webhooks/t1';
    const { status } = await deliver(port, event, { path, headers: { 'content-type': type } });
    await app.close();
    expect(status).toBe(200);
  },
);

it.each<[what: string, type: string, length: number]>([
  ['that its parser takes', 'application/json', 10],
  ['that is longer than its parser takes', 'application/json', 150_000],
  ['in a charset that its parser does not know', 'application/json; charset=utf8', 10],
])(
  'a genuine delivery keeps the async context of a middleware on express %s',
  async (_what, type, length) => {
    const context = new AsyncLocalStorage<string>();
    let found: string | undefined;
    @Controller('webhooks')
    class Contextual {
      @PaymentsWebhook('payments')
      received(): void {
        found = context.getStore();
      }
    }
    const { app, port } = await startWebhookApp('express', {
      controllers: [Contextual],
      payments: [paymentsOptions({ bodyLimit: 200_000 })],
      prepare: (prepared) =>
        void prepared.use((_request: unknown, _response: unknown, next: () => void) => {
          context.run('of the request', next);
        }),
    });
    const event = paymentEvent('payment.success', { note: 'x'.repeat(length) });
    const { status } = await deliver(port, event, { headers: { 'content-type': type } });
    await app.close();
    expect([status, found]).toEqual([200, 'of the request']);
  },
);

describe('a neighbour of a webhook route with a parameter on express', () => {
  let running: WebhookApp | undefined;

  afterEach(async () => {
    await running?.app.close();
    running = undefined;
  });

  it('takes no room of unverified bodies while it works on what has come whole', async () => {
    let held: number | undefined;
    @Controller('webhooks')
    class Slow {
      @Post('slow')
      @HttpCode(200)
      take(@Body() body: object): object {
        held = unverifiedBytesIn(running!.app);
        return body;
      }
    }
    const room = paymentsOptions({ unverifiedBytesLimit: 1_000 });
    running = await startWebhookApp('express', {
      controllers: [Slow, WebhooksController],
      payments: [room],
    });
    const { port } = running;
    const path = '/webhooks/slow';
    expect((await deliver(port, '{"a":1}', { path })).text).toBe('{"a":1}');
    expect(held).toBe(0);
    const chunked = { 'transfer-encoding': 'chunked' };
    expect((await deliver(port, '{"a":2}', { path, headers: chunked })).text).toBe('{"a":2}');
    expect(held).toBe(0);
  });

  it.each<[string, Headers]>([
    ['of another content type', { ...octets, 'x-webhook-signature': 'any' }],
    ['without a header of the scheme', {}],
  ])('reads and answers a body %s while it arrives', async (_what, headers) => {
    running = await startWebhookApp('express', {
      controllers: [Duplex, WebhooksController],
      payments: [paymentsOptions({ bodyTimeoutMs: 600_000 })],
    });
    const outgoing = request({ port: running.port, method: 'POST', path: '/webhooks/duplex', headers });
    outgoing.write('first');
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(String(await once(response, 'data'))).toBe('first');
    outgoing.end('second');
    expect(await text(response)).toBe('second');
  });
});

describe('a request to a webhook route on express', () => {
  let running: WebhookApp | undefined;

  async function start(options: WebhookAppOptions): Promise<WebhookApp> {
    handled = [];
    running = await startWebhookApp('express', { controllers: [FixedController], ...options });
    return running;
  }
  const using = (middleware: Middleware) => (app: INestApplication) => void app.use(middleware);

  afterEach(async () => {
    await running?.app.close();
    running = undefined;
  });

  it.each<[name: string, middleware: Middleware]>([
    [
      'req.on(…)',
      (request, _response, next) => {
        request.on('data', (chunk) => (request.seen = `${request.seen ?? ''}${String(chunk)}`));
        request.on('end', next);
      },
    ],
    [
      'raw-body',
      (request, _response, next) => {
        rawBody(request).then((bytes) => {
          request.seen = bytes.toString();
          next();
        }, next);
      },
    ],
    [
      'for await',
      (request, _response, next) => {
        buffer(request).then((bytes) => {
          request.seen = bytes.toString();
          next();
        }, next);
      },
    ],
  ])('is read by a global middleware with %s, whatever it holds', async (_name, middleware) => {
    const { port } = await start({ prepare: using(middleware) });
    const event = paymentEvent('payment.success');
    expect((await deliver(port, event)).status).toBe(200);
    expect(handled).toMatchObject([{ seen: JSON.stringify(event) }]);
    expect((await deliver(port, '{')).status).toBe(400);
    expect((await deliver(port, '')).status).toBe(400);
    expect((await deliver(port, '', { headers: { 'transfer-encoding': 'chunked' } })).status).toBe(400);
  });

  it('has the body and the raw body that the application asks for', async () => {
    const { port } = await start({ nest: { rawBody: true } });
    const event = paymentEvent('payment.success');
    expect((await deliver(port, event)).status).toBe(200);
    expect(handled).toMatchObject([{ body: event, rawBody: Buffer.from(JSON.stringify(event)) }]);
  });

  it('keeps its headers, and gets no property from the package', async () => {
    let before: readonly [object, PropertyKey[]] | undefined;
    const { port } = await start({
      nest: { bodyParser: false },
      prepare: using((request, _response, next) => {
        before = [{ ...request.headers }, Reflect.ownKeys(request)];
        next();
      }),
    });
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
    const [request] = handled;
    expect(request?.headers).toEqual(before?.[0]);
    const added = Reflect.ownKeys(request!).filter((key) => !before?.[1].includes(key));
    // What Express and Node add.
    const known = ['params', 'route', 'next', '_eventsCount'];
    expect(added.filter((key) => !known.includes(String(key)))).toEqual([]);
  });

  it('may have a body that nobody can configure', async () => {
    const { port } = await start({
      nest: { bodyParser: false },
      prepare: using((request, _response, next) => {
        Object.defineProperty(request, 'body', { value: 'mine', configurable: false });
        next();
      }),
    });
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
    expect(handled).toMatchObject([{ body: 'mine' }]);
  });

  it('is refused by a parser of the application as that parser sees it', async () => {
    const { port } = await start({ prepare: (app) => void app.use(express.json({ limit: 500 })) });
    expect((await deliver(port, paymentEvent('payment.success', { note: 'x'.repeat(500) }))).status).toBe(
      413,
    );
    expect(handled).toEqual([]);
  });
});
