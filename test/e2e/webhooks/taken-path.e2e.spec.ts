import { afterEach, describe, expect, it } from 'vitest';
import {
  All,
  type ArgumentsHost,
  Catch,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  type INestApplication,
  Injectable,
  Module,
  Next,
  Post,
  type Type,
  UseFilters,
  UseInterceptors,
  Version,
  VERSION_NEUTRAL,
  VersioningType,
} from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { NEVER, type Observable } from 'rxjs';
import { OnPayment, PaymentsWebhook } from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import {
  adapters,
  deliver,
  paymentsOptions,
  send,
  startWebhookApp,
  type WebhookApp,
  type WebhookAppOptions,
} from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

let ran: string[] = [];

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(): void {
    ran.push('paid');
  }
}

/** A controller of the application with one route, beside the webhook route at `/webhooks/payments`. */
function controllerWith(
  route: MethodDecorator,
  { at = 'webhooks', ...more }: { at?: string | string[]; host?: string; version?: string | symbol } = {},
): Type {
  @Controller({ path: at, ...more } as object)
  class Others {
    @route
    take(): string {
      return 'taken';
    }
  }
  return Others;
}

/** Leaves a request to the next route. */
function passOn(host: ArgumentsHost): Observable<never> {
  host.switchToHttp().getNext<() => void>()();
  return NEVER;
}

@Catch()
class PassingFilter {
  catch(_error: unknown, host: ArgumentsHost): void {
    passOn(host);
  }
}

let running: WebhookApp | undefined;

async function start(
  options: WebhookAppOptions,
  adapter: (typeof adapters)[number] = 'express',
): Promise<WebhookApp> {
  running = await startWebhookApp(adapter, { providers: [Orders], ...options });
  return running;
}

/** Whether a genuine webhook is handled. */
async function isHandled(
  path = '/webhooks/payments',
  headers: Record<string, string> = {},
): Promise<boolean> {
  ran = [];
  const { status } = await deliver(running!.port, paymentEvent('payment.success'), { path, headers });
  return status === 200 && ran.join() === 'paid';
}

const received = (): readonly string[] =>
  running!.logs.webhooks('log').filter((line) => line.includes('are received at'));

afterEach(async () => {
  await running?.app.close();
  running = undefined;
});

const NOBODY =
  'Nobody reaches the webhook route POST /webhooks/payments of WebhooksController.received, because the route';

