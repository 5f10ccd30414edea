import { afterEach, describe, expect, it } from 'vitest';
import { Controller, Headers, Injectable, Param, type PipeTransform, type Type } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { OnPayment, PaymentEvent, PaymentsWebhook, type PaymentWebhookEvent } from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import { adapters, deliver, startWebhookApp, type WebhookApp } from '../../support/webhook-app.js';

const ran: string[] = [];

@Injectable()
class Orders {
  @OnPayment('payment.success')
  async paid(): Promise<void> {
    await Promise.resolve();
    ran.push('paid');
  }
}

type Method = (this: unknown, ...args: readonly unknown[]) => unknown;

/** A decorator that puts another method in place of the one below it. */
function replacedBy(make: (original: Method) => Method): MethodDecorator {
  return (_target, _key, descriptor: PropertyDescriptor) => {
    const original = descriptor.value as Method;
    const method = make(original);
    for (const key of Reflect.getMetadataKeys(original) as unknown[]) {
      Reflect.defineMetadata(key, Reflect.getMetadata(key, original), method);
    }
    descriptor.value = method;
  };
}

const firstArgumentOnly = replacedBy((original) =>
  Object.defineProperty(
    function (this: unknown, event: unknown) {
      ran.push('log');
      return original.call(this, event);
    },
    'name',
    { value: 'received' },
  ),
);
const withoutWaiting = replacedBy((original) => async (...args) => {
  void Promise.resolve(original(...args)).catch(() => undefined);
  await Promise.resolve();
});
const swallowing = replacedBy((original) => async (...args) => {
  await Promise.resolve(original(...args)).catch(() => undefined);
});
const passingOn = replacedBy(
  (original) =>
    function (...args) {
      ran.push('log');
      return original.apply(this, [...args]);
    },
);

describe.each(adapters)('a webhook on %s', (adapter) => {
  let running: WebhookApp | undefined;

  async function start(controller: Type, pipe?: Type<PipeTransform>): Promise<WebhookApp> {
    const pipes = pipe ? [{ provide: APP_PIPE, useClass: pipe }] : [];
    running = await startWebhookApp(adapter, { controllers: [controller], providers: [Orders, ...pipes] });
    return running;
  }

  afterEach(async () => {
    await running?.app.close();
    running = undefined;
    ran.length = 0;
  });

  it.each<[what: string, decorator: MethodDecorator]>([
    ['passes on one argument', firstArgumentOnly],
    ['does not wait', withoutWaiting],
    ['swallows the error of the handlers', swallowing],
  ])('is answered 500, and the log says why, if a decorator of the route %s', async (what, decorator) => {
    class Decorated {
      received(_event: unknown): void {
        if (what.startsWith('swallows')) throw new Error('no stock');
        ran.push('route');
      }
    }
    PaymentEvent()(Decorated.prototype, 'received', 0);
    const descriptor = Object.getOwnPropertyDescriptor(Decorated.prototype, 'received')!;
    PaymentsWebhook('payments')(Decorated.prototype, 'received', descriptor);
    decorator(Decorated.prototype, 'received', descriptor);
    Object.defineProperty(Decorated.prototype, 'received', descriptor);
    Controller('webhooks')(Decorated);
    const { port, logs } = await start(Decorated);
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(500);
    // What the handlers answered after that is another line.
    const lines = logs.webhooks('error').filter((line) => line.includes('@PaymentsWebhook'));
    expect(lines).toEqual([
      expect.stringContaining('A decorator above @PaymentsWebhook replaced Decorated.received'),
    ]);
    expect(lines[0]).toContain('original.apply(this, args)');
  });

  it('is handled if a decorator of the route passes everything on, or is below', async () => {
    @Controller('webhooks')
    class Logged {
      @passingOn
      @PaymentsWebhook('above')
      above(@PaymentEvent() _event: unknown): void {
        ran.push('above');
      }

      @PaymentsWebhook('below')
      @firstArgumentOnly
      below(@PaymentEvent() _event: unknown): void {
        ran.push('below');
      }
    }
    const { port, logs } = await start(Logged);
    const above = await deliver(port, paymentEvent('payment.success'), { path: '/webhooks/above' });
    const below = await deliver(port, paymentEvent('payment.success'), { path: '/webhooks/below' });
    expect([above.status, below.status]).toEqual([200, 200]);
    expect(ran).toEqual(['log', 'paid', 'above', 'paid', 'log', 'below']);
    expect(logs.webhooks('error')).toEqual([]);
  });

  it('is handled once by a route that overrides another one and passes everything on to it', async () => {
    class Base {
      @PaymentsWebhook('payments')
      received(@PaymentEvent() { data }: PaymentWebhookEvent, ..._more: readonly unknown[]): void {
        ran.push(`base ${data.reference}`);
      }
    }
    @Controller('rest')
    class Rest extends Base {
      @PaymentsWebhook('payments')
      override received(...all: [PaymentWebhookEvent]): void {
        ran.push(`override ${all.length}`);
        super.received(...all);
      }
    }
    @Controller('more')
    class More extends Base {
      @PaymentsWebhook('payments')
      override received(@PaymentEvent() event: PaymentWebhookEvent, @Headers('x-shop') shop: string): void {
        ran.push(shop);
        super.received(event, shop);
      }
    }
    running = await startWebhookApp(adapter, { controllers: [Rest, More], providers: [Orders] });
    const headers = { 'x-shop': 'dar' };
    for (const path of ['/rest/payments', '/more/payments']) {
      const event = paymentEvent('payment.success', { reference: path });
      expect((await deliver(running.port, event, { path, headers })).status).toBe(200);
    }
    expect(ran).toEqual(['paid', 'override 1', 'base /rest/payments', 'paid', 'dar', 'base /more/payments']);
  });

  it.each<[made: string, clone: (value: unknown) => unknown]>([
    ['undefined', (value) => (typeof value === 'function' ? undefined : value)],
    ['null', (value) => (typeof value === 'function' ? null : value)],
    ['an object', (value) => (typeof value === 'function' ? Object.assign({}, value) : value)],
  ])(
    'is answered 500, and the log says why, if a global pipe makes %s of what it does not know',
    async (_made, clone) => {
      class ClonePipe implements PipeTransform {
        transform(value: unknown): unknown {
          return clone(value);
        }
      }
      @Controller('webhooks')
      class Tenants {
        @PaymentsWebhook(':tenant/payments')
        received(@Param('tenant') _tenant: string, @PaymentEvent() _event: unknown): void {
          ran.push('route');
        }

        @PaymentsWebhook('payments')
        fixed(): void {
          ran.push('route');
        }
      }
      const { port, logs } = await start(Tenants, ClonePipe);
      for (const path of ['/webhooks/dar/payments', '/webhooks/payments']) {
        expect((await deliver(port, paymentEvent('payment.success'), { path })).status).toBe(500);
      }
      expect(ran).toEqual([]);
      expect(logs.webhooks('error')).toEqual([
        expect.stringContaining('A global pipe changed the function that Tenants.received gets'),
        expect.stringContaining('A global pipe changed the function that Tenants.fixed gets'),
      ]);
    },
  );
});
