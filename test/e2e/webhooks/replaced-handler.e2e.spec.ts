import { afterEach, describe, expect, it, vi } from 'vitest';
import { Inject, Injectable, Scope, type Type } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { OnPayment } from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import {
  deliver,
  startWebhookApp,
  type WebhookApp,
  type WebhookAppOptions,
} from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

type Method = (this: unknown, ...args: readonly unknown[]) => unknown;

let ran: string[] = [];

/** A decorator that wraps the method and copies no metadata, as `@Transactional()` of MikroORM does. */
function around(name: string): MethodDecorator {
  return (_target, _key, descriptor: PropertyDescriptor) => {
    const original = descriptor.value as Method;
    descriptor.value = async function (this: unknown, ...args: readonly unknown[]): Promise<unknown> {
      ran.push(`${name} begins`);
      const result = await original.apply(this, [...args]);
      ran.push(`${name} ends`);
      return result;
    };
  };
}

/** A decorator that puts a getter in place of the method, as those that bind `this` do. */
function bound(_target: object, _key: string, descriptor: PropertyDescriptor): PropertyDescriptor {
  const original = descriptor.value as Method;
  return {
    configurable: true,
    get(this: unknown) {
      return original.bind(this);
    },
  };
}

let running: WebhookApp | undefined;

async function start(options: WebhookAppOptions): Promise<WebhookApp> {
  running = await startWebhookApp('express', { controllers: [WebhooksController], ...options });
  return running;
}

/** What runs for one success and one failure. */
async function ranFor(providers: Type[]): Promise<readonly string[]> {
  const { port } = await start({ providers });
  for (const event of ['payment.success', 'payment.failed'] as const) {
    expect((await deliver(port, paymentEvent(event))).status).toBe(200);
  }
  return ran;
}

const listed = (level = 'log'): readonly string[] => running?.logs.webhooks(level) ?? [];

afterEach(async () => {
  await running?.app.close();
  running = undefined;
  ran = [];
});

describe('a handler whose method another decorator replaced', () => {
  it('runs within a decorator above and within one below, with its own this', async () => {
    @Injectable()
    class Orders {
      private readonly shop = 'dar';

      @around('above')
      @OnPayment('payment.success')
      @around('below')
      paid({ event }: { readonly event: string }, { attempt }: { readonly attempt: number }): void {
        ran.push(`${this.shop} ${event} ${attempt}`);
      }
    }
    expect(await ranFor([Orders])).toEqual([
      'above begins',
      'below begins',
      'dar payment.success 1',
      'below ends',
      'above ends',
    ]);
    expect(listed('warn')).toEqual([]);
  });

  it('keeps the triggers of @OnPayment above and below it, and their names', async () => {
    const decorate = (): Type => {
      @Injectable()
      class Orders {
        @OnPayment('payment.failed')
        @around('retry')
        @OnPayment('payment.success', { id: 'orders.ended' })
        ended(): void {
          ran.push('ended');
        }
      }
      return Orders;
    };
    const once = ['retry begins', 'ended', 'retry ends'];
    expect(await ranFor([decorate()])).toEqual([...once, ...once]);
    expect(() => {
      class Orders {
        @OnPayment('payment.failed', { id: 'orders.other' })
        @around('retry')
        @OnPayment('payment.success', { id: 'orders.ended' })
        ended(): void {}
      }
      return Orders;
    }).toThrow("has the `id` 'orders.other' and, by another @OnPayment, 'orders.ended'");
  });

  it('runs if a getter stands in its place', async () => {
    @Injectable()
    class Orders {
      private readonly shop = 'dar';

      @bound
      @OnPayment('payment.success')
      paid(): void {
        ran.push(this.shop);
      }
    }
    expect(await ranFor([Orders])).toEqual(['dar']);
  });

  it('is the spy of a test, before the boot and after it', async () => {
    @Injectable()
    class Orders {
      @OnPayment('payment.success')
      paid(): void {
        ran.push('really paid');
      }
    }
    const spy = vi.spyOn(Orders.prototype, 'paid').mockImplementation(() => ran.push('spied'));
    const { port } = await start({ providers: [Orders] });
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
    expect(spy).toHaveBeenCalledOnce();
    spy.mockRestore();
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
    expect(ran).toEqual(['spied', 'really paid']);
  });

  it.each([Scope.REQUEST, Scope.TRANSIENT])(
    'runs in a provider of scope %j, and in a subclass',
    async (scope) => {
      class Orders {
        @around('above')
        @OnPayment('payment.success')
        paid(): void {
          ran.push(this.constructor.name);
        }
      }
      @Injectable({ scope })
      class ShopOrders extends Orders {}
      expect(await ranFor([ShopOrders])).toEqual(['above begins', 'ShopOrders', 'above ends']);
    },
  );
});