describe('a route that comes before the webhook route on Express', () => {
  it.each<[what: string, route: string, controller: Type]>([
    ['with a parameter', 'POST /webhooks/:provider', controllerWith(Post(':provider'))],
    ['of the same path', 'POST /webhooks/payments', controllerWith(Post('payments'))],
    ['in another case', 'POST /WEBHOOKS/Payments', controllerWith(Post('Payments'), { at: 'WEBHOOKS' })],
    ['for everything', 'ALL /*rest', controllerWith(All('*rest'), { at: '' })],
    ['with an optional part', 'POST /webhooks/payments{/:id}', controllerWith(Post('payments{/:id}'))],
    ['with a parameter in a segment', 'POST /webhooks/pay:rest', controllerWith(Post('pay:rest'))],
  ])('stops the boot: %s, and does no harm behind it', async (_what, route, controller) => {
    await expect(start({ controllers: [controller, WebhooksController] })).rejects.toMatchObject({
      name: 'PaymentsConfigError',
      message: expect.stringContaining(`${NOBODY} ${route} of Others.take comes before it`) as unknown,
    });
    await start({ controllers: [WebhooksController, controller] });
    expect(await isHandled()).toBe(true);
    expect(received()).toHaveLength(1);
  });

  it.each<[what: string, controller: Type]>([
    ['another method', controllerWith(Get(':provider'))],
    ['a longer path', controllerWith(Post('payments/:id'))],
    ['a pattern of other paths', controllerWith(All('payments/*rest'))],
    ['a part that must be there', controllerWith(Post('payments-:kind'))],
    ['an optional part of others', controllerWith(Post('{old/}:provider/refunds'))],
  ])('is left alone if it is for %s', async (_what, controller) => {
    const { logs } = await start({ controllers: [controller, WebhooksController] });
    expect(await isHandled()).toBe(true);
    expect(received()).toHaveLength(1);
    expect(logs.webhooks('warn')).toEqual([]);
  });

  it('stops the boot if it is above it in the same class, also if the webhook route has a parameter', async () => {
    @Controller('webhooks')
    class Above {
      @Post(':provider')
      any(): void {}

      @PaymentsWebhook('payments')
      received(): void {}
    }
    @Controller('webhooks')
    class Below {
      @PaymentsWebhook('payments')
      received(): void {}

      @Post(':provider')
      any(): string {
        return 'taken';
      }
    }
    @Controller('webhooks')
    class Tenants {
      @Post('health')
      health(): void {}

      @Post(':provider')
      any(): void {}

      @PaymentsWebhook(':tenant')
      received(): void {}
    }
    await expect(start({ controllers: [Above] })).rejects.toThrow('POST /webhooks/:provider of Above.any');
    await expect(start({ controllers: [Tenants] })).rejects.toThrow(
      'POST /webhooks/:provider of Tenants.any',
    );
    const { port } = await start({ controllers: [Below] });
    expect(await isHandled()).toBe(true);
    expect(await send(port, '/webhooks/others', '{}')).toMatchObject({ status: 201, text: 'taken' });
  });

  it('is sought under global prefixes, and outside of them', async () => {
    const controllers = [controllerWith(All('*rest'), { at: '' }), WebhooksController];
    await expect(start({ controllers, prepare: (app) => app.setGlobalPrefix('api') })).rejects.toThrow(
      'POST /api/webhooks/payments of WebhooksController.received, because the route ALL /api/*rest',
    );
    await start({
      controllers,
      prepare: (app) => app.setGlobalPrefix('api', { exclude: ['webhooks/payments'] }),
    });
    expect(await isHandled()).toBe(true);
    expect(received()).toHaveLength(1);
  });

  it('is sought under the paths of modules, and in their order: the root, then what it imports', async () => {
    @Module({ controllers: [controllerWith(Post(':provider'), { at: '' })] })
    class OthersModule {}
    @Controller()
    class Payments {
      @PaymentsWebhook('payments')
      received(): void {}
    }
    @Module({ controllers: [Payments] })
    class ReceivingModule {}
    const at = (path: string, ...modules: Type[]) => [
      ...modules,
      RouterModule.register([
        { path: 'webhooks', module: ReceivingModule },
        { path, module: OthersModule },
      ]),
    ];
    await expect(start({ imports: at('webhooks', OthersModule, ReceivingModule) })).rejects.toThrow(
      'POST /webhooks/payments of Payments.received, because the route POST /webhooks/:provider',
    );
    await expect(
      start({ imports: [ReceivingModule], controllers: [controllerWith(All('*rest'), { at: '' })] }),
    ).rejects.toThrow('POST /payments of Payments.received, because the route ALL /*rest');
    await start({ imports: at('elsewhere', OthersModule, ReceivingModule) });
    expect(await isHandled()).toBe(true);
    await running?.app.close();
    await start({ imports: at('webhooks', ReceivingModule, OthersModule) });
    expect(await isHandled()).toBe(true);
  });

  it('takes another path if it has a version in the path', async () => {
    const prepare = (app: INestApplication): void => {
      app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
    };
    await start({ prepare, controllers: [controllerWith(Post(':provider')), WebhooksController] });
    expect(await isHandled()).toBe(true);
    expect(received()).toHaveLength(1);
    await running?.app.close();
    const neutral = controllerWith(Post(':provider'), { version: VERSION_NEUTRAL });
    await expect(start({ prepare, controllers: [neutral, WebhooksController] })).rejects.toThrow(NOBODY);
  });

  it('takes only some requests if it has versions by a header: the boot warns', async () => {
    const prepare = (app: INestApplication): void => {
      app.enableVersioning({ type: VersioningType.HEADER, header: 'x-version', defaultVersion: '1' });
    };
    const { logs } = await start({
      prepare,
      controllers: [controllerWith(Post(':provider')), WebhooksController],
    });
    expect(await isHandled()).toBe(true);
    expect(await isHandled('/webhooks/payments', { 'x-version': '1' })).toBe(false);
    expect(received()).toEqual([]);
    expect(logs.webhooks('warn')).toEqual([
      'Some requests for the webhook route POST /webhooks/payments of WebhooksController.received may not reach it, because the route ' +
        "POST /webhooks/:provider of Others.take comes before it and takes those with the version '1': no handler runs for those, and " +
        'nobody checks their signature. Declare the webhook route first. PaymentsWebhooks',
    ]);
    await running?.app.close();
    class Versioned {
      @Version('1')
      @PaymentsWebhook('payments')
      received(): void {}
    }
    Controller('webhooks')(Versioned);
    // The decorator that comes last is the version of the route.
    await expect(start({ prepare, controllers: [controllerWith(Post(':any')), Versioned] })).rejects.toThrow(
      'POST /webhooks/payments of Versioned.received',
    );
    const second = controllerWith(Post(':any'), { version: '2' });
    await start({ prepare, controllers: [second, Versioned] });
    expect(await isHandled('/webhooks/payments', { 'x-version': '1' })).toBe(true);
    expect(received()).toHaveLength(1);
  });

  it('takes only some requests if it has a host: the boot warns', async () => {
    const { logs, port } = await start({
      controllers: [controllerWith(Post(':provider'), { host: 'api.test' }), WebhooksController],
    });
    expect(await isHandled()).toBe(true);
    expect(await send(port, '/webhooks/payments', '{}', { host: 'api.test' })).toMatchObject({ status: 201 });
    expect(received()).toEqual([]);
    expect(logs.webhooks('warn')).toEqual([expect.stringContaining("those for the host 'api.test':")]);
  });

  it('may pass requests on if it has @Next(), or is no method of a controller: the boot warns', async () => {
    @Controller('webhooks')
    class Polite {
      @All(':provider')
      any(@Next() next: () => void): void {
        next();
      }
    }
    const controllers = [Polite, WebhooksController];
    const polite = await start({ controllers });
    expect(await isHandled()).toBe(true);
    expect(received()).toEqual([]);
    expect(polite.logs.webhooks('warn')).toEqual([
      expect.stringContaining(
        'ALL /webhooks/:provider of Polite.any comes before it and takes those that its method does not',
      ),
    ]);
    await polite.app.close();
    const prepare = (app: INestApplication): void => {
      const express = app.getHttpAdapter() as unknown as {
        all(path: string, handler: (request: unknown, response: unknown, next: () => void) => void): unknown;
      };
      express.all('/*rest', (_request, _response, next) => {
        next();
      });
    };
    const { logs } = await start({ controllers: [WebhooksController], prepare });
    expect(await isHandled()).toBe(true);
    expect(logs.webhooks('warn')).toEqual([
      expect.stringContaining('the route ALL /*rest comes before it and takes what it does not pass on'),
    ]);
  });

  it.each([
    ['an interceptor', UseInterceptors({ intercept: passOn })],
    ['a filter', UseFilters(PassingFilter)],
  ])('may pass requests on if it has %s of its own: the boot warns', async (_, around) => {
    @Controller('webhooks')
    @around
    class Polite {
      @Post(':provider')
      any(): void {
        throw new Error('not mine');
      }
    }
    const { logs } = await start({ controllers: [Polite, WebhooksController] });
    expect(await isHandled()).toBe(true);
    expect(logs.webhooks('warn')).toHaveLength(1);
  });

  it('may pass requests on if a decorator of the application gives its method a parameter: the boot warns', async () => {
    const Pass = createParamDecorator((_: unknown, context: ExecutionContext) => () => passOn(context));
    @Controller('webhooks')
    class Polite {
      @Post(':provider')
      any(@Pass() pass: () => Observable<never>): Observable<never> {
        return pass();
      }
    }
    const { logs } = await start({ controllers: [Polite, WebhooksController] });
    expect(await isHandled()).toBe(true);
    expect(logs.webhooks('warn')).toHaveLength(1);
  });

  it('is warned of if the webhook route has another path that is reached', async () => {
    class Payments {
      @PaymentsWebhook('payments')
      received(): void {}
    }
    Controller(['webhooks', 'hooks'])(Payments);
    const { logs } = await start({ controllers: [controllerWith(Post(':provider')), Payments] });
    expect(await isHandled()).toBe(false);
    expect(await isHandled('/hooks/payments')).toBe(true);
    expect(received()).toEqual([expect.stringContaining('POST /hooks/payments')]);
    expect(logs.webhooks('warn')).toEqual([
      expect.stringContaining(
        'Nobody reaches the webhook route POST /webhooks/payments of Payments.received',
      ),
    ]);
  });
});

