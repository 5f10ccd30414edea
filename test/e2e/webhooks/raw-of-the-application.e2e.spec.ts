import { afterEach, describe, expect, it } from 'vitest';
import { type INestApplication, type PipeTransform } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { type WebhookHostRequest } from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import { deliverTo, startMarketplace } from '../../support/marketplace-app.js';
import { deliver, startWebhookApp, type WebhookApp } from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

type WithRaw<Message> = Message & { raw?: unknown };
type Verify = (request: WithRaw<IncomingMessage>, response: unknown, bytes: Buffer) => void;

const express = createRequire(import.meta.url)('express') as {
  json(options: { readonly verify: Verify }): never;
};

/** Has the application parse JSON, and keep the bytes. */
function keepAtRaw(keep: (bytes: Buffer) => unknown) {
  return (app: INestApplication): void => {
    const verify: Verify = (request, _response, bytes) => (request.raw = keep(bytes));
    app.use(express.json({ verify }));
  };
}

/** Sets the field on both messages of every request. */
function setRaw(app: INestApplication): void {
  app.use((request: WithRaw<IncomingMessage>, response: WithRaw<ServerResponse>, next: () => void) => {
    request.raw = { of: 'the application' };
    response.raw = 'of the application';
    next();
  });
}

function useBoth(app: INestApplication): void {
  setRaw(app);
  keepAtRaw((bytes) => bytes)(app);
}

describe('on Express, an application may have its own use for the field `raw`', () => {
  let running: WebhookApp | undefined;

  afterEach(async () => {
    await running?.app.close();
    running = undefined;
  });

  it.each<[kept: string, keep: (bytes: Buffer) => unknown]>([
    ['the bytes', (bytes) => bytes],
    ['the text', (bytes) => bytes.toString()],
  ])(
    'a genuine webhook is taken if a body parser keeps %s there, and a forged one is not',
    async (_, keep) => {
      running = await startWebhookApp('express', {
        controllers: [WebhooksController],
        prepare: keepAtRaw(keep),
      });
      const event = paymentEvent('payment.success');
      expect((await deliver(running.port, event)).status).toBe(200);
      const forged = { headers: { 'x-webhook-signature': '00'.repeat(32) } };
      expect((await deliver(running.port, event, forged)).status).toBe(401);
    },
  );

  it('the option webhooks.rawBody may take the bytes from there, for an account that the path names', async () => {
    const rawBody = (request: WithRaw<WebhookHostRequest>): Buffer => request.raw as Buffer;
    const options = { webhooks: { rawBody } } as never;
    running = await startMarketplace('express', options, { prepare: useBoth });
    expect((await deliverTo(running.port, 'shop')).status).toBe(200);
    expect((await deliverTo(running.port, 'nobody')).status).toBe(401);
  });

  it('a body that is too long is refused with 413, also by the guard behind a body parser', async () => {
    running = await startWebhookApp('express', { controllers: [WebhooksController], prepare: useBoth });
    const long = paymentEvent('payment.success', { note: 'x'.repeat(70_000) });
    expect((await deliver(running.port, long)).status).toBe(413);
    expect((await deliver(running.port, paymentEvent('payment.success'))).status).toBe(200);
  });

  it('the refusal of the package is not reported as the answer of somebody else', async () => {
    class ClonePipe implements PipeTransform {
      transform(value: unknown): unknown {
        return typeof value === 'function' ? undefined : value;
      }
    }
    running = await startWebhookApp('express', {
      controllers: [WebhooksController],
      providers: [{ provide: APP_PIPE, useClass: ClonePipe }],
      prepare: setRaw,
    });
    expect((await deliver(running.port, paymentEvent('payment.success'))).status).toBe(500);
    expect(running.logs.webhooks('error')).toEqual([
      expect.stringContaining('A global pipe changed the function that WebhooksController.received gets'),
    ]);
  });
});