it('a handler that a class borrows from another one runs', async () => {
  class Mixin {
    @OnPayment('payment.success')
    paid(): void {
      ran.push(this.constructor.name);
    }
  }
  @Injectable()
  class Orders {}
  Object.defineProperty(Orders.prototype, 'paid', Object.getOwnPropertyDescriptor(Mixin.prototype, 'paid')!);
  expect(await ranFor([Orders])).toEqual(['Orders']);
});

describe('a method that overrides a handler', () => {
  class Orders {
    @OnPayment('payment.success')
    paid(): void {
      ran.push('base');
    }

    @OnPayment('payment.failed')
    @OnPayment('payment.expired')
    failed(): void {
      ran.push('base failed');
    }
  }

  it('runs with a decorator of its own, and does not run without one: the boot warns', async () => {
    @Injectable()
    class ShopOrders extends Orders {
      @OnPayment('payment.success')
      override paid(): void {
        ran.push('shop');
        super.paid();
      }

      override failed(): void {
        ran.push('shop failed');
      }
    }
    @Injectable()
    class MoreOrders extends ShopOrders {}
    expect(await ranFor([ShopOrders, MoreOrders])).toEqual(['shop', 'base', 'shop', 'base']);
    expect(listed('warn').filter((line) => line.includes('overrides'))).toEqual([
      "ShopOrders.failed overrides Orders.failed, which has @OnPayment('payment.expired') and @OnPayment('payment.failed'), and has " +
        'no @OnPayment of its own, so no webhook runs it: decorators are not inherited by a method that overrides. Write the same ' +
        'above it, even if it is empty on purpose. PaymentsWebhooks',
    ]);
  });

  it('causes one warning, with the nearest handler that it overrides', async () => {
    class DecoratedAgain extends Orders {
      @OnPayment('payment.success')
      override paid(): void {}
    }
    @Injectable()
    class ShopOrders extends DecoratedAgain {
      override paid(): void {}
    }
    await start({ providers: [ShopOrders] });
    expect(listed('warn').filter((line) => line.includes('overrides'))).toEqual([
      expect.stringContaining('ShopOrders.paid overrides DecoratedAgain.paid'),
    ]);
  });

  it('is not mistaken for one if the base class is a provider as well', async () => {
    Injectable()(Orders);
    @Injectable()
    class ShopOrders extends Orders {
      override paid(): void {
        ran.push('shop');
      }
    }
    expect(await ranFor([Orders, ShopOrders])).toEqual(['base', 'base failed', 'base failed']);
    expect(listed('warn')).toEqual([expect.stringContaining('ShopOrders.paid overrides Orders.paid')]);
  });
});

describe('the log of the boot', () => {
  it('lists the handlers by event in one line, and none without handlers', async () => {
    @Injectable()
    class Orders {
      @OnPayment('payment.success')
      paid(): void {}

      @OnPayment('payment.failed', { account: 'default' })
      @OnPayment('payment.expired')
      ended(): void {}
    }
    @Injectable()
    class Audit {
      @around('audit')
      @OnPayment('*')
      @OnPayment('payment.success')
      note(): void {}
    }
    await start({ providers: [Orders, Audit] });
    expect(listed()).toEqual([
      'Handlers of webhooks by event: payment.success: Orders.paid, Audit.note; payment.expired: Orders.ended; ' +
        'payment.failed: Orders.ended; *: Audit.note PaymentsWebhooks',
      expect.stringContaining('are received at'),
    ]);
    await running?.app.close();
    await start({});
    expect(listed()).toEqual([expect.stringContaining('are received at')]);
  });
});

describe('a provider that a handler needs', () => {
  it('fails the webhook if it reads headers, and the log says that there are none', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Tenant {
      readonly name: unknown;

      constructor(@Inject(REQUEST) request: { readonly headers: Record<string, unknown> }) {
        this.name = request.headers['x-tenant'];
      }
    }
    class Orders {
      constructor(readonly tenant: Tenant) {}

      @OnPayment('payment.success')
      paid(): void {
        ran.push('paid');
      }
    }
    Inject(Tenant)(Orders, undefined, 0);
    Injectable()(Orders);
    const { port } = await start({ providers: [Tenant, Orders] });
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(500);
    expect(listed('error')).toEqual([
      expect.stringMatching(
        /^A provider that Orders\.paid needs .* @Inject\(REQUEST\) gives the event, without headers/,
      ),
      expect.stringMatching(/^Orders\.paid failed for .* TypeError: /),
    ]);
    expect(ran).toEqual([]);
  });
});
