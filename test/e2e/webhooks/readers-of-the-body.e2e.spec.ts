import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  type INestApplication,
  Injectable,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { OnPayment, PaymentsWebhook, type PaymentWebhookEvent } from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import {
  deliver,
  send,
  startWebhookApp,
  type WebhookApp,
  type WebhookAppOptions,
} from '../../support/webhook-app.js';

const handled: string[] = [];

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid({ data }: PaymentWebhookEvent): void {
    handled.push(data.reference);
  }
}

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('payments')
  received(): void {}
}

type Body = Record<string, unknown>;

/** Takes passwords out of what an application keeps of its requests. */
@Injectable()
class AuditGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { body } = context.switchToHttp().getRequest<{ body: Body }>();
    if ('password' in body) body['password'] = '***';
    return true;
  }
}

function fastifyOf(app: INestApplication): NestFastifyApplication {
  return app as NestFastifyApplication;
}

/** Gives an application its keys in another spelling. */
function parseInCamelCase(app: INestApplication): void {
  fastifyOf(app).useBodyParser('application/json', {}, (_request, text, done) => {
    try {
      const entries = Object.entries(JSON.parse(text.toString()) as Body);
      const spelled = entries.map(([key, value]) => [
        key.replace(/_(.)/g, (_, c: string) => c.toUpperCase()),
        value,
      ]);
      done(null, Object.fromEntries(spelled));
    } catch (error) {
      done(error as Error);
    }
  });
}

function addLocale(app: INestApplication): void {
  fastifyOf(app)
    .getHttpAdapter()
    .getInstance()
    .addHook('preValidation', (request, _reply, done) => {
      const body = request.body as Body;
      body['locale'] ??= 'sw';
      done();
    });
}

let running: WebhookApp | undefined;

afterEach(async () => {
  await running?.app.close();
  running = undefined;
  handled.length = 0;
});

it.each<[what: string, app: WebhookAppOptions]>([
  ['a global guard', { providers: [{ provide: APP_GUARD, useClass: AuditGuard }] }],
  ['a body parser of the application', { prepare: parseInCamelCase }],
  ['a hook before the validation', { prepare: addLocale }],
])('a webhook on Fastify is handled once beside %s that reads fields of bodies', async (_what, app) => {
  running = await startWebhookApp('fastify', {
    controllers: [WebhooksController],
    ...app,
    providers: [Orders, ...(app.providers ?? [])],
  });
  const { port } = running;
  const { status } = await deliver(port, paymentEvent('payment.success', { reference: 'order-1' }));
  expect(status).toBe(200);
  expect(handled).toEqual(['order-1']);
  expect((await send(port, '/webhooks/payments', '{}')).status).toBe(401);
});

/** Reads the body before Fastify, as a host does. */
function leaveBytes(request: IncomingMessage, _response: unknown, next: () => void): void {
  void buffer(request).then((rawBody) => {
    Object.assign(request, { rawBody });
    next();
  });
}

it('a webhook on Fastify that is an empty object has bytes, if the host left them', async () => {
  running = await startWebhookApp('fastify', {
    controllers: [WebhooksController],
    prepare: (app) => app.use(leaveBytes),
  });
  expect((await deliver(running.port, '{}')).status).toBe(422);
  expect((await deliver(running.port, paymentEvent('payment.success'))).status).toBe(200);
});
