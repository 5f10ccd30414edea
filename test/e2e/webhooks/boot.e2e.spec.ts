import { afterEach, describe, expect, it } from '@jest/globals';
import {
  applyDecorators,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Injectable,
  Module,
  Next,
  type PipeTransform,
  Res,
  Scope,
  SetMetadata,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { map } from 'rxjs';
import { type PaymentWebhookEvent } from '../../../lib/common/events.js';
import { PaymentsModule } from '../../../lib/payments.module.js';
import { paymentEvent } from '../../../lib/testing/payment-event.js';
import { postWebhook } from '../../../lib/testing/post-webhook.js';
import { OnPayment, type PaymentTrigger } from '../../../lib/webhooks/handlers/on-payment.decorator.js';
import { PaymentsInbox } from '../../../lib/webhooks/payments-inbox.js';
import { PaymentEvent } from '../../../lib/webhooks/routes/payment-event.decorator.js';
import { PaymentsWebhook } from '../../../lib/webhooks/routes/payments-webhook.decorator.js';
import { PaymentsWebhookGuard } from '../../../lib/webhooks/routes/payments-webhook.guard.js';
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

  it('does not boot when a handler stands in a request-scoped controller', async () => {
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

  it('answers a route that injects the response, and is not built where nobody would', async () => {
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
        'SilentController.received receives webhooks and injects @Res() or @Next()',
      );
    }
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

  it('warns once when nothing listens to payments, and not when something does', async () => {
    const silent = await start();
    expect(silent.logs.webhooks('warn')).toEqual([
      expect.stringContaining("No @OnPayment('payment.success')"),
    ]);
    await silent.app.close();
    const heard = await start({ providers: [Orders] });
    expect(heard.logs.webhooks('warn')).toEqual([]);
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
    expect(received.map(({ data }) => data['surprise'])).toEqual(['kept', 'kept']);
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

  it('does no harm where there is no HTTP server, and the inbox works there', async () => {
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
