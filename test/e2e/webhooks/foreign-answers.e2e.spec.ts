import { afterEach, describe, expect, it, vi } from 'vitest';
import { EventEmitter, once } from 'node:events';
import { performance } from 'node:perf_hooks';
import {
  type ArgumentsHost,
  Body,
  type CallHandler,
  type CanActivate,
  Catch,
  ConflictException,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  HttpException,
  type INestApplication,
  Injectable,
  type NestInterceptor,
  Post,
  type Provider,
  RequestTimeoutException,
  Scope,
  UnauthorizedException,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { SkipThrottle, ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { IsString } from 'class-validator';
import { catchError, from, map, merge, of, throwError } from 'rxjs';
import {
  customScheme,
  OnPayment,
  PaymentsWebhook,
  PaymentsWebhookGuard,
  type SignatureVerdict,
} from 'nestjs-payments';
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
import { unverifiedBytesIn } from '../../support/unverified-bytes.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

@Controller('webhooks')
class VerifyingController {
  @Post('payments')
  @UseGuards(PaymentsWebhookGuard)
  received(): void {
    throw new ConflictException();
  }
}

@Controller('webhooks')
class TenantsController {
  @PaymentsWebhook(':tenant')
  received(): void {
    return;
  }
}

class Form {
  @IsString()
  field!: string;
}

@Controller('webhooks')
class FormController {
  @PaymentsWebhook('payments')
  received(@Body() _form: Form): void {
    return;
  }
}

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(): void {
    return;
  }
}

@Injectable()
class FailingOrders {
  @OnPayment('payment.success')
  paid(): void {
    throw new Error('no order');
  }
}

@Injectable()
class TokenGuard implements CanActivate {
  canActivate(): boolean {
    throw new UnauthorizedException();
  }
}

@Injectable()
class NobodyGuard implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

@Injectable()
class LimitGuard implements CanActivate {
  canActivate(): boolean {
    throw new HttpException('Too many', 429);
  }
}

@Injectable()
class OddStackGuard implements CanActivate {
  canActivate(): boolean {
    throw Object.assign(new UnauthorizedException(), { stack: [{ at: 'OddStackGuard' }] });
  }
}

@Injectable()
class ImpatientInterceptor implements NestInterceptor {
  intercept(): ReturnType<NestInterceptor['intercept']> {
    throw new ConflictException();
  }
}

@Injectable()
class CachingInterceptor implements NestInterceptor {
  intercept(): ReturnType<NestInterceptor['intercept']> {
    return of('cached');
  }
}

@Injectable()
class SwallowingInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): ReturnType<NestInterceptor['intercept']> {
    return next.handle().pipe(catchError(() => of('fine')));
  }
}

@Injectable()
class LateInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): ReturnType<NestInterceptor['intercept']> {
    return next.handle().pipe(
      map(() => {
        throw new ConflictException();
      }),
      catchError((error: unknown) => throwError(() => error)),
    );
  }
}

@Catch()
class AlwaysFineFilter implements ExceptionFilter {
  catch(_exception: unknown, host: ArgumentsHost): void {
    host
      .switchToHttp()
      .getResponse<{ status(code: number): { send(body: string): void } }>()
      .status(200)
      .send('fine');
  }
}

type Middleware = (
  request: { readonly method: string },
  response: {
    statusCode: number;
    setHeader(name: string, value: string): void;
    end(text?: string): void;
  },
  next: () => void,
) => void;

const answering =
  (status: number): Middleware =>
  (request, response, next) => {
    if (request.method !== 'POST') {
      next();
      return;
    }
    response.statusCode = status;
    if (status === 302) response.setHeader('location', '/login');
    response.end('no');
  };

const withMiddleware =
  (middleware: Middleware) =>
  (app: INestApplication): void => {
    app.use(middleware);
  };

const event = paymentEvent('payment.success');

