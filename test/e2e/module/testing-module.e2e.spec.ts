import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Server } from 'node:http';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Controller, type DynamicModule, type INestApplication, Injectable, Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  CollectionsService,
  DisbursementsService,
  getPaymentsToken,
  InjectPayments,
  memoryStorage,
  OnPayment,
  PaymentsJournal,
  PaymentsModule,
  type PaymentsModuleOptions,
  PaymentsWebhook,
  type PaymentWebhookEvent,
  standardWebhooks,
  stripeStyle,
} from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { PaymentsTestingModule } from 'nestjs-payments/testing';
import { ADAPTERS } from '../../support/adapters.js';
import { startSandbox } from '../../support/sandbox.js';
import { LogLines } from '../../support/webhook-app.js';

const phone = '255712345678';
const order = (reference: string, amount = '1180.50') => ({
  reference,
  amount,
  phone,
  customer_name: 'Asha Mushi',
  customer_email: 'asha@example.com',
});

const live: PaymentsModuleOptions = {
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_live_a',
  apiSecret: 'sk_live_a',
  environment: 'production',
  storage: memoryStorage(),
};

@Injectable()
class Checkout {
  readonly heard: string[] = [];

  constructor(readonly collections: CollectionsService) {}

  @OnPayment('*')
  outcome({ event, data }: PaymentWebhookEvent): void {
    this.heard.push(`${event} ${data.reference}`);
  }
}

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('payments')
  received(): void {}
}

let running: { close(): Promise<void> } | undefined;
const { NODE_ENV } = process.env;
afterEach(async () => {
  process.env['NODE_ENV'] = NODE_ENV;
  await running?.close();
  running = undefined;
});

function serverCount(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'TCPServerWrap').length;
}

async function listening(module: TestingModule, adapter = ADAPTERS[0]![1]): Promise<INestApplication> {
  const app = module.createNestApplication(adapter(), { logger: false });
  running = app;
  await app.listen(0, '127.0.0.1');
  return app;
}

