import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ArgumentsHost,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  HttpException,
  type INestApplication,
  Injectable,
  type NestInterceptor,
  RequestTimeoutException,
  Scope,
  SetMetadata,
  UnauthorizedException,
  UseFilters,
  ValidationPipe,
  VersioningType,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, Reflector } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createRequire } from 'node:module';
import { map, race, Subject, switchMap, throwError } from 'rxjs';
import {
  memoryStorage,
  OnPayment,
  PaymentEvent,
  type PaymentsStorage,
  PaymentsWebhook,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import {
  type AdapterName,
  adapters,
  deliver,
  paymentsOptions,
  send,
  startWebhookApp,
  type WebhookApp,
  type WebhookAppOptions,
} from '../../support/webhook-app.js';

const express = createRequire(import.meta.url)('express') as {
  json(): unknown;
  text(options: object): unknown;
  raw(options: object): unknown;
};

const Public = (): MethodDecorator => SetMetadata('isPublic', true);

@Controller('webhooks')
class WebhooksController {
  @Public()
  @PaymentsWebhook('payments')
  received(@PaymentEvent() _event: PaymentWebhookEvent): unknown {
    return { of: 'no interest' };
  }
}

/** What a handler does with the next event. */
let behaviour: () => unknown;
let handled: string[];

@Injectable()
class Orders {
  @OnPayment('payment.success')
  async paid({ data }: PaymentWebhookEvent): Promise<void> {
    await behaviour();
    handled.push(data.reference);
  }
}

@Injectable()
class TokenGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.reflector.getAllAndOverride<boolean>('isPublic', [context.getHandler(), context.getClass()])) {
      return true;
    }
    throw new UnauthorizedException('Bring a token.');
  }
}

interface ResponseLike {
  status(code: number): { send(body: unknown): unknown };
}

/** The application's answer to everything that goes wrong. */
@Catch()
class EverythingFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const code = error instanceof HttpException ? error.getStatus() : 500;
    host.switchToHttp().getResponse<ResponseLike>().status(200).send({ ok: false, code });
  }
}

@Controller('webhooks')
class FilteredAbove {
  @UseFilters(EverythingFilter)
  @PaymentsWebhook('payments')
  received(): void {}
}

@Controller('webhooks')
class FilteredBelow {
  @PaymentsWebhook('payments')
  @UseFilters(EverythingFilter)
  received(): void {}
}

@Catch(UnauthorizedException)
class LoginPageFilter implements ExceptionFilter {
  catch(_error: unknown, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<ResponseLike>().status(302).send('');
  }
}

const wrapping: NestInterceptor = {
  intercept: (_context, next) => next.handle().pipe(map((data: unknown) => ({ ok: true, data }))),
};
const validation = new ValidationPipe({
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  transform: true,
  validateCustomDecorators: true,
});

type Middleware = (
  request: unknown,
  response: { setHeader(name: string, value: string): void },
  next: () => void,
) => void;
const security: Middleware = (_request, response, next) => {
  response.setHeader('Content-Security-Policy', "default-src 'none'");
  response.setHeader('X-Frame-Options', 'DENY');
  next();
};

interface Host {
  readonly options: WebhookAppOptions;
  readonly path?: string;
  readonly only?: AdapterName;
}

const prepared = (prepare: (app: INestApplication) => unknown): Host => ({
  options: { prepare: (app) => void prepare(app) },
});