describe.each(adapters)('a webhook route on %s', (adapter) => {
  const isFastify = adapter === 'fastify';
  const others = isFastify
    ? 'a middleware, a body parser, or a hook of Fastify'
    : 'a middleware, or a body parser';
  let running: WebhookApp | undefined;
  afterEach(async () => {
    await running?.app.close();
    running = undefined;
  });

  async function start({ providers = [], ...options }: WebhookAppOptions): Promise<WebhookApp> {
    running = await startWebhookApp(adapter, {
      controllers: [WebhooksController],
      payments: [paymentsOptions({ retentionDays: Infinity })],
      providers: [Orders, ...providers],
      ...options,
    });
    return running;
  }

  function foreignLines({ logs }: WebhookApp): string[] {
    return logs.webhooks('error').filter((line) => line.includes('not by this package'));
  }

  /** The status of a genuine delivery, and the lines about it after a second delivery had the same answer. */
  async function foreign(options: WebhookAppOptions): Promise<{ status: number; lines: string[] }> {
    const started = await start(options);
    const { port } = started;
    const lines = (): string[] => foreignLines(started);
    const { status } = await deliver(port, event);
    await expect.poll(() => lines().length).toBe(1);
    expect((await deliver(port, event)).status).toBe(status);
    // The answer to this one leaves after the second delivery was examined.
    await send(port, '/webhooks/payments', '{}');
    expect(lines()).toHaveLength(1);
    return { status, lines: lines() };
  }

  const guard = (useClass: new (...args: never[]) => CanActivate): Provider => ({
    provide: APP_GUARD,
    useClass,
  });
  const interceptor = (useClass: new () => NestInterceptor): Provider => ({
    provide: APP_INTERCEPTOR,
    useClass,
  });

  it.each<[string, number, WebhookAppOptions, string, string]>([
    [
      'a global guard that throws',
      401,
      { providers: [guard(TokenGuard)] },
      `answered 401 by a guard (global: TokenGuard), ${others}, not by this package: no handler ran.`,
      '@Public()',
    ],
    [
      'a global guard of each request',
      401,
      { providers: [{ provide: APP_GUARD, useClass: TokenGuard, scope: Scope.REQUEST }] },
      `answered 401 by a guard (global: TokenGuard), ${others}, not by this package: no handler ran.`,
      '@Public()',
    ],
    [
      'a global guard that returns false',
      403,
      { providers: [guard(NobodyGuard)] },
      'answered 403 by a guard (global: NobodyGuard), a middleware',
      '@Public()',
    ],
    [
      'the real throttler',
      429,
      {
        imports: [ThrottlerModule.forRoot([{ limit: 0, ttl: 60_000 }])],
        providers: [guard(ThrottlerGuard)],
      },
      'answered 429 by a guard (global: ThrottlerGuard), a middleware',
      '@SkipThrottle()',
    ],
    [
      'a global ValidationPipe',
      400,
      { controllers: [FormController], prepare: (app) => app.useGlobalPipes(new ValidationPipe()) },
      'answered 400 by a pipe or an interceptor, not by this package: no handler ran.',
      'Let interceptors, pipes and exception filters leave this route alone',
    ],
    [
      'an interceptor that throws',
      409,
      { providers: [interceptor(ImpatientInterceptor)] },
      'answered 409 by an interceptor (global: ImpatientInterceptor) or a guard, not by this package: no handler ran.',
      'Let interceptors',
    ],
    [
      'an interceptor that answers in place of the route',
      200,
      { providers: [interceptor(CachingInterceptor)] },
      'answered 200 by an interceptor (global: CachingInterceptor), a guard, or an exception filter, not by this package: the gateway takes it for handled, and no handler ran.',
      'Let interceptors',
    ],
    [
      'an interceptor that hides the failure of a handler',
      200,
      { providers: [FailingOrders, interceptor(SwallowingInterceptor)] },
      'answered 200 by an interceptor (global: SwallowingInterceptor) or an exception filter, not by this package: the package ' +
        'answered 500, and the gateway does not deliver it again.',
      'Let interceptors',
    ],
    [
      'an interceptor that throws after the handlers',
      409,
      { providers: [interceptor(LateInterceptor)] },
      'not by this package: the package answered 200.',
      'Let interceptors',
    ],
    [
      'an exception filter that answers a guard',
      200,
      { providers: [guard(TokenGuard), { provide: APP_FILTER, useClass: AlwaysFineFilter }] },
      'an exception filter (global: AlwaysFineFilter), not by this package: the gateway takes it for handled',
      'Take this path out of it',
    ],
    [
      'a global guard whose exception has a stack that is no text',
      401,
      { providers: [guard(OddStackGuard)] },
      'answered 401 by a guard (global: OddStackGuard)',
      '@Public()',
    ],
    [
      'a global guard without a class',
      403,
      {
        providers: [
          {
            provide: APP_GUARD,
            useValue: Object.assign(Object.create(null) as object, { canActivate: () => false }),
          },
        ],
      },
      'answered 403 by a guard, a middleware',
      '@Public()',
    ],
    [
      'a middleware that forbids',
      403,
      { prepare: withMiddleware(answering(403)) },
      `answered 403 by a guard, ${others}, not by this package: no handler ran.`,
      '@Public()',
    ],
    [
      'a middleware that finds nothing',
      404,
      { prepare: withMiddleware(answering(404)) },
      'answered 404 by a guard, a middleware',
      'Take this path out of it',
    ],
    [
      'a middleware that redirects',
      302,
      { prepare: withMiddleware(answering(302)) },
      'answered 302 by a guard, a middleware',
      'Take the redirect off this path',
    ],
  ])(
    'answered by %s keeps the answer (%i), and one line says who gave it',
    async (_what, status, options, ...parts) => {
      const { lines, ...answer } = await foreign(options);
      expect(answer.status).toBe(status);
      for (const part of ['A webhook at POST /webhooks/payments', ...parts]) {
        expect(lines[0]).toContain(part);
      }
      expect(lines[0]).not.toContain('\n');
      for (const personal of [event.data.customer_phone, event.data.reference]) {
        expect(lines[0]).not.toContain(String(personal));
      }
    },
  );

  it.runIf(adapter === 'express')(
    'whose body the JSON parser of useBodyParser() finds too large gives a line that says which limit to raise',
    async () => {
      const long = paymentEvent('payment.success', { metadata: { note: 'n'.repeat(30_000) } });
      const started = await start({
        prepare: (app) => (app as NestExpressApplication).useBodyParser('json', { limit: '20kb' }),
      });
      expect((await deliver(started.port, event)).status).toBe(200);
      expect((await deliver(started.port, long)).status).toBe(413);
      await expect
        .poll(() => foreignLines(started))
        .toEqual([
          expect.stringMatching(/answered 413 by .*a body parser.*raise its limit to webhooks\.bodyLimit/),
        ]);
    },
  );

  async function silentAfter(
    options: WebhookAppOptions,
    statuses: readonly number[],
    request: (port: number) => Promise<{ readonly status: number }> = (port) => deliver(port, event),
  ): Promise<void> {
    const started = await start(options);
    for (const status of statuses) expect((await request(started.port)).status).toBe(status);
    await started.app.close();
    expect(foreignLines(started)).toEqual([]);
  }

  const forged = { headers: { 'x-webhook-signature': '00'.repeat(32) } };

  it('that the package answers itself gives no line: handled, repeated, failed, forged', async () => {
    await silentAfter({}, [200, 200]);
    await silentAfter({ providers: [FailingOrders] }, [500, 500]);
    await silentAfter({}, [401], (port) => deliver(port, event, forged));
  });

  it('that strangers send to gives no line where somebody else refuses them', async () => {
    const unsigned = (port: number) => send(port, '/webhooks/payments', '{}');
    await silentAfter({ prepare: withMiddleware(answering(403)) }, [403], unsigned);
    await silentAfter({ providers: [guard(NobodyGuard)] }, [adapter === 'express' ? 401 : 403], unsigned);
  });

  it('with the guard alone answers as its controller likes, without a line', async () => {
    await silentAfter({ controllers: [VerifyingController] }, [409]);
  });

  it('with the guard alone gives a line if a filter hides what the guard says to a genuine webhook, not to a forged one', async () => {
    const options = {
      controllers: [VerifyingController],
      providers: [{ provide: APP_FILTER, useClass: AlwaysFineFilter }],
    };
    await silentAfter(options, [adapter === 'express' ? 401 : 200], (port) => deliver(port, event, forged));
    const started = await start(options);
    expect((await deliver(started.port, 'no event')).status).toBe(200);
    await expect
      .poll(() => foreignLines(started))
      .toEqual([
        expect.stringContaining(
          'answered 200 by an interceptor or an exception filter (global: AlwaysFineFilter), not by this package: the ' +
            'package answered 400, and the gateway does not deliver it again.',
        ),
      ]);
  });

  it('below a parameter, where a middleware may answer some paths itself, gives no line', async () => {
    await silentAfter({ controllers: [TenantsController], providers: [guard(TokenGuard)] }, [401], (port) =>
      deliver(port, event, { path: '/webhooks/tenant' }),
    );
  });

  it('that an interceptor answers before the handlers end gives a line that says so', async () => {
    const gate = new EventEmitter();
    @Injectable()
    class HangingOrders {
      @OnPayment('payment.success')
      async paid(): Promise<void> {
        const answered = once(gate, 'answered');
        gate.emit('started');
        await answered;
      }
    }
    @Injectable()
    class HastyInterceptor implements NestInterceptor {
      intercept(_context: ExecutionContext, next: CallHandler): ReturnType<NestInterceptor['intercept']> {
        const late = map(() => {
          throw new RequestTimeoutException();
        });
        return merge(from(once(gate, 'started')).pipe(late), next.handle());
      }
    }
    const started = await start({ providers: [HangingOrders, interceptor(HastyInterceptor)] });
    expect((await deliver(started.port, event)).status).toBe(408);
    await expect
      .poll(() => foreignLines(started))
      .toEqual([
        expect.stringContaining(
          `answered 408 by an interceptor (global: HastyInterceptor)${isFastify ? ', a middleware, or a hook of Fastify' : ' or a middleware'}, not by this package: its handlers had not ended.`,
        ),
      ]);
    gate.emit('answered');
  });

  it('gives its line again after a minute, also if the clock is set back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const passes = freezeTime();
    try {
      // A guard comes before the verification on Fastify, an interceptor after it on both.
      for (const provider of [guard(TokenGuard), interceptor(ImpatientInterceptor)]) {
        const started = await start({ providers: [provider] });
        await deliver(started.port, event);
        await expect.poll(() => foreignLines(started)).toHaveLength(1);
        vi.setSystemTime(Date.now() - 3_600_000);
        passes(59_999);
        await deliver(started.port, event);
        await send(started.port, '/webhooks/payments', '{}');
        expect(foreignLines(started)).toHaveLength(1);
        passes(1);
        await deliver(started.port, event);
        await expect.poll(() => foreignLines(started)).toHaveLength(2);
        await started.app.close();
      }
    } finally {
      vi.restoreAllMocks();
      vi.useRealTimers();
    }
  });

  it('behind a limit lets the scheme check one refused delivery at a time and a minute', async () => {
    const passes = freezeTime();
    try {
      const verdicts: ((verdict: SignatureVerdict) => void)[] = [];
      const partner = customScheme({
        name: 'partner',
        requiredHeaders: ['x-partner'],
        verify: () => new Promise<SignatureVerdict>((resolve) => verdicts.push(resolve)),
        signsTime: true,
      });
      const started = await start({
        payments: [paymentsOptions({ scheme: partner })],
        // On Express the package verifies before the guards, and after the middlewares.
        ...(adapter === 'express'
          ? { prepare: withMiddleware(answering(429)) }
          : { providers: [guard(LimitGuard)] }),
      });
      const flood = async (): Promise<void> => {
        for (let sent = 0; sent < 10; sent += 1) {
          const headers = { 'content-type': 'application/json', 'x-partner': 'maybe' };
          expect((await send(started.port, '/webhooks/payments', '{}', headers)).status).toBe(429);
        }
      };
      await flood();
      await expect.poll(() => verdicts).toHaveLength(1);
      expect(unverifiedBytesIn(started.app)).toBe(2);
      passes(60_000);
      await flood();
      expect(verdicts).toHaveLength(1);
      verdicts[0]?.({ ok: false, reason: 'forged' });
      await expect.poll(() => unverifiedBytesIn(started.app)).toBe(0);
      await flood();
      expect(verdicts).toHaveLength(1);
      expect(foreignLines(started)).toEqual([]);
      passes(60_000);
      await flood();
      await expect.poll(() => verdicts).toHaveLength(2);
      verdicts[1]?.({ ok: true });
      await expect.poll(() => foreignLines(started)).toHaveLength(1);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it('whose bytes the application gives says that nobody checked the signature, and needs its headers', async () => {
    const options = {
      payments: [paymentsOptions({ rawBody: () => undefined, retentionDays: Infinity })],
      providers: [guard(TokenGuard)],
    };
    await silentAfter(options, [401], (port) => send(port, '/webhooks/payments', '{}'));
    const started = await start(options);
    expect((await deliver(started.port, event, forged)).status).toBe(401);
    await expect
      .poll(() => foreignLines(started))
      .toEqual([
        expect.stringContaining(
          'A webhook at POST /webhooks/payments, whose signature nobody checked, was answered 401',
        ),
      ]);
  });

  it('with @SkipThrottle() is not limited', async () => {
    @SkipThrottle()
    @Controller('webhooks')
    class SkippingController {
      @PaymentsWebhook('payments')
      received(): void {
        return;
      }
    }
    await silentAfter(
      {
        controllers: [SkippingController],
        imports: [ThrottlerModule.forRoot([{ limit: 0, ttl: 60_000 }])],
        providers: [guard(ThrottlerGuard)],
      },
      [200, 200],
    );
  });
});

/** Stops the monotonic clock. The returned function moves it. */
function freezeTime(): (ms: number) => void {
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  return (ms) => {
    now += ms;
  };
}

it('a forged delivery that a middleware refuses gives no line on Express, which has its bytes', async () => {
  const { app, port, logs } = await startWebhookApp('express', {
    controllers: [WebhooksController],
    providers: [Orders],
    prepare: withMiddleware(answering(403)),
  });
  expect((await deliver(port, event, { headers: { 'x-webhook-signature': '00'.repeat(32) } })).status).toBe(
    403,
  );
  await app.close();
  expect(logs.webhooks('error')).toEqual([]);
});
