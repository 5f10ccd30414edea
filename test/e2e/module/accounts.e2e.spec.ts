import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  Controller,
  Global,
  type INestApplication,
  Injectable,
  Module,
  type ModuleMetadata,
} from '@nestjs/common';
import { type AbstractHttpAdapter } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import {
  CollectionsService,
  DisbursementsService,
  getPaymentsToken,
  InjectPayments,
  memoryStorage,
  OnPayment,
  PaymentEvent,
  type PaymentEventContext,
  PaymentsInbox,
  PaymentsJournal,
  PaymentsModule,
  type PaymentsModuleOptions,
  type PaymentsOptionsFactory,
  PaymentsWebhook,
  type PaymentWebhookEvent,
  WalletService,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, postWebhook } from 'nestjs-payments/testing';
import { ADAPTERS } from '../../support/adapters.js';
import { startSandbox } from '../../support/sandbox.js';

const ACCOUNTS = ['default', 'payouts', 'school'] as const;
type Account = (typeof ACCOUNTS)[number];

const PHONE = '255712345678';
const REQUEST = {
  reference: 'order-1',
  amount: '1180.50',
  phone: PHONE,
  customer_name: 'Asha Mushi',
  customer_email: 'asha@example.com',
} as const;
const PAID = { reference: REQUEST.reference, amount: REQUEST.amount };

/** What a handler or a route of an account was given, and which account the package said that it was. */
let heard: string[];

@Injectable()
class Handlers {
  @OnPayment('*')
  shop(event: PaymentWebhookEvent, context: PaymentEventContext): void {
    this.note('default', event, context);
  }

  @OnPayment('*', { account: 'payouts' })
  payouts(event: PaymentWebhookEvent, context: PaymentEventContext): void {
    this.note('payouts', event, context);
  }

  @OnPayment('*', { account: 'school' })
  school(event: PaymentWebhookEvent, context: PaymentEventContext): void {
    this.note('school', event, context);
  }

  private note(handler: Account, { event }: PaymentWebhookEvent, { account }: PaymentEventContext): void {
    heard.push(`${handler} handler: ${event} of ${account}`);
  }
}

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('default')
  shop(@PaymentEvent() { event }: PaymentWebhookEvent): void {
    heard.push(`default route: ${event}`);
  }

  @PaymentsWebhook('payouts', { account: 'payouts' })
  payouts(@PaymentEvent() { event }: PaymentWebhookEvent): void {
    heard.push(`payouts route: ${event}`);
  }

  @PaymentsWebhook('school', { account: 'school' })
  school(@PaymentEvent() { event }: PaymentWebhookEvent): void {
    heard.push(`school route: ${event}`);
  }
}

/** In a module that imports nothing of the package: what it injects is global. */
@Injectable()
class Treasury {
  constructor(
    readonly collections: CollectionsService,
    @InjectPayments(CollectionsService) readonly sameCollections: CollectionsService,
    @InjectPayments(CollectionsService, 'payouts') readonly payoutCollections: CollectionsService,
    @InjectPayments(DisbursementsService, 'payouts') readonly payouts: DisbursementsService,
    @InjectPayments(PaymentsJournal, 'payouts') readonly payoutJournal: PaymentsJournal,
  ) {}
}
@Module({ providers: [Treasury] })
class TreasuryModule {}