const HOSTS: Readonly<Record<string, Host>> = {
  'with nothing of its own': { options: {} },
  'with a global guard': { options: { providers: [{ provide: APP_GUARD, useClass: TokenGuard }] } },
  'with strict validation': { options: { providers: [{ provide: APP_PIPE, useValue: validation }] } },
  'with strict validation set in main.ts': prepared((app) => app.useGlobalPipes(validation)),
  'with an interceptor that wraps': {
    options: { providers: [{ provide: APP_INTERCEPTOR, useValue: wrapping }] },
  },
  'with a filter that answers 200 to everything': {
    options: { providers: [{ provide: APP_FILTER, useClass: EverythingFilter }] },
  },
  'with filters set in main.ts': prepared((app) =>
    app.useGlobalFilters(new EverythingFilter(), new LoginPageFilter()),
  ),
  'under a prefix and a default version': {
    path: '/api/webhooks/payments',
    options: {
      prepare: (app) => {
        app.setGlobalPrefix('api');
        app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
      },
    },
  },
  'with rawBody': { options: { nest: { rawBody: true } } },
  'without body parsers': { options: { nest: { bodyParser: false } } },
  'with middleware that sets headers': prepared((app) => app.use(security)),
  'with CORS': { options: { nest: { cors: true } } },
  'with body parsers of its own in main.ts': {
    only: 'express',
    options: {
      prepare: (app) => {
        app.use(express.json(), express.text({ type: '*/*' }), express.raw({ type: '*/*' }));
      },
    },
  },
  'with a content type parser for everything': {
    only: 'fastify',
    options: {
      prepare: (app) => {
        const fastify = (app as NestFastifyApplication).getHttpAdapter().getInstance();
        fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
          done(null, body);
        });
        fastify.addHook('onSend', (_request, reply, payload, done) => {
          void reply.header('x-sent', 'yes');
          done(null, payload);
        });
      },
    },
  },
};

const hosts = (adapter: AdapterName): (readonly [name: string, host: Host])[] =>
  Object.entries(HOSTS).filter(([, { only }]) => only === undefined || only === adapter);

