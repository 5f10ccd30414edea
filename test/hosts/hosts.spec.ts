import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type INestApplication, Injectable, type NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { type IncomingMessage } from 'node:http';
import {
  hmac,
  OnPayment,
  PaymentsInbox,
  PaymentsModule,
  type PaymentWebhookEvent,
  type WebhookHostRequest,
  type WebhookOptions,
} from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { unverifiedBytesIn } from '../support/unverified-bytes.js';
import { LogLines, paymentsOptions, scheme, secret } from '../support/webhook-app.js';
import { WebhooksController } from '../support/webhooks.controller.js';
import {
  awsLambda,
  azure,
  azureWithSentNames,
  codegenie,
  firebase,
  functionsFramework,
  LAMBDA_EVENTS,
  serverlessHttp,
  vercel,
  vercelWithHelpers,
} from './functions.js';
import { bytesOf, type Host, PATH, type RunningHost } from './host.js';
import { http2, https, hybrid, insideExpress, plain, TLS, withSupertest } from './servers.js';

type Adapter = 'Express' | 'Fastify';

type KeptElsewhere = WebhookHostRequest & { readonly sentBytes?: Buffer };

interface Case {
  readonly name: string;
  readonly on: readonly Adapter[];
  readonly host: Host;
  readonly webhooks?: Partial<WebhookOptions>;
  readonly nest?: NestApplicationOptions;
  readonly fastify?: object;
}

const BOTH: readonly Adapter[] = ['Express', 'Fastify'];

/** An outer parser that keeps the bytes, as that of Express can. */
const keepingParser =
  (name: string) => (request: IncomingMessage & Record<string, unknown>, _: unknown, next: () => void) => {
    void bytesOf(request).then((bytes) => {
      request[name] = bytes;
      request['body'] = JSON.parse(bytes.toString()) as unknown;
      next();
    });
  };

/** Where a webhook arrives without a line of code for it, or with the one that is here. */
const CASES: readonly Case[] = [
  { name: 'a server of its own', on: BOTH, host: plain },
  { name: 'HTTPS', on: ['Express'], host: https, nest: { httpsOptions: TLS } },
  { name: 'HTTPS', on: ['Fastify'], host: https, fastify: { https: TLS } },
  { name: 'HTTP/2', on: ['Fastify'], host: http2, fastify: { http2: true } },
  { name: 'supertest', on: BOTH, host: withSupertest },
  { name: 'a hybrid application', on: BOTH, host: hybrid },
  { name: 'an application of Express', on: BOTH, host: insideExpress() },
  {
    name: 'an application of Express that keeps the bytes at rawBody',
    on: BOTH,
    host: insideExpress(keepingParser('rawBody')),
  },
  {
    name: 'an application of Express that keeps the bytes at rawBody, and Nest with rawBody: true',
    on: BOTH,
    host: insideExpress(keepingParser('rawBody')),
    nest: { rawBody: true },
  },
  {
    name: 'an application of Express that keeps the bytes elsewhere, with webhooks.rawBody',
    on: BOTH,
    host: insideExpress(keepingParser('sentBytes')),
    webhooks: {
      rawBody: (request: KeptElsewhere & { readonly raw?: KeptElsewhere }) =>
        request.sentBytes ?? request.raw?.sentBytes,
    },
  },
  ...LAMBDA_EVENTS.flatMap(([event, eventOf]): Case[] => [
    { name: `serverless-http, ${event}`, on: ['Express'], host: serverlessHttp(eventOf) },
    { name: `@codegenie/serverless-express, ${event}`, on: ['Express'], host: codegenie(eventOf) },
    { name: `@fastify/aws-lambda, ${event}`, on: ['Fastify'], host: awsLambda(eventOf) },
  ]),
  { name: '@google-cloud/functions-framework', on: BOTH, host: functionsFramework },
  { name: 'firebase-functions', on: BOTH, host: firebase },
  { name: '@nestjs/azure-func-http', on: ['Express'], host: azure },
  { name: '@nestjs/azure-func-http, header names as sent', on: ['Express'], host: azureWithSentNames },
  { name: 'Vercel, without its helpers', on: BOTH, host: vercel },
];

let seen: PaymentWebhookEvent[];
let app: INestApplication | undefined;
let running: RunningHost | undefined;
let logs: LogLines;

@Injectable()
class Orders {
  @OnPayment('*')
  heard(event: PaymentWebhookEvent): void {
    seen.push(event);
  }
}

async function start(
  adapter: Adapter,
  { host, webhooks, nest, fastify }: Omit<Case, 'name' | 'on'>,
): Promise<RunningHost> {
  const module = await Test.createTestingModule({
    imports: [PaymentsModule.forRoot(paymentsOptions(webhooks))],
    controllers: [WebhooksController],
    providers: [Orders],
  })
    .setLogger(logs)
    .compile();
  app = module.createNestApplication(
    adapter === 'Express' ? new ExpressAdapter() : new FastifyAdapter(fastify),
    {
      ...nest,
      logger: logs,
    },
  );
  running = await host(app);
  return running;
}

const event = paymentEvent('payment.success', {
  reference: 'order-1',
  customer_name: 'Zoë Mwangi 😀\u2028張',
});
/** As no serializer of ours would write it: only the bytes that were sent have this signature. */
const body = Buffer.from(
  `{ "event": ${JSON.stringify(event.event)},\r\n\t"created_at": ${JSON.stringify(event.created_at)}, "data": ${JSON.stringify(event.data, null, 1)} }\n`,
);

