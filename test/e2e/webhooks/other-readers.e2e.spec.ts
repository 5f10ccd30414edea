import { afterEach, expect, it } from 'vitest';
import { Controller, type INestApplication } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { PaymentEvent, PaymentsWebhook, type PaymentWebhookEvent } from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import { deliver, startWebhookApp, type WebhookApp } from '../../support/webhook-app.js';

const references: string[] = [];

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('payments')
  received(@PaymentEvent() event: PaymentWebhookEvent): void {
    references.push(event.data.reference);
  }
}

/** How many bytes the other reader got of each delivery. */
const counted: number[] = [];

function count(stream: Readable): void {
  let bytes = 0;
  stream.on('data', (chunk: Uint8Array) => (bytes += chunk.length));
  stream.on('end', () => counted.push(bytes));
}

type PreParsing = (payload: Readable) => Readable;

/** A hook of Fastify that runs before the package's. */
function hook(transform: PreParsing) {
  return (app: INestApplication): void => {
    const fastify = (app as NestFastifyApplication).getHttpAdapter().getInstance();
    fastify.addHook('preParsing', (_request, _reply, payload, done) => {
      done(null, transform(payload as Readable));
    });
  };
}

let running: WebhookApp | undefined;

afterEach(async () => {
  await running?.app.close();
  running = undefined;
  references.length = 0;
  counted.length = 0;
});

it.each<[what: string, prepare: (app: INestApplication) => void]>([
  [
    'a middleware that counts its bytes',
    (app) =>
      void app.use((request: IncomingMessage, _response: unknown, next: () => void) => {
        count(request);
        next();
      }),
  ],
  [
    'a hook that keeps its bytes',
    hook((payload) => {
      count(payload);
      return payload;
    }),
  ],
  [
    'a hook that passes it through another stream',
    hook((payload) => {
      count(payload);
      return payload.pipe(new PassThrough());
    }),
  ],
])('a webhook on Fastify is verified beside %s, whatever its length', async (_what, prepare) => {
  running = await startWebhookApp('fastify', { controllers: [WebhooksController], prepare });
  const events = [
    paymentEvent('payment.success', { reference: 'short' }),
    paymentEvent('payment.success', { reference: 'long', note: 'x'.repeat(60_000) }),
  ];
  for (const event of events) expect((await deliver(running.port, event)).status).toBe(200);
  const chunked = { headers: { 'transfer-encoding': 'chunked' } };
  const last = paymentEvent('payment.success', { reference: 'chunked' });
  expect((await deliver(running.port, last, chunked)).status).toBe(200);
  expect(references).toEqual(['short', 'long', 'chunked']);
  expect(counted).toEqual([...events, last].map((event) => JSON.stringify(event).length));
});

it('a webhook on Fastify whose bytes went to another reader is refused, and the log says why', async () => {
  running = await startWebhookApp('fastify', {
    controllers: [WebhooksController],
    prepare: (app) => {
      app.use((request: IncomingMessage, _response: unknown, next: () => void) => {
        count(request);
        request.once('end', next);
      });
    },
  });
  expect((await deliver(running.port, paymentEvent('payment.success'))).status).toBe(500);
  expect(references).toEqual([]);
  expect(running.logs.webhooks('error')).toEqual([
    expect.stringContaining('a listener to the bytes with an asynchronous hook or middleware after it'),
  ]);
});