describe.each(ADAPTERS)('three accounts in one application on %s', (_, adapter) => {
  let sandboxes: Readonly<Record<Account, PaymentsSandbox>>;
  let app: INestApplication;

  beforeEach(async () => {
    heard = [];
    const [shop, payouts, school] = await Promise.all(
      ACCOUNTS.map((_account, index) => startSandbox({ clock: 'manual', seed: index + 1 })),
    );
    sandboxes = { default: shop!, payouts: payouts!, school: school! };
    app = await startApplication(adapter(), sandboxes);
    const url = await app.getUrl();
    for (const account of ACCOUNTS) sandboxes[account].deliverTo(`${url}/webhooks/${account}`);
  });
  afterEach(async () => {
    await app.close();
    await Promise.all(ACCOUNTS.map((account) => sandboxes[account].stop()));
  });

  const get = <T>(type: abstract new (...args: never[]) => T, account: Account): T =>
    app.get<T>(getPaymentsToken(type, account), { strict: false });
  const collect = (account: Account): Promise<unknown> =>
    get(CollectionsService, account).mobileMoney(REQUEST);
  const state = async (account: Account): Promise<unknown> =>
    (await get(PaymentsJournal, account).get('collection', REQUEST.reference))?.state;
  const requests = (account: Account): number => sandboxes[account].requests().length;

  it.each(ACCOUNTS)('collect with the keys of %s, at its own gateway', async (account) => {
    await collect(account);
    expect(ACCOUNTS.filter((each) => requests(each) > 0)).toEqual([account]);
    expect(await Promise.all(ACCOUNTS.map(state))).toEqual(
      ACCOUNTS.map((each) => (each === account ? 'accepted' : undefined)),
    );
  });

  it.each(ACCOUNTS)('handle an outcome of %s in its own handlers and on its own route', async (account) => {
    await collect(account);
    await sandboxes[account].customer(PHONE).approve(REQUEST.reference);
    expect(heard).toEqual([
      `${account} handler: payment.success of ${account}`,
      `${account} route: payment.success`,
    ]);
    expect(await state(account)).toBe('settled');
  });

  it('may use one reference at the same time, on one storage: each is a payment of its own', async () => {
    const payments = await Promise.all(
      ACCOUNTS.map((account) => get(CollectionsService, account).mobileMoney(REQUEST)),
    );
    expect(ACCOUNTS.map(requests)).toEqual([1, 1, 1]);
    expect(new Set(payments.map(({ lastResponse }) => lastResponse.idempotencyKey)).size).toBe(3);

    await sandboxes.default.customer(PHONE).approve(REQUEST.reference);
    await sandboxes.payouts.customer(PHONE).decline(REQUEST.reference);
    expect(await Promise.all(ACCOUNTS.map(state))).toEqual(['settled', 'settled', 'accepted']);
    const outcome = async (account: Account): Promise<unknown> =>
      (await get(PaymentsJournal, account).get('collection', REQUEST.reference))?.outcome;
    expect(await Promise.all(ACCOUNTS.map(outcome))).toEqual(['success', 'failed', undefined]);
  });

  it.each(ACCOUNTS.flatMap((from) => ACCOUNTS.filter((to) => to !== from).map((to) => [from, to] as const)))(
    'refuse a webhook of %s on the route of %s',
    async (from, to) => {
      const { scheme, secrets } = sandboxes[from].moduleOptions().webhooks!;
      const signing = { scheme, secret: secrets[0]! };
      const event = paymentEvent('payment.success', PAID);
      expect(await postWebhook(app, `/webhooks/${to}`, event, signing)).toMatchObject({ status: 401 });
      expect(heard).toEqual([]);
      expect(await postWebhook(app, `/webhooks/${from}`, event, signing)).toMatchObject({ status: 200 });
      expect(heard).toHaveLength(2);
    },
  );

  it('set aside and release what contradicts an outcome of their own only', async () => {
    const { scheme, secrets } = sandboxes.payouts.moduleOptions().webhooks!;
    const signing = { scheme, secret: secrets[0]! };
    await postWebhook(app, '/webhooks/payouts', paymentEvent('payment.failed', PAID), signing);
    await postWebhook(app, '/webhooks/payouts', paymentEvent('payment.success', PAID), signing);

    const conflicts = await Promise.all(ACCOUNTS.map((account) => get(PaymentsInbox, account).conflicts()));
    expect(conflicts.map(({ length }) => length)).toEqual([0, 1, 0]);
    const { id } = conflicts[1]![0]!;
    await expect(get(PaymentsInbox, 'school').release(id)).rejects.toMatchObject({
      code: 'CONFLICT_NOT_FOUND',
    });
    heard = [];
    await get(PaymentsInbox, 'payouts').release(id);
    expect(heard).toEqual(['payouts handler: payment.success of payouts']);
  });

  it('are injected by class, by name, and from a module that does not import them', () => {
    const treasury = app.get(Treasury, { strict: false });
    expect(treasury.sameCollections).toBe(treasury.collections);
    expect(treasury.collections).toBe(get(CollectionsService, 'default'));
    expect(treasury.payoutCollections).toBe(get(CollectionsService, 'payouts'));
    expect(treasury.payouts).toBe(get(DisbursementsService, 'payouts'));
    expect(treasury.payoutJournal).toBe(get(PaymentsJournal, 'payouts'));
    const services = ACCOUNTS.map((account) => get(CollectionsService, account));
    expect(new Set(services).size).toBe(3);
  });

  it('keep their own faults to themselves', async () => {
    sandboxes.payouts.next('GET /merchant-balance').status(429, { retryAfter: 3_600 });
    await expect(get(WalletService, 'payouts').balance()).rejects.toMatchObject({
      name: 'PaymentsRateLimitError',
    });
    await expect(get(WalletService, 'default').balance()).resolves.toHaveProperty('currency', 'TZS');
    await expect(get(WalletService, 'school').balance()).resolves.toHaveProperty('currency', 'TZS');
  });
});

