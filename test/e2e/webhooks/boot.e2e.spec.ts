import { afterEach, describe, expect, it } from 'vitest';
import {
  All,
  applyDecorators,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  HttpCode,
  type INestApplication,
  Injectable,
  Ip,
  Module,
  Next,
  type OnModuleInit,
  Param,
  ParseIntPipe,
  type PipeTransform,
  Post,
  RawBody,
  Req,
  Res,
  Scope,
  SetMetadata,
  type Type,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { ModuleRef, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { map } from 'rxjs';
import {
  OnPayment,
  type OnPaymentOptions,
  PaymentEvent,
  PaymentsInbox,
  PaymentsModule,
  PaymentsWebhook,
  PaymentsWebhookGuard,
  type PaymentTrigger,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { paymentEvent, postWebhook } from 'nestjs-payments/testing';
import { useQueue } from '../../support/delivery-queue.js';
import {
  adapters,
  deliver,
  LogLines,
  paymentsOptions,
  scheme,
  secret,
  startWebhookApp,
  type WebhookApp,
  type WebhookAppOptions,
} from '../../support/webhook-app.js';

let received: PaymentWebhookEvent[] = [];

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('payments')
  received(@PaymentEvent() event: PaymentWebhookEvent): void {
    received.push(event);
  }
}

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(event: PaymentWebhookEvent): void {
    received.push(event);
  }
}

describe.each(adapters)('an application with webhooks on %s', (adapter) => {
  let running: WebhookApp | undefined;

  async function start(options: WebhookAppOptions = {}): Promise<WebhookApp> {
    received = [];
    running = await startWebhookApp(adapter, { controllers: [WebhooksController], ...options });
    return running;
  }

  afterEach(async () => {
    await running?.app.close();
    running = undefined;
  });

  it('does not boot when the account of a route has no webhooks option', async () => {
    const { webhooks: _none, ...without } = paymentsOptions();
    await expect(start({ payments: [without] })).rejects.toMatchObject({
      name: 'PaymentsConfigError',
      message: expect.stringMatching(
        /POST \/webhooks\/payments .*'default'.*webhooks: \{ scheme, secrets \}/,
      ) as unknown,
    });
  });

  it('does not boot when a route or a handler names an unknown account', async () => {
    class Elsewhere {
      @PaymentsWebhook('payments', { account: 'payuots' })
      received(): void {}
    }
    Controller('webhooks')(Elsewhere);
    const known = { message: expect.stringMatching(/'payuots'.*registered: 'default'/) as unknown };
    await expect(start({ controllers: [Elsewhere] })).rejects.toMatchObject(known);

    @Injectable()
    class Payouts {
      @OnPayment('payment.failed', { account: 'payuots' })
      failed(): void {}
    }
    await expect(start({ providers: [Payouts] })).rejects.toMatchObject(known);
  });

  it('does not boot when a handler listens to what never happens', async () => {
    @Injectable()
    class Misspelt {
      @OnPayment('payment.sucess' as PaymentTrigger)
      paid(): void {}
    }
    await expect(start({ providers: [Misspelt] })).rejects.toMatchObject({
      name: 'PaymentsConfigError',
      message: expect.stringMatching(/'payment\.sucess'\) of Misspelt\.paid .* payment\.success/) as unknown,
    });
  });

  it('does not boot when a handler is in a request-scoped controller', async () => {
    @Controller({ path: 'scoped', scope: Scope.REQUEST })
    class ScopedController {
      @OnPayment('payment.success')
      paid(): void {}
    }
    await expect(start({ controllers: [ScopedController] })).rejects.toMatchObject({
      message: expect.stringContaining('move the method to a provider') as unknown,
    });
  });

  it('is not built with a handler that is static', () => {
    const decorate = (): unknown => {
      class StaticOrders {
        name = 'orders';

        @OnPayment('payment.success')
        static paid(): void {}
      }
      return StaticOrders;
    };
    expect(decorate).toThrow(
      "@OnPayment('payment.success') of StaticOrders.paid never fires on a static method",
    );
  });

  it('is not built with a handler whose name is a symbol', () => {
    const paid = Symbol('paid');
    class Hidden {
      [paid](): void {}
    }
    const descriptor = Object.getOwnPropertyDescriptor(Hidden.prototype, paid)!;
    expect(() => {
      OnPayment('payment.success')(Hidden.prototype, paid, descriptor);
    }).toThrow("@OnPayment('payment.success') of Hidden[Symbol(paid)] never fires");
  });

  it('does not boot when the method of a route is a handler as well', async () => {
    @Controller('webhooks')
    class BothController {
      @PaymentsWebhook('below')
      @OnPayment('payment.success')
      below(): void {}
    }
    await expect(start({ controllers: [BothController] })).rejects.toMatchObject({
      name: 'PaymentsConfigError',
      message: expect.stringContaining('BothController.below has @PaymentsWebhook and @OnPayment') as unknown,
    });
    @Controller('webhooks')
    class OtherController {
      @OnPayment('payment.success')
      @PaymentsWebhook('above')
      above(): void {}
    }
    await expect(start({ controllers: [OtherController] })).rejects.toMatchObject({
      message: expect.stringContaining(
        'OtherController.above has @PaymentsWebhook and @OnPayment',
      ) as unknown,
    });
  });

  it('answers a route that injects the response, and does not build one that nothing would answer', async () => {
    @Controller('webhooks')
    class PassingController {
      @PaymentsWebhook('payments')
      received(@Res({ passthrough: true }) response: unknown): void {
        received.push(response as PaymentWebhookEvent);
      }
    }
    const { port } = await start({ controllers: [PassingController] });
    received = [];
    const event = paymentEvent('payment.success');
    expect((await deliver(port, event)).status).toBe(200);
    expect((await deliver(port, event)).status).toBe(200);
    expect(received).toHaveLength(1);
    for (const injected of [Res(), Next()]) {
      class SilentController {
        received(_injected: unknown): void {}
      }
      injected(SilentController.prototype, 'received', 0);
      const { prototype } = SilentController;
      const descriptor = Object.getOwnPropertyDescriptor(prototype, 'received')!;
      expect(() => PaymentsWebhook('payments')(prototype, 'received', descriptor)).toThrow(
        'SilentController.received receives webhooks and injects @Res() or @Next(), so that Nest would answer nothing: ' +
          'leave it out, or write @Res({ passthrough: true }).',
      );
    }
  });

  it.each([
    ['the address of the sender', Ip()],
    ['the raw body', RawBody()],
    ['the request', Req()],
  ])('builds a route that injects %s, which leaves the answer to Nest', (_, inject) => {
    class Injecting {
      received(_injected: unknown): void {}
    }
    inject(Injecting.prototype, 'received', 0);
    const descriptor = Object.getOwnPropertyDescriptor(Injecting.prototype, 'received')!;
    expect(() => {
      PaymentsWebhook('payments')(Injecting.prototype, 'received', descriptor);
    }).not.toThrow();
  });

  it('does not boot when the path of a route is a pattern', async () => {
    class Anywhere {
      @PaymentsWebhook('pay*rest')
      received(): void {}
    }
    Controller('webhooks')(Anywhere);
    await expect(start({ controllers: [Anywhere] })).rejects.toMatchObject({ name: 'PaymentsConfigError' });
  });

  it('does not boot without the module', async () => {
    await expect(start({ payments: [] })).rejects.toMatchObject({
      name: 'PaymentsConfigError',
      message: expect.stringContaining('PaymentsModule.forRoot') as unknown,
    });
  });

  it('does not boot when something hides a route from the package', async () => {
    const hiding = (app: INestApplication): void => {
      type Register = (path: string, handler: (...args: readonly unknown[]) => unknown) => unknown;
      const adapter = app.getHttpAdapter() as unknown as { post: Register };
      const post = adapter.post.bind(adapter);
      // What Nest 11 does after `setOnRouteTriggered()`.
      adapter.post = (path, handler) => post(path, (...args) => handler(...args));
    };
    @Controller('webhooks')
    class GuardedController {
      @Post('guarded')
      @UseGuards(PaymentsWebhookGuard)
      guarded(): void {}
    }
    for (const [controller, name] of [
      [WebhooksController, 'WebhooksController.received'],
      [GuardedController, 'GuardedController.guarded'],
    ] as const) {
      await expect(start({ controllers: [controller], prepare: hiding })).rejects.toMatchObject({
        name: 'PaymentsConfigError',
        message: expect.stringContaining(`${name} receives webhooks, but the HTTP adapter`) as unknown,
      });
    }
  });

  it('receives or does not boot, if a callback gets each triggered route', async () => {
    const triggered: string[] = [];
    const watching = (app: INestApplication): void => {
      const adapter = app.getHttpAdapter() as unknown as {
        setOnRouteTriggered(told: (method: number, path: string) => void): void;
      };
      adapter.setOnRouteTriggered((_method, path) => triggered.push(path));
    };
    const starting = start({ prepare: watching });
    const outcome = await starting.then(
      async ({ port }) => (await deliver(port, paymentEvent('payment.success'))).status,
      (error: unknown) => (error as Error).name,
    );
    // Nest 11 registers wrappers without metadata.
    expect([200, 'PaymentsConfigError']).toContain(outcome);
    if (outcome === 200) expect(triggered).toEqual(['/webhooks/payments']);
  });

  it('boots with a guarded class that has other methods than POST routes', async () => {
    @Controller('webhooks')
    @UseGuards(PaymentsWebhookGuard)
    class GuardedController {
      @Post('payments')
      received(): void {}

      @Get('payments')
      list(): void {}

      @All('everything')
      everything(): void {}

      helper(): void {}
    }
    const { port } = await start({ controllers: [GuardedController] });
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(201);
  });

  it('warns of a route that answers another status than 200, which the gateway takes for a failure', async () => {
    @Controller('own')
    class OwnController {
      @HttpCode(202)
      @PaymentsWebhook('accepted')
      accepted(): void {}

      @Post('created')
      @UseGuards(PaymentsWebhookGuard)
      created(): void {}

      @Post('ok')
      @HttpCode(200)
      @UseGuards(PaymentsWebhookGuard)
      ok(): void {}
    }
    @Controller('own')
    @UseGuards(PaymentsWebhookGuard)
    class GuardedController {
      @Post('guarded')
      guarded(): void {}
    }
    const { port, logs } = await start({
      controllers: [OwnController, GuardedController],
      providers: [Orders],
    });
    const told = (name: string, status: number, owner = 'OwnController'): string =>
      `${owner}.${name} answers a webhook at POST /own/${name} with ${status}: only 200 counts as delivered, and the ` +
      'gateway delivers again. Write @HttpCode(200) above the method. PaymentsWebhooks';
    expect(logs.webhooks('warn')).toEqual([
      told('accepted', 202),
      told('created', 201),
      told('guarded', 201, 'GuardedController'),
    ]);
    for (const [path, status] of [
      ['accepted', 202],
      ['created', 201],
      ['guarded', 201],
      ['ok', 200],
    ] as const) {
      const event = paymentEvent('payment.success', { reference: path });
      expect((await deliver(port, event, { path: `/own/${path}` })).status).toBe(status);
    }
  });

  it('warns once when nothing listens to payments, and not when something does', async () => {
    const silent = await start();
    expect(silent.logs.webhooks('warn')).toEqual([
      "No @OnPayment('payment.success') handler listens to the account 'default': a payment is then answered 200 after the " +
        "route's own method alone. PaymentsWebhooks",
    ]);
    await silent.app.close();
    const heard = await start({ providers: [Orders] });
    expect(heard.logs.webhooks('warn')).toEqual([]);
  });

  it('does not warn of missing handlers if a queue takes the deliveries', async () => {
    @Injectable()
    class Queue implements OnModuleInit {
      constructor(private readonly moduleRef: ModuleRef) {}

      onModuleInit(): void {
        useQueue(this.moduleRef, () => Promise.resolve());
      }
    }
    const { logs } = await start({ providers: [Queue] });
    expect(logs.webhooks('warn')).toEqual([]);
  });

  it('looks for handlers beside providers whose value is nothing, a text or a function', async () => {
    const values = [null, undefined, 'a text', () => {}];
    const others = values.map((useValue, index) => ({ provide: `value ${index}`, useValue }));
    const { port, logs } = await start({ providers: [...others, Orders] });
    expect(logs.webhooks('warn')).toEqual([]);
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
  });

  it('warns when one class is provided twice and would run twice', async () => {
    @Module({ providers: [Orders] })
    class FirstModule {}
    @Module({ providers: [Orders] })
    class SecondModule {}
    const { logs } = await start({ imports: [FirstModule, SecondModule] });
    expect(logs.webhooks('warn')).toEqual([
      expect.stringContaining('Orders.paid was found in more than one'),
    ]);
  });

  it('warns when two handlers are remembered under one name', async () => {
    class Orders2 {
      @OnPayment('payment.success', { id: 'orders.paid' })
      paid(): void {}
    }
    class Mails {
      @OnPayment('payment.success', { id: 'orders.paid' })
      thank(): void {}
    }
    for (const provider of [Orders2, Mails]) Injectable()(provider);
    const { logs } = await start({ providers: [Orders2, Mails] });
    expect(logs.webhooks('warn')).toEqual([
      expect.stringContaining("2 handlers share the name 'orders.paid' (Orders2.paid, Mails.thank)"),
    ]);
  });

  it('warns when a bundler shortened the name of a class whose handlers have no id', async () => {
    const bundled = (name: string, options?: OnPaymentOptions): Type => {
      class Bundled {
        @OnPayment('payment.success', options)
        paid(): void {}
      }
      Injectable()(Bundled);
      return Object.defineProperty(Bundled, 'name', { value: name });
    };
    const { logs, app } = await start({ providers: [bundled('t'), bundled('Xe'), bundled('')] });
    expect(logs.webhooks('warn')).toEqual([
      expect.stringContaining('shortened the class names of the handlers t.paid, Xe.paid, .paid:'),
    ]);
    await app.close();
    const named = await start({ providers: [bundled('t', { id: 'orders.paid' }), bundled('Box')] });
    expect(named.logs.webhooks('warn')).toEqual([]);
  });

  it.each<[string, OnPaymentOptions]>([
    ['an empty id', { id: '' }],
    ['an id with white space', { id: 'conflict Orders' }],
    ['an id of 101 characters', { id: 'a'.repeat(101) }],
    ['an id that is no text', { id: 7 as never }],
  ])('refuses %s', (_what, options) => {
    const descriptor = Object.getOwnPropertyDescriptor(Orders.prototype, 'paid')!;
    expect(() => {
      OnPayment('payment.success', options)(Orders.prototype, 'paid', descriptor);
    }).toThrow("@OnPayment('payment.success') of Orders.paid has an `id` that is no name");
  });

  it('refuses two ids for one method', () => {
    class Twice {
      paid(): void {}
    }
    const descriptor = Object.getOwnPropertyDescriptor(Twice.prototype, 'paid')!;
    const decorate = (id?: string) => () => {
      OnPayment('payment.success', id === undefined ? {} : { id })(Twice.prototype, 'paid', descriptor);
    };
    for (const id of ['one', undefined, 'one']) decorate(id)();
    expect(decorate('two')).toThrow("has the `id` 'two' and, by another @OnPayment, 'one'");
  });

  it('lets a request-scoped controller receive', async () => {
    class Scoped {
      private readonly mine = received;

      @PaymentsWebhook('payments')
      received(@PaymentEvent() event: PaymentWebhookEvent): void {
        this.mine.push(event);
      }
    }
    Controller({ path: 'webhooks', scope: Scope.REQUEST })(Scoped);
    const { port } = await start({ controllers: [Scoped] });
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
    expect(received).toHaveLength(1);
  });

  it('keeps what other decorators write on the method, above and below', async () => {
    const Public = (): MethodDecorator => SetMetadata('isPublic', true);
    const Documented = (): MethodDecorator => applyDecorators(SetMetadata('documented', 'yes'), Public());
    class Above {
      @Public()
      @PaymentsWebhook('above')
      received(): void {}
    }
    class Below {
      @PaymentsWebhook('below')
      @Documented()
      received(): void {}
    }
    class Neither {
      @PaymentsWebhook('neither')
      received(): void {}
    }
    for (const controller of [Above, Below, Neither]) Controller('webhooks')(controller);
    const locked: CanActivate = {
      canActivate: (context: ExecutionContext) =>
        Reflect.getMetadata('isPublic', context.getHandler()) === true,
    };
    const { port } = await start({
      controllers: [Above, Below, Neither],
      prepare: (app) => app.useGlobalGuards(locked),
    });
    const event = paymentEvent('payment.success');
    expect((await deliver(port, event, { path: '/webhooks/above' })).status).toBe(200);
    expect((await deliver(port, event, { path: '/webhooks/below' })).status).toBe(200);
    expect((await deliver(port, event, { path: '/webhooks/neither' })).status).toBe(403);
    expect(Reflect.getMetadata('documented', Below.prototype.received)).toBe('yes');
    expect(Below.prototype.received.name).toBe('received');
  });

  it('receives behind strict validation, pipes that rebuild values and interceptors that wrap answers', async () => {
    const rebuild: PipeTransform = {
      transform: (value: unknown) =>
        typeof value === 'object' && value !== null ? ({ ...value } as unknown) : value,
    };
    const { port } = await start({
      providers: [Orders],
      prepare: (app) => {
        app.useGlobalPipes(
          new ValidationPipe({
            whitelist: true,
            forbidNonWhitelisted: true,
            transform: true,
            validateCustomDecorators: true,
          }),
          rebuild,
        );
        app.useGlobalInterceptors({
          intercept: (_context, next) => next.handle().pipe(map((data: unknown) => ({ data }))),
        });
      },
    });
    const event = paymentEvent('payment.success', { surprise: 'kept' });
    expect((await deliver(port, event)).status).toBe(200);
    expect(received).toHaveLength(2);
    expect(received.map(({ data }) => (data as { surprise?: unknown }).surprise)).toEqual(['kept', 'kept']);
  });

  it('answers what a failing pipe of the route throws before any handler runs, and handles a delivery that passes it', async () => {
    @Controller('webhooks')
    class TenantController {
      @PaymentsWebhook(':tenant')
      received(
        @Param('tenant', ParseIntPipe) tenant: number,
        @PaymentEvent() event: PaymentWebhookEvent,
      ): void {
        received.push({ ...event, event: `${event.event} of ${tenant}` });
      }
    }
    const { port, app } = await start({ controllers: [TenantController], providers: [Orders] });
    const event = paymentEvent('payment.success');
    expect((await deliver(port, event, { path: '/webhooks/shop' })).status).toBe(400);
    expect(received).toEqual([]);
    expect((await deliver(port, event, { path: '/webhooks/7' })).status).toBe(200);
    expect(received.map((one) => one.event)).toEqual(['payment.success', 'payment.success of 7']);
    expect(await app.get(PaymentsInbox).conflicts()).toEqual([]);
  });

  it('answers 500 and says why when a test has replaced the guard', async () => {
    const logs = new LogLines();
    const module = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot(paymentsOptions())],
      controllers: [WebhooksController],
    })
      .setLogger(logs)
      .overrideGuard(PaymentsWebhookGuard)
      .useValue({ canActivate: () => true })
      .compile();
    received = [];
    const app = module.createNestApplication({ logger: logs });
    const answer = await postWebhook(app, '/webhooks/payments', paymentEvent('payment.success'), {
      scheme,
      secret,
    });
    expect(answer.status).toBe(500);
    expect(received).toEqual([]);
    expect(logs.webhooks('error').join()).toContain('nobody verified');
    await app.close();
  });
});

