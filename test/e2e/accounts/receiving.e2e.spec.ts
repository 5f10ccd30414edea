import { afterEach, beforeEach, expect, it } from 'vitest';
import { Controller, type INestApplicationContext, Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  hmac,
  OnPayment,
  type PaymentEventContext,
  PaymentsAccounts,
  PaymentsModule,
  PaymentsWebhook,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { keysOf, Merchants } from '../../support/merchants.js';

const scheme = hmac({ header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] });
const SECRETS = { shop: 'the-secret-of-the-shop', school: 'the-secret-of-the-school' };

@Injectable()
class Handlers {
  readonly heard: string[] = [];

  @OnPayment('payment.success')
  all(_event: PaymentWebhookEvent, { account }: PaymentEventContext): void {
    this.heard.push(`all: ${account}`);
  }

  @OnPayment('payment.success', { account: 'shop' })
  shop(_event: PaymentWebhookEvent, { account }: PaymentEventContext): void {
    this.heard.push(`shop: ${account}`);
  }
}

let merchants: Merchants;
let app: INestApplicationContext;
let accounts: PaymentsAccounts;

const MODULE = (): ReturnType<typeof PaymentsModule.forRoot> =>
  PaymentsModule.forRoot({
    baseUrl: 'http://127.0.0.1:1/api/v1',
    webhooks: { scheme, retentionDays: Infinity, expectRoute: false },
    accounts: { resolve: merchants.keysOf },
  });

beforeEach(async () => {
  merchants = new Merchants([]);
  for (const [name, secret] of Object.entries(SECRETS)) {
    merchants.rows.set(name, { ...keysOf(name), webhooks: { secrets: [secret] } });
  }
  const module = await Test.createTestingModule({ imports: [MODULE()], providers: [Handlers] }).compile();
  app = await module.init();
  accounts = app.get(PaymentsAccounts);
});
afterEach(async () => {
  await app.close();
});

async function deliver(account: string, secret: string): Promise<number> {
  const body = JSON.stringify(paymentEvent('payment.success', { reference: 'order-1' }));
  const headers = signWebhook({ scheme, secret, body });
  return (await accounts.for(account).inbox.receive(body, headers)).status;
}

it('a delivery reaches the handlers of all accounts and those of its own, once in each account', async () => {
  expect(await deliver('shop', SECRETS.shop)).toBe(200);
  expect(await deliver('shop', SECRETS.shop)).toBe(200);
  expect(await deliver('school', SECRETS.school)).toBe(200);
  expect(app.get(Handlers).heard).toEqual(['all: shop', 'shop: shop', 'all: school']);
});

it('with a name, beside a default account, the registration has the handlers that name it', async () => {
  @Injectable()
  class OfTheMarket {
    readonly heard: string[] = [];

    @OnPayment('*', { account: 'market' })
    any({ event }: PaymentWebhookEvent, { account }: PaymentEventContext): void {
      this.heard.push(`${event} of ${account}`);
    }
  }
  const webhooks = { scheme, retentionDays: Infinity, expectRoute: false };
  const own = { baseUrl: 'http://127.0.0.1:1/api/v1', apiKey: 'pk_test_own', apiSecret: 'sk_test_own' };
  const module = await Test.createTestingModule({
    imports: [
      PaymentsModule.forRoot({
        ...own,
        webhooks: { ...webhooks, secrets: ['the-secret-of-our-own-account'] },
      }),
      PaymentsModule.forRoot({
        name: 'market',
        baseUrl: own.baseUrl,
        webhooks,
        accounts: { resolve: merchants.keysOf },
      }),
    ],
    providers: [Handlers, OfTheMarket],
  }).compile();
  await app.close();
  app = await module.init();
  accounts = app.get(PaymentsAccounts);
  expect(await deliver('shop', SECRETS.shop)).toBe(200);
  expect(await deliver('school', SECRETS.school)).toBe(200);
  expect(await deliver('default', 'the-secret-of-our-own-account')).toBe(200);
  expect(app.get(OfTheMarket).heard).toEqual(['payment.success of shop', 'payment.success of school']);
  expect(app.get(Handlers).heard).toEqual(['shop: shop', 'all: default']);
});

it('a delivery with the secret of another account is refused', async () => {
  expect(await deliver('shop', SECRETS.school)).toBe(401);
  await expect(deliver('nobody', SECRETS.shop)).rejects.toMatchObject({ code: 'ACCOUNT_UNKNOWN' });
  expect(app.get(Handlers).heard).toEqual([]);
});

it('old and new secrets count side by side, and a secret that was taken away does not', async () => {
  await deliver('shop', SECRETS.shop);
  const next = 'the-next-secret-of-the-shop';
  merchants.rows.set('shop', { ...keysOf('shop'), webhooks: { secrets: [next, SECRETS.shop] } });
  accounts.forget('shop');
  expect(await deliver('shop', SECRETS.shop)).toBe(200);
  expect(await deliver('shop', next)).toBe(200);
  merchants.rows.set('shop', { ...keysOf('shop'), webhooks: { secrets: [next] } });
  accounts.forget('shop');
  expect(await deliver('shop', SECRETS.shop)).toBe(401);
});

it('a route of the package for an account of a resolver stops the boot, and says what to write', async () => {
  @Controller()
  class Webhooks {
    @PaymentsWebhook('webhooks')
    received(): void {}
  }
  const module = await Test.createTestingModule({ imports: [MODULE()], controllers: [Webhooks] }).compile();
  await expect(module.createNestApplication().init()).rejects.toThrow(
    /@PaymentsWebhook\(.payments\/:account.\)/,
  );
});