/** A storage that can be lost. */
function losable(): { readonly storage: PaymentsStorage; lost: boolean } {
  const memory = memoryStorage();
  const state = { storage: memory, lost: false };
  const inbox = new Proxy(memory.inbox, {
    get: (target, name) => {
      if (state.lost) return () => Promise.reject(new Error('nobody there'));
      const member = Reflect.get(target, name) as unknown;
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  return Object.assign(state, { storage: { ...memory, inbox } });
}

describe.each(adapters)('an application on %s', (adapter) => {
  let running: WebhookApp | undefined;
  let memory: ReturnType<typeof losable>;

  async function start({ providers = [], ...options }: WebhookAppOptions): Promise<WebhookApp> {
    running = await startWebhookApp(adapter, {
      controllers: [WebhooksController],
      payments: [paymentsOptions({}, { storage: memory.storage })],
      providers: [Orders, ...providers],
      ...options,
    });
    return running;
  }

  beforeEach(() => {
    handled = [];
    behaviour = () => undefined;
    memory = losable();
  });

  afterEach(async () => {
    await running?.app.close();
    running = undefined;
  });

  it.each(hosts(adapter))('%s changes no answer to the gateway', async (_name, { options, path }) => {
    const { port } = await start(options);
    const at = path === undefined ? {} : { path };
    const target = path ?? '/webhooks/payments';
    const json = { 'content-type': 'application/json' };
    const event = paymentEvent('payment.success', { surprise: 'kept' });
    const statuses = {
      unsigned: (await send(port, target, JSON.stringify(event), json)).status,
      long: (await send(port, target, ' '.repeat(300_000), json)).status,
      text: (await deliver(port, event, { ...at, headers: { 'content-type': 'text/plain' } })).status,
      broken: (await deliver(port, '{', at)).status,
      empty: (await deliver(port, '{}', at)).status,
    };
    expect(statuses).toEqual({ unsigned: 401, long: 413, text: 415, broken: 400, empty: 422 });

    memory.lost = true;
    const away = await deliver(port, event, at);
    expect([away.status, away.headers['retry-after']]).toEqual([503, '5']);
    memory.lost = false;
    behaviour = () => Promise.reject(new Error('no shelf'));
    expect((await deliver(port, event, at)).status).toBe(500);
    expect(handled).toEqual([]);
    behaviour = () => undefined;
    expect((await deliver(port, event, at)).status).toBe(200);
    expect((await deliver(port, event, at)).status).toBe(200);
    expect(handled).toEqual([event.data.reference]);
  });

  it('keeps its own answers if its guard refuses, and nothing is done', async () => {
    @Controller('webhooks')
    class Closed {
      @PaymentsWebhook('payments')
      received(): void {}
    }
    const { port } = await start({
      controllers: [Closed],
      providers: [{ provide: APP_GUARD, useClass: TokenGuard }],
    });
    memory.lost = true;
    const answer = await deliver(port, paymentEvent('payment.success'));
    expect(answer.status).toBe(401);
    expect(answer.text).toContain('Bring a token.');
    expect(handled).toEqual([]);
  });

  it('may give up waiting: the work ends, and the next delivery finds it done', async () => {
    const giveUp = new Subject<void>();
    const impatient: NestInterceptor = {
      intercept: (_context, next) =>
        race(next.handle(), giveUp.pipe(switchMap(() => throwError(() => new RequestTimeoutException())))),
    };
    const { port } = await start({ providers: [{ provide: APP_INTERCEPTOR, useValue: impatient }] });
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const begun = new Promise<void>((resolve) => {
      behaviour = () => {
        resolve();
        return finished;
      };
    });
    const event = paymentEvent('payment.success');
    const first = deliver(port, event);
    await begun;
    giveUp.next();
    expect((await first).status).toBe(408);
    const second = deliver(port, event);
    finish();
    expect((await second).status).toBe(200);
    expect(handled).toEqual([event.data.reference]);
  });

  it('shows its filters every other error of the route', async () => {
    const broken: NestInterceptor = {
      intercept: () => throwError(() => new Error('an interceptor of the application')),
    };
    const { port } = await start({
      providers: [
        { provide: APP_FILTER, useClass: EverythingFilter },
        { provide: APP_INTERCEPTOR, useValue: broken },
      ],
    });
    expect((await deliver(port, paymentEvent('payment.success'))).text).toBe('{"ok":false,"code":500}');
  });

  it('may have filters, guards and scopes of its own on the controller', async () => {
    class Scoped {
      @PaymentsWebhook('payments')
      received(@PaymentEvent() { data }: PaymentWebhookEvent): void {
        handled.push(data.reference);
      }
    }
    UseFilters(EverythingFilter)(Scoped);
    Controller({ path: 'webhooks', scope: Scope.REQUEST, version: '2' })(Scoped);
    const { port } = await start({ controllers: [Scoped], providers: [] });
    const event = paymentEvent('payment.failed');
    expect((await send(port, '/webhooks/payments', JSON.stringify(event))).status).toBe(401);
    expect((await deliver(port, event)).status).toBe(200);
    expect(handled).toEqual([event.data.reference]);
  });

  it.each([
    ['above', FilteredAbove],
    ['below', FilteredBelow],
  ])('may have a filter for everything %s the decorator of the route', async (_where, Filtered) => {
    const broken: NestInterceptor = {
      intercept: () => throwError(() => new Error('an interceptor of the application')),
    };
    const { port, app } = await start({ controllers: [Filtered] });
    const event = paymentEvent('payment.success');
    expect((await send(port, '/webhooks/payments', JSON.stringify(event))).status).toBe(401);
    memory.lost = true;
    const away = await deliver(port, event);
    expect([away.status, away.headers['retry-after']]).toEqual([503, '5']);
    memory.lost = false;
    behaviour = () => Promise.reject(new Error('no shelf'));
    expect((await deliver(port, event)).status).toBe(500);
    behaviour = () => undefined;
    expect((await deliver(port, event)).status).toBe(200);
    expect(handled).toEqual([event.data.reference]);
    await app.close();
    // It still hears of every other error.
    const other = await start({
      controllers: [Filtered],
      providers: [{ provide: APP_INTERCEPTOR, useValue: broken }],
    });
    expect((await deliver(other.port, event)).text).toBe('{"ok":false,"code":500}');
  });

  it('sets its headers on what the gateway is answered', async () => {
    const { port } = await start({ prepare: (app) => void app.use(security) });
    const refused = await send(port, '/webhooks/payments', '{}');
    expect([refused.status, refused.headers['x-frame-options']]).toEqual([401, 'DENY']);
    expect(JSON.parse(refused.text)).toEqual({
      statusCode: 401,
      error: 'Unauthorized',
      message: 'The webhook signature is not valid.',
    });
  });
});
