import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Controller, HttpCode, Post, UseGuards, VersioningType } from '@nestjs/common';
import {
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
  send,
  startWebhookApp,
  type WebhookApp,
} from '../../support/webhook-app.js';

const otherSecret = 'a-signing-secret-of-another-account';
const payments = [
  paymentsOptions(),
  paymentsOptions({ secrets: [otherSecret], bodyLimit: 2_000 }, { name: 'payouts' }),
];
let seen: string[];

@Controller('guarded')
class MethodController {
  @Post('default')
  @HttpCode(200)
  @UseGuards(PaymentsWebhookGuard)
  first(@PaymentEvent() { data }: PaymentWebhookEvent): void {
    seen.push(`default ${data.reference}`);
  }

  @Post('payouts')
  @HttpCode(200)
  @UseGuards(PaymentsWebhookGuard.for('payouts'))
  second(@PaymentEvent() { data }: PaymentWebhookEvent): void {
    seen.push(`payouts ${data.reference}`);
  }
}

@Controller('guarded')
@UseGuards(PaymentsWebhookGuard.for('payouts'))
class ClassController {
  @Post('class')
  @HttpCode(200)
  received(@PaymentEvent() { data }: PaymentWebhookEvent): void {
    seen.push(`class ${data.reference}`);
  }
}

@Controller('webhooks')
class PayoutsController {
  @PaymentsWebhook('payouts', { account: 'payouts' })
  received(): void {}
}

let running: WebhookApp | undefined;

beforeEach(() => {
  seen = [];
});
afterEach(async () => {
  await running?.app.close();
  running = undefined;
});

function deliverAsOther(port: number, event: object, path: string): ReturnType<typeof send> {
  const body = JSON.stringify(event);
  const signed = signWebhook({ scheme, secret: otherSecret, body });
  return send(port, path, body, { 'content-type': 'application/json', ...signed });
}

