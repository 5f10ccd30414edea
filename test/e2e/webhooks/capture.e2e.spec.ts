import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  Body,
  type CanActivate,
  Controller,
  Get,
  Headers,
  HttpCode,
  Module,
  Post,
  Put,
  UseGuards,
  Version,
  VersioningType,
  type INestApplication,
} from '@nestjs/common';
import { type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import {
  hmac,
  PaymentEvent,
  PaymentsWebhook,
  PaymentsWebhookGuard,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import {
  adapters,
  deliver,
  paymentsOptions,
  scheme,
  secret,
  send,
  startWebhookApp,
  type WebhookApp,
  type WebhookAppOptions,
} from '../../support/webhook-app.js';
import { versionByHeader, VERSIONED_PATH, versionedRoutes } from '../../support/versioned-routes.js';

const seen = vi.fn<(event: PaymentWebhookEvent) => void>();

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('payments')
  received(@PaymentEvent() event: PaymentWebhookEvent): void {
    seen(event);
  }
}

@Controller('webhooks')
class NeighbourController {
  @Post('payments/notes')
  @HttpCode(200)
  note(@Body() body: unknown): unknown {
    return { note: body };
  }

  @Get('payments')
  list(): unknown {
    return { list: [] };
  }

  @Put('payments')
  replace(@Body() body: unknown): unknown {
    return { replaced: body };
  }

  @Post('other')
  @HttpCode(200)
  other(@Body() body: unknown): unknown {
    return { other: body };
  }
}

const express = createRequire(import.meta.url)('express') as { json(): unknown };

// A body with spaces and an escape: parsing and writing it again would change its bytes.
const odd = (): string =>
  JSON.stringify(paymentEvent('payment.success'), null, 3).replace('TZS', '\\u0054ZS');

describe.each(adapters)('raw bytes on %s', (adapter) => {
  let running: WebhookApp | undefined;

  async function start(options: WebhookAppOptions = {}): Promise<WebhookApp> {
    running = await startWebhookApp(adapter, {
      controllers: [WebhooksController, NeighbourController],
      ...options,
    });
    return running;
  }

  beforeEach(() => {
    seen.mockReset();
  });

  afterEach(async () => {
    await running?.app.close();
    running = undefined;
  });

  it.each<[string, WebhookAppOptions, string]>([
    ['as it comes', {}, '/webhooks/payments'],
    ['with rawBody', { nest: { rawBody: true } }, '/webhooks/payments'],
    ['without body parsers', { nest: { bodyParser: false } }, '/webhooks/payments'],
    ['under a global prefix', { prepare: (app) => app.setGlobalPrefix('api') }, '/api/webhooks/payments'],
    [
      'beside URI versions',
      {
        prepare: (app) => {
          app.setGlobalPrefix('api');
          app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
        },
      },
      '/api/webhooks/payments',
    ],
    [
      'beside header versions',
      {
        prepare: (app) => {
          app.enableVersioning({ type: VersioningType.HEADER, header: 'x-version', defaultVersion: '1' });
        },
      },
      '/webhooks/payments',
    ],
  ])('are verified %s', async (_setup, options, path) => {
    const { port } = await start(options);
    const answer = await deliver(port, odd(), { path });
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(seen).toHaveBeenCalledTimes(1);
    expect(seen.mock.calls[0]?.[0].data.currency).toBe('TZS');
  });

  it('are verified in any spelling of the path that the router takes', async () => {
    const { port } = await start();
    expect((await deliver(port, odd(), { path: '/webhooks/payments?from=gateway' })).status).toBe(200);
  });

  it('leave every other route as it is', async () => {
    const { port } = await start();
    const body = '{"a":[1]}';
    expect((await send(port, '/webhooks/payments/notes', body)).text).toBe('{"note":{"a":[1]}}');
    expect((await send(port, '/webhooks/other', body)).text).toBe('{"other":{"a":[1]}}');
    const json = { 'content-type': 'application/json' };
    expect((await send(port, '/webhooks/payments', body, json, 'PUT')).text).toBe('{"replaced":{"a":[1]}}');
    expect((await send(port, '/webhooks/payments', '', {}, 'GET')).text).toBe('{"list":[]}');
    expect((await send(port, '/webhooks/payments/notes', '{')).status).toBe(400);
  });

  it('log the final path of the route', async () => {
    const { logs } = await start({ prepare: (app) => app.setGlobalPrefix('api') });
    expect(logs.webhooks('log')).toEqual([
      expect.stringContaining("account 'default' are received at POST /api/webhooks/payments"),
    ]);
  });

  it('are refused over the limit, also without a Content-Length', async () => {
    const { port } = await start();
    const body = JSON.stringify(paymentEvent('payment.success', { metadata: { note: 'x'.repeat(65_536) } }));
    expect((await deliver(port, body)).status).toBe(413);
    expect((await deliver(port, body, { headers: { 'transfer-encoding': 'chunked' } })).status).toBe(413);
    const within = JSON.stringify(
      paymentEvent('payment.success', { metadata: { note: 'x'.repeat(60_000) } }),
    );
    expect((await deliver(port, within, { headers: { 'transfer-encoding': 'chunked' } })).status).toBe(200);
    expect(seen).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Record<string, string>]>([
    ['compressed', { 'content-encoding': 'gzip' }],
    ['in another charset', { 'content-type': 'application/json; charset=utf-16' }],
    ['plain text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['XML', { 'content-type': 'application/xml' }],
  ])('are refused with 415 when they are %s', async (_what, headers) => {
    const { port } = await start();
    expect((await deliver(port, odd(), { headers })).status).toBe(415);
    expect(seen).not.toHaveBeenCalled();
  });

  it.each(['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON'])(
    'are read as %s',
    async (type) => {
      const { port } = await start();
      expect((await deliver(port, odd(), { headers: { 'content-type': type } })).status).toBe(200);
    },
  );

  it('are read without a content type, and up to the configured limit', async () => {
    const { port } = await start({ payments: [paymentsOptions({ bodyLimit: 3_000_000 })] });
    const body = JSON.stringify(
      paymentEvent('payment.success', { metadata: { note: 'x'.repeat(2_000_000) } }),
    );
    expect((await send(port, '/webhooks/payments', body, signWebhook({ scheme, secret, body }))).status).toBe(
      200,
    );
    const framed = { ...signWebhook({ scheme, secret, body }), 'transfer-encoding': 'chunked' };
    expect((await send(port, '/webhooks/payments', body, framed)).status).toBe(200);
    expect((await deliver(port, body)).status).toBe(200);
  });

  it('reach a guard on its own, on a method or a class', async () => {
    @Controller('own')
    class MethodController {
      @Post('method')
      @HttpCode(202)
      @UseGuards(PaymentsWebhookGuard)
      received(@PaymentEvent() event: PaymentWebhookEvent): void {
        seen(event);
      }
    }

    @Controller('own')
    @UseGuards(PaymentsWebhookGuard)
    class ClassController {
      @Post('class')
      received(@PaymentEvent() event: PaymentWebhookEvent): void {
        seen(event);
      }
    }

    const { port, logs } = await start({ controllers: [MethodController, ClassController] });
    expect((await deliver(port, odd(), { path: '/own/method' })).status).toBe(202);
    expect((await deliver(port, odd(), { path: '/own/class' })).status).toBe(201);
    expect((await send(port, '/own/class', odd())).status).toBe(401);
    expect(seen).toHaveBeenCalledTimes(2);
    expect(logs.webhooks('warn').filter((line) => line.includes('No @OnPayment'))).toEqual([]);
  });

  it('leave a method to the controllers that inherit it without the guard', async () => {
    abstract class Ingest {
      @Post('events')
      @HttpCode(200)
      take(@Body() body: unknown, @Headers('stripe-signature') signature?: string): unknown {
        return { body, signature };
      }
    }
    @Controller('payments')
    @UseGuards(PaymentsWebhookGuard)
    class Payments extends Ingest {}
    const stripeGuard: CanActivate = {
      canActivate: (context) =>
        'stripe-signature' in context.switchToHttp().getRequest<IncomingMessage>().headers,
    };
    @Controller('stripe')
    @UseGuards(stripeGuard)
    class Stripe extends Ingest {}

    const body = '{"id":"evt_1"}';
    const headers = { 'content-type': 'application/json', 'stripe-signature': 't=1' };
    const taken = { status: 200, text: '{"body":{"id":"evt_1"},"signature":"t=1"}' };
    for (const controllers of [
      [Payments, Stripe],
      [Stripe, Payments],
    ]) {
      const { port, app } = await start({ controllers });
      expect(await send(port, '/stripe/events', body, headers)).toMatchObject(taken);
      expect((await send(port, '/stripe/events', body)).status).toBe(403);
      expect((await deliver(port, odd(), { path: '/payments/events' })).status).toBe(200);
      expect((await send(port, '/payments/events', body, headers)).status).toBe(401);
      await app.close();
    }
    // What another application of the process declared counts no more.
    const { port, logs } = await start({ controllers: [Stripe] });
    expect(await send(port, '/stripe/events', body, headers)).toMatchObject(taken);
    expect(logs.webhooks('log')).toEqual([]);
  });

  it('leave a route of the same path behind another version its body', async () => {
    @Controller({ path: 'webhooks', version: '2' })
    class SecondVersion {
      @Post('payments')
      @HttpCode(200)
      take(@Body() body: unknown): unknown {
        return { second: body };
      }
    }
    const { port } = await start({
      controllers: [SecondVersion, WebhooksController],
      prepare: versionByHeader,
    });
    const headers = { 'content-type': 'application/json', 'x-version': '2' };
    expect((await send(port, '/webhooks/payments', '{"a":1}', headers)).text).toBe('{"second":{"a":1}}');
    expect((await deliver(port, odd())).status).toBe(200);
  });

  it('leave a later route of the same path behind another version its body and its answer', async () => {
    @Controller('versions')
    class Versions {
      @Version('1')
      @Post('payments')
      @HttpCode(200)
      @UseGuards(PaymentsWebhookGuard)
      first(@PaymentEvent() event: PaymentWebhookEvent): void {
        seen(event);
      }

      @Version('2')
      @Post('payments')
      @HttpCode(200)
      second(@Body() body: unknown): unknown {
        return { second: body };
      }
    }
    const { port } = await start({
      controllers: [Versions],
      prepare: versionByHeader,
    });
    const path = '/versions/payments';
    const headers = { 'content-type': 'application/json', 'x-version': '2' };
    expect((await send(port, path, '{"a":1}', headers)).text).toBe('{"second":{"a":1}}');
    expect((await deliver(port, odd(), { path, headers: { 'x-version': '1' } })).status).toBe(200);
    expect(seen).toHaveBeenCalledTimes(1);
  });

  it('are checked by the limits and the scheme of the account whose version of a path was asked for', async () => {
    const received = vi.fn();
    const ofPartner = hmac({
      header: 'x-partner-signature',
      algorithm: 'sha512',
      encoding: 'hex',
      payload: ['body'],
    });

    const { port } = await start({
      controllers: [versionedRoutes('partner', received)],
      payments: [
        paymentsOptions({ bodyLimit: 200 }),
        paymentsOptions({ scheme: ofPartner }, { name: 'partner' }),
      ],
      prepare: versionByHeader,
    });
    const path = VERSIONED_PATH;
    const body = odd();
    const type = { 'content-type': 'application/json' };
    const signed = signWebhook({ scheme: ofPartner, secret, body });
    const partner = { ...type, ...signed, 'x-version': '2' };
    expect((await send(port, path, body, partner)).status).toBe(200);
    expect((await send(port, path, body, { ...partner, 'x-partner-signature': 'no' })).status).toBe(401);
    const headers = { 'x-version': '1' };
    expect((await deliver(port, body, { path, headers })).status).toBe(413);
    expect(received).toHaveBeenCalledTimes(1);
  });

  it('are read whatever version of a route the sender asks for', async () => {
    const { port, logs } = await start();
    expect((await deliver(port, odd(), { headers: { 'accept-version': '2' } })).status).toBe(200);
    expect(logs.webhooks('error')).toEqual([]);
  });

  it.each(['http://shop.test/webhooks/payments', '/webhooks/payments#there'])(
    'are read when the request line says %s',
    async (target) => {
      const { port, logs } = await start();
      expect((await deliver(port, odd(), { path: target })).status).toBe(200);
      expect((await send(port, target, odd())).status).toBe(401);
      expect(logs.webhooks('error')).toEqual([]);
    },
  );

  it('reach a route whose path has a parameter inside a segment', async () => {
    @Controller('branches')
    class Branches {
      @PaymentsWebhook('shop-:branch/hooks')
      received(@PaymentEvent() event: PaymentWebhookEvent): void {
        seen(event);
      }
    }
    const { port } = await start({ controllers: [Branches] });
    expect((await deliver(port, odd(), { path: '/branches/shop-7/hooks' })).status).toBe(200);
  });

  it('reach a route in any host module, below another controller path', async () => {
    @Controller(['a', 'b'])
    class HostController {
      @PaymentsWebhook(':tenant/hooks')
      received(@PaymentEvent() event: PaymentWebhookEvent): void {
        seen(event);
      }
    }
    @Module({ controllers: [HostController] })
    class HostModule {}

    const { port } = await start({ controllers: [], imports: [HostModule] });
    expect((await deliver(port, odd(), { path: '/a/t1/hooks' })).status).toBe(200);
    expect((await deliver(port, odd(), { path: '/b/t2/hooks' })).status).toBe(200);
  });
});

describe('raw bytes on express', () => {
  let running: WebhookApp | undefined;

  afterEach(async () => {
    await running?.app.close();
    running = undefined;
  });

  it("come before the application's own body parser", async () => {
    seen.mockReset();
    running = await startWebhookApp('express', {
      controllers: [WebhooksController],
      prepare: (app: INestApplication) => app.use(express.json()),
    });
    expect((await deliver(running.port, odd())).status).toBe(200);
    expect((await deliver(running.port, odd(), { path: '/WEBHOOKS/payments/' })).status).toBe(200);
    expect(seen).toHaveBeenCalledTimes(2);
  });
});
