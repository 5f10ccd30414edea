import { Controller, HttpCode, Injectable, Post, UseGuards } from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TerminusModule } from '@nestjs/terminus';
import { afterEach, expect, it } from 'vitest';
import {
  OnPayment,
  PaymentsAccounts,
  PaymentsErrorInterceptor,
  PaymentsInbox,
  PaymentsJournal,
  PaymentsModule,
  PaymentsWebhook,
  PaymentsWebhookGuard,
} from 'nestjs-payments';
import { PaymentsHealthIndicator } from 'nestjs-payments/terminus';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { reachableTexts } from '../../support/reachable-texts.js';
import { printed } from '../../support/printed.js';
import {
  paymentsOptions,
  scheme,
  send,
  startWebhookApp,
  type WebhookApp,
} from '../../support/webhook-app.js';

const SIGNING = 'canary-of-the-signing-secret';
const PAYOUTS = 'canary-of-the-second-secret!';
const KEYS = ['pk_test_canaryone', 'sk_test_canaryone', 'pk_test_canarytwo', 'sk_test_canarytwo'];

/** Every way in which text, or its bytes, can be printed; without white space. */
function printedForms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, ''), [...bytes].join(',')];
}

const CANARIES = [SIGNING, PAYOUTS, ...KEYS].flatMap(printedForms);

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('payments')
  received(): void {}

  @Post('payouts')
  @HttpCode(200)
  @UseGuards(PaymentsWebhookGuard.for('payouts'))
  guarded(): void {}
}

@Controller('webhooks')
class TenantsController {
  @PaymentsWebhook(':account')
  received(): void {}
}

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(): void {}
}

function nameOf(token: unknown): string {
  return typeof token === 'function' ? token.name : String(token);
}

/** The options as the application wrote them. */
const RAW_OPTIONS = Symbol.for('nestjs-payments.raw-options');

/** Every provider of the package's modules from which a canary is reachable. What Nest adds leads everywhere. */
function leaking({ app }: WebhookApp): readonly string[] {
  const modules = [...app.get(ModulesContainer).values()].filter(({ metatype }) =>
    /^(Payments|GatewayHttp)/.test(metatype.name),
  );
  const providers = modules.flatMap((module) =>
    [...module.providers, ...module.injectables, ...module.controllers].map(
      ([token, { instance }]) => [token, instance, `${module.name}: ${nameOf(token)}`] as const,
    ),
  );
  expect(providers.length).toBeGreaterThan(30);
  return providers
    .filter(([token]) => token !== ModuleRef && token !== RAW_OPTIONS)
    .filter(([, instance]) => {
      const text = reachableTexts(instance);
      return CANARIES.some((canary) => text.includes(canary));
    })
    .map(([, , name]) => name);
}

let running: WebhookApp | undefined;

afterEach(async () => {
  await running?.app.close();
  running = undefined;
});

it('nothing that the package exports for injection shows a key or a signing secret, after it has worked', async () => {
  const account = (name: string, key: string, secret: string) =>
    paymentsOptions(
      { scheme, secrets: [secret] },
      { name, apiKey: `pk_test_canary${key}`, apiSecret: `sk_test_canary${key}` },
    );
  running = await startWebhookApp('express', {
    imports: [TerminusModule.forRoot({ logger: false }), EventEmitterModule.forRoot()],
    controllers: [WebhooksController],
    providers: [Orders, PaymentsHealthIndicator, PaymentsErrorInterceptor],
    payments: [account('default', 'one', SIGNING), account('payouts', 'two', PAYOUTS)],
  });
  const { app, port } = running;
  const body = JSON.stringify(paymentEvent('payment.success'));
  for (const [path, secret] of Object.entries({ payments: SIGNING, payouts: PAYOUTS })) {
    const headers = { 'content-type': 'application/json', ...signWebhook({ scheme, secret, body }) };
    expect((await send(port, `/webhooks/${path}`, body, headers)).status).toBe(200);
  }
  await app.get(PaymentsHealthIndicator).isHealthy('payments', { timeoutMs: 50 });

  const modules = [...app.get(ModulesContainer).values()];
  const exported = modules
    .filter(({ metatype }) => metatype === PaymentsModule)
    .flatMap(({ exports, providers }) =>
      [...exports]
        // A module that is exported on is no instance.
        .filter((token) => providers.has(token))
        .map((token) => [nameOf(token), providers.get(token)?.instance] as const),
    );
  const guards = modules
    .flatMap(({ injectables }) => [...injectables.values()])
    .map(({ instance }) => ['guard', instance] as const)
    .filter(([, instance]) => instance instanceof PaymentsWebhookGuard);
  const others = [PaymentsHealthIndicator, PaymentsErrorInterceptor, PaymentsAccounts].map(
    (type) => [type.name, app.get<object>(type)] as const,
  );
  expect(exported).toHaveLength(16);
  expect(guards.length).toBeGreaterThan(1);
  expect(exported.map(([, instance]) => instance)).toContain(app.get(PaymentsInbox));
  expect(exported.map(([, instance]) => instance)).toContain(app.get(PaymentsJournal));
  const shown = [...exported, ...guards, ...others].flatMap(([name, instance]) => {
    expect(instance, name).toBeTypeOf('object');
    const text = printed(instance);
    return CANARIES.filter((canary) => text.includes(canary)).map((canary) => `${name}: ${canary}`);
  });
  expect(shown).toEqual([]);
  expect(leaking(running)).toEqual([]);
});

it('no provider of the package shows a key of an account that comes from a resolver', async () => {
  const [key, secret] = KEYS;
  running = await startWebhookApp('fastify', {
    imports: [EventEmitterModule.forRoot()],
    controllers: [TenantsController],
    providers: [Orders],
    payments: [
      {
        baseUrl: 'http://127.0.0.1:9/api/v1',
        accounts: { resolve: () => ({ apiKey: key, apiSecret: secret, webhooks: { secrets: [SIGNING] } }) },
        webhooks: { scheme },
      } as never,
    ],
  });
  const body = JSON.stringify(paymentEvent('payment.success'));
  const headers = { 'content-type': 'application/json', ...signWebhook({ scheme, secret: SIGNING, body }) };
  expect((await send(running.port, '/webhooks/shop', body, headers)).status).toBe(200);
  const { wallet } = running.app.get(PaymentsAccounts).for('shop');
  await expect(wallet.balance()).rejects.toThrow();
  expect(leaking(running)).toEqual([]);
});