describe.each(adapters)('the guard of a named account on %s', (adapter) => {
  it('lets the webhooks of its own account pass and no others, on a method and on a class', async () => {
    running = await startWebhookApp(adapter, { controllers: [MethodController, ClassController], payments });
    const { port, logs } = running;
    const event = paymentEvent('payment.success', { reference: 'order-1' });
    expect((await deliverAsOther(port, event, '/guarded/payouts')).status).toBe(200);
    expect((await deliverAsOther(port, event, '/guarded/class')).status).toBe(200);
    expect((await deliver(port, event, { path: '/guarded/default' })).status).toBe(200);
    expect(seen).toEqual(['payouts order-1', 'class order-1', 'default order-1']);
    expect((await deliver(port, event, { path: '/guarded/payouts' })).status).toBe(401);
    expect((await deliver(port, event, { path: '/guarded/class' })).status).toBe(401);
    expect((await deliverAsOther(port, event, '/guarded/default')).status).toBe(401);
    expect(seen).toHaveLength(3);
    expect(logs.webhooks('log').filter((line) => line.includes("'payouts'"))).toHaveLength(2);
  });

  it('holds bodies to the limit of its account', async () => {
    running = await startWebhookApp(adapter, { controllers: [MethodController], payments });
    const long = paymentEvent('payment.success', { customer_name: 'x'.repeat(2_000) });
    expect((await deliverAsOther(running.port, long, '/guarded/payouts')).status).toBe(413);
    expect((await deliver(running.port, long, { path: '/guarded/default' })).status).toBe(200);
  });

  it('lets the webhooks of another account pass to a later route, if its own route has a version and a parameter', async () => {
    @Controller({ path: 'webhooks', version: '1' })
    class VersionedController {
      @Post(':any')
      @HttpCode(200)
      @UseGuards(PaymentsWebhookGuard.for('payouts'))
      received(@PaymentEvent() { data }: PaymentWebhookEvent): void {
        seen.push(`payouts ${data.reference}`);
      }
    }
    @Controller('webhooks')
    class PlainController {
      @PaymentsWebhook('payments')
      received(@PaymentEvent() { data }: PaymentWebhookEvent): void {
        seen.push(`default ${data.reference}`);
      }
    }
    running = await startWebhookApp(adapter, {
      controllers: [VersionedController, PlainController],
      payments,
      prepare: (app) => void app.enableVersioning({ type: VersioningType.HEADER, header: 'x-version' }),
    });
    const { port } = running;
    const event = paymentEvent('payment.success', { reference: 'order-1', customer_name: 'x'.repeat(2_000) });
    expect((await deliver(port, event, { path: '/webhooks/payments' })).status).toBe(200);
    const short = paymentEvent('payment.success', { reference: 'order-2' });
    const signed = signWebhook({ scheme, secret: otherSecret, body: JSON.stringify(short) });
    const versioned = { 'content-type': 'application/json', 'x-version': '1', ...signed };
    const answer = await send(port, '/webhooks/payments', JSON.stringify(short), versioned);
    // Fastify prefers the route without a parameter, whatever the version.
    const reached =
      adapter === 'express' ? [200, ['default order-1', 'payouts order-2']] : [401, ['default order-1']];
    expect([answer.status, seen]).toEqual(reached);
  });

  it.each([
    ['path', 'second', '1'],
    ['version', 'first', '2'],
  ])(
    'is that of each class which inherits a method and has a %s of its own',
    async (_what, path, version) => {
      abstract class Ingest {
        @Post('events')
        @HttpCode(200)
        take(@PaymentEvent() { data }: PaymentWebhookEvent): void {
          seen.push(`${this.constructor.name} ${data.reference}`);
        }
      }
      @Controller({ path: 'first', version: '1' })
      @UseGuards(PaymentsWebhookGuard)
      class First extends Ingest {}
      @Controller({ path, version })
      @UseGuards(PaymentsWebhookGuard.for('payouts'))
      class Second extends Ingest {}
      running = await startWebhookApp(adapter, {
        controllers: [First, Second],
        payments,
        prepare: (app) => void app.enableVersioning({ type: VersioningType.HEADER, header: 'x-version' }),
      });
      const { port } = running;
      const toFirst = { path: '/first/events', headers: { 'x-version': '1' } };
      const toSecond = { path: `/${path}/events`, headers: { 'x-version': version } };
      const sendAsOther = (event: object, { path, headers }: typeof toFirst): ReturnType<typeof send> => {
        const signed = signWebhook({ scheme, secret: otherSecret, body: JSON.stringify(event) });
        const type = { 'content-type': 'application/json' };
        return send(port, path, JSON.stringify(event), { ...type, ...signed, ...headers });
      };
      const short = paymentEvent('payment.success', { reference: 'order-1' });
      const long = paymentEvent('payment.success', {
        reference: 'order-2',
        customer_name: 'x'.repeat(2_000),
      });
      expect((await deliver(port, long, toFirst)).status).toBe(200);
      expect((await sendAsOther(short, toSecond)).status).toBe(200);
      expect(seen).toEqual(['First order-2', 'Second order-1']);
      expect((await sendAsOther(short, toFirst)).status).toBe(401);
      expect((await sendAsOther(long, toSecond)).status).toBe(413);
      expect((await deliver(port, short, toSecond)).status).toBe(401);
      expect(seen).toHaveLength(2);
    },
  );

  it('stops the boot if no module registers the account', async () => {
    const boot = startWebhookApp(adapter, { controllers: [MethodController], payments: [paymentsOptions()] });
    await expect(boot).rejects.toThrow(
      "The route POST /guarded/payouts belongs to the account 'payouts', which no PaymentsModule registers",
    );
  });
});

it('the log says whose webhook was set aside', async () => {
  running = await startWebhookApp('express', { controllers: [PayoutsController], payments });
  const { port, logs } = running;
  for (const name of ['payment.failed', 'payment.success']) {
    await deliverAsOther(
      port,
      paymentEvent(name, { reference: 'order-1', amount: '5.00' }),
      '/webhooks/payouts',
    );
  }
  expect(logs.webhooks('error')).toEqual([
    expect.stringContaining(
      'Set aside "payment.success" for the reference "order-1" of the account \'payouts\' as a conflict',
    ),
  ]);
});