describe('a webhook route', () => {
  it('can be called like any method in a unit test', () => {
    received = [];
    const event = paymentEvent('payment.success');
    new WebhooksController().received(event);
    expect(received).toEqual([event]);
  });

  it.each(adapters)('receives in an application of NestFactory on %s', async (adapter) => {
    @Module({ imports: [PaymentsModule.forRoot(paymentsOptions())], controllers: [WebhooksController] })
    class AppModule {}
    const { FastifyAdapter } = await import('@nestjs/platform-fastify');
    received = [];
    const app = await NestFactory.create(
      AppModule,
      adapter === 'express' ? new ExpressAdapter() : new FastifyAdapter(),
      {
        logger: false,
      },
    );
    const answer = await postWebhook(app, '/webhooks/payments', paymentEvent('payment.success'), {
      scheme,
      secret,
    });
    expect(answer.status).toBe(200);
    expect(received).toHaveLength(1);
    await app.close();
  });

  it('does no harm without an HTTP server, and the inbox works there', async () => {
    @Module({
      imports: [PaymentsModule.forRoot(paymentsOptions())],
      controllers: [WebhooksController],
      providers: [Orders],
    })
    class WorkerModule {}
    const worker = await NestFactory.createApplicationContext(WorkerModule, { logger: false });
    expect(await worker.get(PaymentsInbox).conflicts()).toEqual([]);
    await worker.close();
  });
});
