import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Body, Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { createRequire } from 'node:module';
import {
  PaymentsModule,
  PaymentsWebhook,
  type WebhookHostRequest,
  type WebhookOptions,
} from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import { unverifiedBytesIn } from '../../support/unverified-bytes.js';
import {
  adapters,
  deliver,
  LogLines,
  paymentsOptions,
  send,
  startWebhookApp,
  type WebhookApp,
  type WebhookAppOptions,
} from '../../support/webhook-app.js';
import { versionByHeader, VERSIONED_PATH, versionedRoutes } from '../../support/versioned-routes.js';

interface Seen {
  readonly body: unknown;
  readonly held: number;
}

let running: WebhookApp | undefined;
let seen: Seen[];
let asked: number;

/** Where Nest keeps the bytes with `rawBody: true`. */
const keptByNest = (request: WebhookHostRequest): Uint8Array => {
  asked += 1;
  return request.rawBody as Uint8Array;
};

function see(body: unknown): void {
  seen.push({ body, held: unverifiedBytesIn(running!.app) });
}

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('payments')
  received(@Body() body: unknown): void {
    see(body);
  }
}

describe.each(adapters)('a webhook whose bytes the option webhooks.rawBody gives, on %s', (adapter) => {
  async function start(
    webhooks: Partial<WebhookOptions> = {},
    more: WebhookAppOptions = {},
  ): Promise<WebhookApp> {
    running = await startWebhookApp(adapter, {
      controllers: [WebhooksController],
      payments: [paymentsOptions({ rawBody: keptByNest, ...webhooks })],
      nest: { rawBody: true },
      ...more,
    });
    return running;
  }

  beforeEach(() => {
    seen = [];
    asked = 0;
  });
  afterEach(async () => {
    await running?.app.close();
    running = undefined;
  });

  it("is read by the application's own parser alone, and no byte of it counts as unverified", async () => {
    const { port, logs } = await start({ unverifiedBytesLimit: 1_024 });
    const event = paymentEvent('payment.success', { metadata: { note: 'x'.repeat(4_000) } });
    expect((await deliver(port, event)).status).toBe(200);
    expect(seen).toEqual([{ body: event, held: 0 }]);
    expect(asked).toBe(1);
    expect(logs.webhooks('error')).toEqual([]);
  });

  it('is judged by what the option gives, not by its head', async () => {
    const event = Buffer.from(JSON.stringify(paymentEvent('payment.success')));
    const { port } = await start({ bodyLimit: event.length, rawBody: () => event });
    // A host may hand on less than what was sent.
    expect((await deliver(port, event, { headers: { 'x-more': 'x' } })).status).toBe(200);
    const signed = await deliver(port, `${event.toString()} `);
    expect(signed.status).toBe(401);
    expect((await send(port, '/webhooks/payments', event)).status).toBe(401);
    expect(seen).toHaveLength(1);
  });

  it('is refused if the option gives more than the limit, or the head names another type', async () => {
    const event = Buffer.from(JSON.stringify(paymentEvent('payment.success')));
    let given = Buffer.concat([event, Buffer.from(' ')]);
    const { port } = await start({ bodyLimit: event.length, rawBody: () => given });
    expect((await deliver(port, given)).status).toBe(413);
    given = event;
    expect((await deliver(port, event, { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect(seen).toEqual([]);
  });

  it('is asked of the option although a header of the scheme is missing', async () => {
    const { port } = await start();
    expect((await send(port, '/webhooks/payments', '{}')).status).toBe(401);
    expect(asked).toBe(1);
  });

  it.each<[what: string, rawBody: NonNullable<WebhookOptions['rawBody']>, says: string]>([
    [
      'gives nothing',
      () => undefined,
      'The raw bytes of a webhook for WebhooksController.received are missing',
    ],
    ['throws', () => Promise.reject(new Error('secret')), 'The option webhooks.rawBody gave no bytes'],
  ])('is refused by its head if the option %s, and else said once a minute', async (_what, rawBody, says) => {
    const { port, logs } = await start({ rawBody, bodyLimit: 1_000 }, { nest: {} });
    const event = paymentEvent('payment.success');
    const long = paymentEvent('payment.success', { metadata: { note: 'x'.repeat(1_000) } });
    expect((await send(port, '/webhooks/payments', JSON.stringify(event))).status).toBe(401);
    expect((await deliver(port, event, { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await deliver(port, long)).status).toBe(413);
    expect(logs.webhooks('error')).toEqual([]);
    expect(logs.webhooks('warn').join()).toContain(
      'it lacks a header of the scheme, which needs x-webhook-signature (scheme',
    );
    expect((await deliver(port, event)).status).toBe(500);
    expect((await deliver(port, event)).status).toBe(500);
    expect(logs.webhooks('error')).toEqual([expect.stringContaining(says)]);
    expect(logs.webhooks('error').join()).not.toContain('secret');
    expect(seen).toEqual([]);
  });

  it('is taken if another account of the same path lets the package read it', async () => {
    const { port } = await start(
      {},
      {
        controllers: [versionedRoutes('other', see)],
        payments: [paymentsOptions({ rawBody: keptByNest }), paymentsOptions({}, { name: 'other' })],
        prepare: versionByHeader,
      },
    );
    for (const version of ['1', '2']) {
      const options = { path: VERSIONED_PATH, headers: { 'x-version': version } };
      expect((await deliver(port, paymentEvent('payment.success'), options)).status).toBe(200);
    }
    expect(seen.map(({ held }) => held)).toEqual([0, 0]);
  });
});

it('says nothing at boot about a parser on the Express instance if webhooks.rawBody has the bytes', async () => {
  const express = createRequire(import.meta.url)('express') as {
    (): { use(middleware: unknown): void };
    json(): unknown;
  };
  const instance = express();
  instance.use(express.json());
  const logs = new LogLines();
  @Module({
    imports: [PaymentsModule.forRoot(paymentsOptions({ rawBody: keptByNest }))],
    controllers: [WebhooksController],
  })
  class AppModule {}
  const app = await NestFactory.create(AppModule, new ExpressAdapter(instance), { logger: logs });
  await app.init();
  expect(logs.webhooks('error')).toEqual([]);
  await app.close();
});