describe('a webhook route that comes before another one on Express', () => {
  function hooks(account?: string): Type {
    class Hooks {
      @PaymentsWebhook('payments', account === undefined ? {} : { account })
      received(): void {}
    }
    Controller('webhooks')(Hooks);
    return Hooks;
  }

  it('stops the boot if it is for another account, and causes a warning if it is for the same', async () => {
    const payments = [paymentsOptions(), { ...paymentsOptions(), name: 'payouts' }];
    await expect(start({ payments, controllers: [hooks('payouts'), WebhooksController] })).rejects.toThrow(
      `${NOBODY} POST /webhooks/payments of Hooks.received comes before it and takes its webhooks, for the account 'payouts'`,
    );
    const { logs } = await start({ controllers: [hooks(), WebhooksController] });
    expect(await isHandled()).toBe(true);
    expect(logs.webhooks('warn')).toEqual([
      expect.stringContaining(
        'The method of the webhook route POST /webhooks/payments of WebhooksController.received never runs',
      ),
    ]);
  });

  it('is the same one if two modules have its controller', async () => {
    @Module({ controllers: [WebhooksController] })
    class FirstModule {}
    @Module({ controllers: [WebhooksController] })
    class SecondModule {}
    const { logs } = await start({ imports: [FirstModule, SecondModule] });
    expect(await isHandled()).toBe(true);
    expect(logs.webhooks('warn')).toEqual([]);
  });
});

it('on Fastify, the webhook route takes its requests wherever it is declared', async () => {
  await start({ controllers: [controllerWith(Post(':provider')), WebhooksController] }, 'fastify');
  expect(await isHandled()).toBe(true);
  expect(received()).toHaveLength(1);
});