describe('a named account', () => {
  const options: PaymentsModuleOptions = {
    baseUrl: 'http://127.0.0.1:9/api/v1',
    apiKey: 'pk_test_shop',
    apiSecret: 'sk_test_shop',
  };
  const boot = async (metadata: ModuleMetadata): Promise<unknown> => {
    const module = await Test.createTestingModule(metadata).compile();
    await module.init();
    await module.close();
    return undefined;
  };

  it('needs no default account beside it', async () => {
    @Injectable()
    class Named {
      @OnPayment('*', { account: 'payouts' })
      settled(): void {}
    }
    const imports = [PaymentsModule.forRoot({ ...options, name: 'payouts' })];
    await expect(boot({ imports, providers: [Named] })).resolves.toBeUndefined();
  });

  it('that is not registered stops the boot, and is named with those that are', async () => {
    const imports = [PaymentsModule.forRoot({ ...options, name: 'payouts' })];
    @Injectable()
    class Mistyped {
      @OnPayment('*', { account: 'payout' })
      settled(): void {}
    }
    await expect(boot({ imports, providers: [Mistyped] })).rejects.toThrow(
      /Mistyped\.settled .*account 'payout', which no PaymentsModule registers \(registered: 'payouts'\)/,
    );
  });

  it('is named in the error if one of its options is wrong', async () => {
    const wrong = { ...options, apiKey: 'sk_test_shop', apiSecret: 'pk_test_shop' };
    const imports = [PaymentsModule.forRoot(options), PaymentsModule.forRoot({ ...wrong, name: 'payouts' })];
    await expect(boot({ imports })).rejects.toThrow(/`apiKey` of account "payouts" /);
  });

  it('is of the module that imports it, unless it is global', async () => {
    @Injectable()
    class Shop {
      constructor(@InjectPayments(WalletService, 'payouts') readonly wallet: WalletService) {}
    }
    @Module({ providers: [Shop] })
    class ShopModule {}
    const named = { ...options, name: 'payouts' };
    await expect(boot({ imports: [PaymentsModule.forRoot(named), ShopModule] })).rejects.toThrow(
      /can't resolve dependencies of the Shop/,
    );
    await expect(
      boot({ imports: [PaymentsModule.forRoot({ ...named, isGlobal: true }), ShopModule] }),
    ).resolves.toBeUndefined();
  });
});

/** The default account at once, `payouts` from a factory, `school` from a class, in a feature module that exports nothing. */
async function startApplication(
  adapter: AbstractHttpAdapter,
  sandboxes: Readonly<Record<Account, PaymentsSandbox>>,
): Promise<INestApplication> {
  const storage = memoryStorage();
  const options = (account: Account): PaymentsModuleOptions => ({
    ...sandboxes[account].moduleOptions(),
    storage,
  });
  @Injectable()
  class SchoolOptions implements PaymentsOptionsFactory {
    createPaymentsOptions(): PaymentsModuleOptions {
      return options('school');
    }
  }
  @Module({ imports: [PaymentsModule.forRootAsync({ name: 'school', useClass: SchoolOptions })] })
  class SchoolModule {}
  @Global()
  @Module({ providers: [{ provide: 'OPTIONS', useFactory: () => options('payouts') }], exports: ['OPTIONS'] })
  class OptionsModule {}

  const module = await Test.createTestingModule({
    imports: [
      OptionsModule,
      PaymentsModule.forRoot({ ...options('default'), isGlobal: true }),
      PaymentsModule.forRootAsync({
        name: 'payouts',
        isGlobal: true,
        inject: ['OPTIONS'],
        useFactory: (fromElsewhere: PaymentsModuleOptions) => fromElsewhere,
      }),
      SchoolModule,
      TreasuryModule,
    ],
    controllers: [WebhooksController],
    providers: [Handlers],
  }).compile();
  const app = module.createNestApplication(adapter, { logger: false });
  await app.listen(0, '127.0.0.1');
  return app;
}