describe('PaymentsTestingModule.forRoot', () => {
  it.each(ADAPTERS)(
    'does not warn an application on %s of a route that is missing, unless it expects one',
    async (_, adapter) => {
      const warned = async (module: DynamicModule): Promise<readonly string[]> => {
        const logs = new LogLines();
        const tested = await Test.createTestingModule({ imports: [module], providers: [Checkout] }).compile();
        const app = tested.createNestApplication(adapter(), { logger: logs });
        await app.init();
        await app.close();
        return logs.webhooks('warn');
      };
      expect(await warned(PaymentsTestingModule.forRoot())).toEqual([]);
      expect(await warned(PaymentsTestingModule.forRoot({ webhooks: { expectRoute: true } }))).toEqual([
        expect.stringContaining('no route receives its webhooks'),
      ]);
    },
  );

  it.each(ADAPTERS)(
    'plays a payment to its end on %s, without a word about addresses',
    async (_, adapter) => {
      const module = await Test.createTestingModule({
        imports: [PaymentsTestingModule.forRoot()],
        controllers: [WebhooksController],
        providers: [Checkout],
      }).compile();
      await listening(module, adapter);
      const { collections, heard } = module.get(Checkout);
      const sandbox = module.get(PaymentsSandbox);

      await collections.mobileMoney(order('order-1'));
      await collections.mobileMoney(order('order-2'));
      await sandbox.customer(phone).approve('order-1');
      await sandbox.clock.advance('15m');
      expect(heard).toEqual(['payment.success order-1', 'payment.expired order-2']);
      expect(sandbox.seed).toBe(1);
    },
  );

  it.each(ADAPTERS)('plays a payment to its end on %s while Vitest fakes every timer', async (_, adapter) => {
    const module = await Test.createTestingModule({
      imports: [PaymentsTestingModule.forRoot()],
      controllers: [WebhooksController],
      providers: [Checkout],
    }).compile();
    const app = await listening(module, adapter);
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { collections, heard } = module.get(Checkout);
    await collections.mobileMoney(order('order-1'));
    await module.get(PaymentsSandbox).customer(phone).approve('order-1');
    expect(heard).toEqual(['payment.success order-1']);
    running = undefined;
    await app.close();
  });

  it.each([
    ['Express', (https: object) => [new ExpressAdapter(), { httpsOptions: https }] as const],
    ['Fastify', (https: object) => [new FastifyAdapter({ https } as object), {}] as const],
  ])(
    'sends webhooks over HTTPS to an application on %s with a self-signed certificate',
    async (_, hostOf) => {
      const module = await Test.createTestingModule({
        imports: [PaymentsTestingModule.forRoot()],
        controllers: [WebhooksController],
        providers: [Checkout],
      }).compile();
      const of = (kind: string): Buffer => readFileSync(`test/support/tls/stranger.${kind}.pem`);
      const [adapter, options] = hostOf({ key: of('key'), cert: of('cert') });
      const app = module.createNestApplication(adapter as ExpressAdapter, { logger: false, ...options });
      running = app;
      await app.listen(0, '127.0.0.1');
      const { collections, heard } = module.get(Checkout);
      await collections.mobileMoney(order('order-1'));
      await module.get(PaymentsSandbox).customer(phone).approve('order-1');
      expect(heard).toEqual(['payment.success order-1']);
    },
  );

  it('makes the further try after a lost answer at once, and asks no second time', async () => {
    const module = await Test.createTestingModule({ imports: [PaymentsTestingModule.forRoot()] }).compile();
    running = module;
    const sandbox = module.get(PaymentsSandbox);
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    await expect(module.get(CollectionsService).mobileMoney(order('order-1'))).rejects.toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      evidence: 'duplicate-request',
    });
    expect(sandbox.requests()).toHaveLength(2);
    expect(sandbox.payments()).toHaveLength(1);
  });

  it('closes at once beside a call that is never answered, and beside one that would hang next', async () => {
    const module = await Test.createTestingModule({ imports: [PaymentsTestingModule.forRoot()] }).compile();
    running = module;
    const sandbox = module.get(PaymentsSandbox);
    sandbox.next('POST /payments/mobile-money').hang().times(2);
    const hangs = new Promise((resolve) => {
      sandbox.on('exchange', resolve);
    });
    const call = module.get(CollectionsService).mobileMoney(order('order-1'));
    const outcome = expect(call).rejects.toMatchObject({ name: 'PaymentOutcomeUnknownError' });
    await hangs;
    const started = performance.now();
    await module.close();
    await outcome;
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it.each(['forRoot', 'forApplication'] as const)(
    'closes at once beside a webhook handler whose own call is never answered (%s)',
    async (method) => {
      @Injectable()
      class PaysOut {
        constructor(private readonly disbursements: DisbursementsService) {}

        @OnPayment('payment.success')
        async refund(): Promise<void> {
          await this.disbursements.mobileMoney({
            reference: 'refund-1',
            amount: 5_000,
            currency: 'TZS',
            network: 'NET_ONE',
            recipient_name: 'Asha Mushi',
            recipient_phone: phone,
            remarks: 'Refund',
          });
        }
      }
      const registration = PaymentsModule.forRoot({
        ...live,
        storage: memoryStorage(),
        webhooks: { secrets: ['whsec_c2VjcmV0'], scheme: standardWebhooks() },
      });
      const imports =
        method === 'forRoot'
          ? [PaymentsTestingModule.forRoot()]
          : [registration, PaymentsTestingModule.forApplication()];
      const module = await Test.createTestingModule({
        imports,
        controllers: [WebhooksController],
        providers: [PaysOut],
      }).compile();
      const app = module.createNestApplication({ logger: false });
      running = app;
      await app.listen(0, '127.0.0.1');
      const sandbox = app.get(PaymentsSandbox);
      await app.get(CollectionsService).mobileMoney(order('order-1'));
      sandbox.next('POST /disbursements/mobile-money').hang();
      const hangs = new Promise((resolve) => {
        sandbox.on('exchange', resolve);
      });
      const approved = sandbox.customer(phone).approve('order-1');
      await hangs;
      const started = performance.now();
      await app.close();
      await approved;
      expect(performance.now() - started).toBeLessThan(5_000);
    },
  );

  it('keeps no process running by a connection, if a test forgot to close it', async () => {
    const module = await Test.createTestingModule({ imports: [PaymentsTestingModule.forRoot()] }).compile();
    running = module;
    const sandbox: unknown = module.get(PaymentsSandbox);
    const { server } = sandbox as { readonly server: Server };
    const accepted = once(server, 'connection');
    await module.get(CollectionsService).mobileMoney(order('order-1'));
    // Only the handle says whether it keeps the process running.
    const [socket] = (await accepted) as unknown[];
    expect((socket as { _handle: { hasRef(): boolean } })._handle.hasRef()).toBe(false);
  });

  it('takes options for the account, and for the emulator', async () => {
    const module = await Test.createTestingModule({
      imports: [
        PaymentsTestingModule.forRoot({
          limits: { collection: { max: '1000' } },
          sandbox: { startingBalance: '7.00', webhookScheme: standardWebhooks() },
        }),
      ],
    }).compile();
    running = module;
    const refused = module.get(CollectionsService).mobileMoney(order('order-1', '1000.01'));
    await expect(refused).rejects.toMatchObject({ name: 'PaymentsValidationError' });
    expect(module.get(PaymentsSandbox).balance().available_balance).toBe(7);
  });

  it('makes a merchant of each account, whose references and webhooks do not mix', async () => {
    @Injectable()
    class Both {
      readonly heard: string[] = [];

      constructor(
        readonly shop: CollectionsService,
        @InjectPayments(CollectionsService, 'pay.outs') readonly other: CollectionsService,
      ) {}

      @OnPayment('payment.success')
      shopPaid({ data }: PaymentWebhookEvent): void {
        this.heard.push(`shop ${data.reference}`);
      }

      @OnPayment('payment.success', { account: 'pay.outs' })
      otherPaid({ data }: PaymentWebhookEvent): void {
        this.heard.push(`other ${data.reference}`);
      }
    }
    @Controller('webhooks')
    class Routes {
      @PaymentsWebhook('shop')
      shop(): void {}

      @PaymentsWebhook('other', { account: 'pay.outs' })
      other(): void {}
    }
    const module = await Test.createTestingModule({
      imports: [PaymentsTestingModule.forRoot({ accounts: ['default', 'pay.outs'] })],
      controllers: [Routes],
      providers: [Both],
    }).compile();
    await listening(module);
    const { shop, other, heard } = module.get(Both);
    const sandbox = module.get(PaymentsSandbox);
    await shop.mobileMoney(order('order-1'));
    await other.mobileMoney(order('order-1'));
    await sandbox.merchant('pay-outs').customer(phone).approve('order-1');
    await sandbox.merchant('demo').customer(phone).approve('order-1');
    expect(heard).toEqual(['other order-1', 'shop order-1']);
  });

  it('stops the emulator with the module, also with one that was never initialised', async () => {
    const module = await Test.createTestingModule({ imports: [PaymentsTestingModule.forRoot()] }).compile();
    const { url } = module.get(PaymentsSandbox);
    expect((await fetch(url)).status).toBe(200);
    await module.close();
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('leaves an emulator running that was started by the test, for an application that starts again', async () => {
    const sandbox = await startSandbox({ clock: 'manual' });
    const storage = memoryStorage();
    const start = () =>
      Test.createTestingModule({ imports: [PaymentsTestingModule.forRoot({ sandbox, storage })] }).compile();
    const first = await start();
    await first.get(CollectionsService).mobileMoney(order('order-1'));
    await first.close();
    const second = await start();
    running = second;
    expect(second.get(PaymentsSandbox)).toBe(sandbox);
    await second.get(CollectionsService).mobileMoney(order('order-1'));
    expect(sandbox.requests()).toHaveLength(1);
  });

  it('lets the process end if the application does not boot', async () => {
    const before = serverCount();
    const boot = Test.createTestingModule({
      imports: [PaymentsTestingModule.forRoot({ timeoutMs: -1 })],
    }).compile();
    await expect(boot).rejects.toThrow('Payments option `timeoutMs` must be a whole number');
    expect(serverCount()).toBe(before);
  });

  it('does not boot twice in one application, and says what to write instead', async () => {
    const boot = Test.createTestingModule({
      imports: [PaymentsTestingModule.forRoot(), PaymentsTestingModule.forRoot({ accounts: ['payouts'] })],
    }).compile();
    await expect(boot).rejects.toThrow("forRoot({ accounts: ['default', 'payouts'] })");
  });

  it('does not give two accounts one wallet', async () => {
    const boot = Test.createTestingModule({
      imports: [PaymentsTestingModule.forRoot({ accounts: ['default', 'demo'] })],
    }).compile();
    await expect(boot).rejects.toThrow("The accounts 'default' and 'demo' would both be the merchant 'demo'");
  });
});

describe('PaymentsTestingModule.forApplication', () => {
  function applicationWith(...imports: readonly DynamicModule[]): object {
    @Module({ imports: [...imports], controllers: [WebhooksController], providers: [Checkout] })
    class AppModule {}
    return AppModule;
  }

  const withFactory = (options: Partial<PaymentsModuleOptions> = {}): DynamicModule =>
    PaymentsModule.forRootAsync({
      isGlobal: true,
      imports: [ConfigModule.forRoot({ ignoreEnvFile: true })],
      inject: [ConfigService],
      useFactory: (config: ConfigService): PaymentsModuleOptions => ({
        ...live,
        apiKey: config.get('KEY_THAT_NOBODY_SET', 'pk_live_a'),
        webhooks: { scheme: stripeStyle({ header: 'x-signature' }), secrets: ['a-secret-of-some-length'] },
        ...options,
      }),
    });

  const compiled = (application: object, overrides = {}): Promise<TestingModule> =>
    Test.createTestingModule({
      imports: [application as DynamicModule, PaymentsTestingModule.forApplication(overrides)],
    }).compile();

  it('takes every account to the emulator, whatever its keys and its scheme', async () => {
    const named = PaymentsModule.forRoot({ ...live, name: 'payouts', isGlobal: true });
    const module = await compiled(applicationWith(withFactory(), named));
    const app = await listening(module);
    const { collections, heard } = app.get(Checkout, { strict: false });
    const sandbox = app.get(PaymentsSandbox);
    await collections.mobileMoney(order('order-1'));
    await app
      .get<CollectionsService>(getPaymentsToken(CollectionsService, 'payouts'))
      .mobileMoney(order('order-1'));
    await sandbox.customer(phone, { merchant: 'demo' }).approve('order-1');
    expect(heard).toEqual(['payment.success order-1']);
    expect(
      sandbox
        .payments()
        .map(({ merchant }) => merchant)
        .sort(),
    ).toEqual(['demo', 'payouts']);
    await expect(app.get(PaymentsJournal).get('collection', 'order-1')).resolves.toMatchObject({
      state: 'settled',
      outcome: 'success',
    });
  });

  it("keeps the application's other options, unless the test says otherwise", async () => {
    const options: Partial<PaymentsModuleOptions> = {
      limits: { collection: { max: '1000' } },
      probe: false,
    };
    const module = await compiled(applicationWith(withFactory(options)), {
      limits: { collection: { max: '2000' } },
    });
    running = module;
    const { collections } = module.get(Checkout, { strict: false });
    const sandbox = module.get(PaymentsSandbox);
    await expect(collections.mobileMoney(order('order-1', '2000.01'))).rejects.toMatchObject({
      name: 'PaymentsValidationError',
    });
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    await expect(collections.mobileMoney(order('order-2'))).rejects.toMatchObject({ evidence: 'no-answer' });
    expect(sandbox.requests()).toHaveLength(1);
  });

  it('does not hide that an account with a route has no webhooks option', async () => {
    const module = await compiled(applicationWith(PaymentsModule.forRoot({ ...live, isGlobal: true })));
    running = module;
    const app = module.createNestApplication({ logger: false });
    await expect(app.init()).rejects.toThrow("of the account 'default', which has no `webhooks` option");
  });

  it('does not boot in production, because goods would be shipped for payments that nobody made', async () => {
    process.env['NODE_ENV'] = 'production';
    const boot = compiled(applicationWith(withFactory()));
    await expect(boot).rejects.toThrow('NODE_ENV is production');
  });

  it('says that it found no account', async () => {
    const module = await Test.createTestingModule({
      imports: [PaymentsTestingModule.forApplication()],
    }).compile();
    await expect(module.init()).rejects.toThrow('forApplication() found no account');
    await module.get(PaymentsSandbox).stop();
  });
});

describe("Nest's overrideModule", () => {
  it('puts the module in place of a registration that the test imports too', async () => {
    const payments = PaymentsModule.forRoot({
      baseUrl: 'https://gateway.example/api/v1',
      apiKey: 'pk_live_a',
      apiSecret: 'sk_live_a',
    });
    @Module({ imports: [payments], providers: [Checkout] })
    class AppModule {}
    const module = await Test.createTestingModule({ imports: [AppModule] })
      .overrideModule(payments)
      .useModule(PaymentsTestingModule.forRoot())
      .compile();
    running = module;
    await module.get(Checkout, { strict: false }).collections.mobileMoney(order('order-1'));
    expect(module.get(PaymentsSandbox).payments()).toHaveLength(1);
  });
});