const headersOf = (signed: Buffer): Record<string, string> => ({
  'content-type': 'application/json',
  'content-length': String(body.length),
  host: '127.0.0.1',
  ...signWebhook({ scheme, secret, body: signed }),
});

beforeEach(() => {
  seen = [];
  logs = new LogLines();
});
/** Ends the application of a test; no body may count as unverified any more. */
async function stop(): Promise<void> {
  const held = app ? unverifiedBytesIn(app) : 0;
  await running?.close?.();
  await app?.close();
  running = undefined;
  app = undefined;
  expect(held).toBe(0);
}

afterEach(stop);

describe.each(CASES.flatMap(({ on, ...host }) => on.map((adapter) => [host.name, adapter, host] as const)))(
  'in %s, on %s',
  (_name, adapter, host) => {
    it('a genuine webhook is handled once and answered 200, a forged one 401', async () => {
      const { post } = await start(adapter, host);
      expect(await post(body, headersOf(Buffer.from('{}')))).toMatchObject({ status: 401 });
      expect(seen).toEqual([]);
      expect(await post(body, headersOf(body))).toMatchObject({ status: 200 });
      expect(await post(body, headersOf(body))).toMatchObject({ status: 200 });
      expect(seen).toEqual([event]);
      expect(logs.webhooks('error')).toEqual([]);
    });
  },
);

describe.each(BOTH)('on %s, mounted under a path of an outer application', (adapter) => {
  it('a signature over the URL is that of the URL which the sender asked for', async () => {
    const signsUrl = hmac({
      header: 'x-signature',
      algorithm: 'sha256',
      encoding: 'hex',
      payload: ['method', 'url', 'body'],
    });
    const { post } = await start(adapter, { host: insideExpress(), webhooks: { scheme: signsUrl } });
    const signedFor = (url: string): Record<string, string> => ({
      'content-type': 'application/json',
      ...signWebhook({ scheme: signsUrl, secret, body, url }),
    });
    expect(await post(body, signedFor(PATH))).toMatchObject({ status: 401 });
    expect(await post(body, signedFor(`/shop${PATH}`))).toMatchObject({ status: 200 });
    expect(seen).toEqual([event]);
  });
});

describe.each(BOTH)('on %s, if the host keeps no bytes', (adapter) => {
  it.each([
    ["Vercel's helpers", vercelWithHelpers],
    ['an outer parser', insideExpress(keepingParser('nobodyKnows'))],
  ])('%s: the delivery is answered 500, and the log says what to write', async (_name, host) => {
    for (const nest of [{}, { rawBody: true }]) {
      const { post } = await start(adapter, { host, nest });
      expect(await post(body, headersOf(body))).toMatchObject({ status: 500 });
      expect(seen).toEqual([]);
      expect(logs.webhooks('error').at(-1)).toContain('webhooks: { rawBody: (request) => … }');
      await stop();
    }
    expect(logs.webhooks('error')).toHaveLength(2);
  });
});

describe("on a host of one's own", () => {
  it('a handler of the Fetch API receives through the inbox', async () => {
    const module = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot(paymentsOptions())],
      providers: [Orders],
    })
      .setLogger(logs)
      .compile();
    await module.init();
    const inbox = module.get(PaymentsInbox);
    const handle = async (request: Request): Promise<Response> => {
      const {
        status,
        headers,
        body: text,
      } = await inbox.receive(await request.arrayBuffer(), request.headers);
      return new Response(text, { status, headers });
    };
    const asked = (signed: Buffer): Request =>
      new Request('https://shop.example/webhooks/payments', {
        method: 'POST',
        body,
        headers: headersOf(signed),
      });
    expect((await handle(asked(Buffer.from('{}')))).status).toBe(401);
    expect((await handle(asked(body))).status).toBe(200);
    expect(seen).toEqual([event]);
    await module.close();
  });
});

describe.each(BOTH)('on %s, if the host has read the body', (adapter) => {
  const given = (webhooks: Partial<WebhookOptions>, headers = headersOf(body)) =>
    start(adapter, { host: insideExpress(keepingParser('rawBody')), webhooks }).then(({ post }) =>
      post(body, headers),
    );

  it('a body that is too long gets 413, and another content type 415', async () => {
    expect(await given({ bodyLimit: 10 })).toMatchObject({ status: 413 });
    await stop();
    expect(await given({}, { ...headersOf(body), 'content-encoding': 'zstd' })).toMatchObject({
      status: 415,
    });
    expect(seen).toEqual([]);
  });

  it.each<[string, WebhookOptions['rawBody']]>([
    ['throws', () => Promise.reject(new Error('secret'))],
    ['gives a parsed body', () => ({ event: 'payment.success' }) as never],
  ])('webhooks.rawBody that %s is answered 500 and said in the log', async (_what, rawBody) => {
    expect(await given(rawBody ? { rawBody } : {})).toMatchObject({ status: 500 });
    expect(logs.webhooks('error').join()).toContain('webhooks.rawBody gave no bytes');
    expect(logs.webhooks('error').join()).not.toContain('secret');
  });

  it('webhooks.rawBody that gives nothing leaves it to the package', async () => {
    expect(await given({ rawBody: () => undefined })).toMatchObject({ status: 200 });
  });
});
