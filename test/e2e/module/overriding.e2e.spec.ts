import { afterEach, describe, expect, it, vi } from 'vitest';
import { type INestApplication, Injectable, Module } from '@nestjs/common';
import { HttpModule, HttpService } from '@nestjs/axios';
import { Test } from '@nestjs/testing';
import { AxiosError } from 'axios';
import {
  CollectionsService,
  DisbursementsService,
  getPaymentsToken,
  hmac,
  InjectPayments,
  OnPayment,
  paymentsConfig,
  PaymentsModule,
  PaymentOutcomeUnknownError,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { collectionPayment } from 'nestjs-payments/testing';
import { ADAPTERS } from '../../support/adapters.js';
import { collectionRequest, mobileRequest } from '../../support/gateway-answers.js';
import { startSandbox } from '../../support/sandbox.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

let app: INestApplication | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

describe.each(ADAPTERS)('an application that reads the environment, under test on %s', (_, adapter) => {
  const scheme = hmac({ header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] });

  @Injectable()
  class Orders {
    readonly paid: string[] = [];

    @OnPayment('payment.success')
    done({ data }: PaymentWebhookEvent): void {
      this.paid.push(data.reference);
    }
  }
  @Module({
    imports: [PaymentsModule.forRootAsync({ ...paymentsConfig.asProvider(), webhooks: { scheme } })],
    controllers: [WebhooksController],
    providers: [Orders],
  })
  class AppModule {}

  it('runs on the emulator, whatever the environment holds', async () => {
    const sandbox = await startSandbox({ clock: 'manual', seed: 1, webhookScheme: scheme });
    const module = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(paymentsConfig.KEY)
      .useValue(sandbox.moduleOptions())
      .compile();
    app = module.createNestApplication(adapter(), { logger: false });
    await app.listen(0, '127.0.0.1');
    sandbox.deliverTo(`${await app.getUrl()}/webhooks/payments`);

    await app.get(CollectionsService, { strict: false }).mobileMoney({
      reference: 'order-1',
      amount: '1180.50',
      phone: '255712345678',
      customer_name: 'Asha Mushi',
      customer_email: 'asha@example.com',
    });
    await sandbox.customer('255712345678').approve('order-1');
    expect(app.get(Orders).paid).toEqual(['order-1']);
  });
});

describe('an application whose own HttpService is replaced', () => {
  @Injectable()
  class Rates {
    constructor(
      readonly http: HttpService,
      @InjectPayments(HttpService) readonly payments: HttpService,
    ) {}
  }

  it('pays through the connections of the package', async () => {
    const sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    const module = await Test.createTestingModule({
      imports: [HttpModule, PaymentsModule.forRoot(sandbox.moduleOptions())],
      providers: [Rates],
    })
      .overrideProvider(HttpService)
      .useValue({ get: vi.fn() })
      .compile();
    app = module.createNestApplication({ logger: false });
    await app.init();

    const { http, payments } = app.get(Rates);
    expect(vi.isMockFunction(http.get)).toBe(true);
    expect(payments).toBeInstanceOf(HttpService);
    await app.get(CollectionsService, { strict: false }).mobileMoney(collectionRequest);
    expect(sandbox.payments()).toHaveLength(1);
  });
});

describe("an application whose account has a test's axios adapter", () => {
  it.each([
    ['resolves, is refused', false, { name: 'PaymentRejectedError', code: 'INSUFFICIENT_BALANCE' }],
    ['throws, gets the error that the outcome is unknown', true, { name: 'PaymentOutcomeUnknownError' }],
  ])('that %s', async (_, throws, expected) => {
    const keys = { baseUrl: 'http://127.0.0.1:9/api/v1', apiKey: 'pk_test_a', apiSecret: 'sk_test_a' };
    const module = await Test.createTestingModule({ imports: [PaymentsModule.forRoot(keys)] }).compile();
    app = module.createNestApplication({ logger: false });
    await app.init();
    const { axiosRef } = module.get<HttpService>(getPaymentsToken(HttpService));
    const data = { success: false, code: 'INSUFFICIENT_BALANCE', message: 'No balance' };
    axiosRef.defaults.adapter = (config) => {
      const answer = { status: 422, statusText: '', headers: {}, data, config };
      return throws
        ? Promise.reject(new AxiosError('422', '422', config, {}, answer))
        : Promise.resolve(answer);
    };
    const refused = module.get(DisbursementsService, { strict: false }).mobileMoney(mobileRequest);
    await expect(refused).rejects.toMatchObject(expected);
  });
});

describe('an application whose services are replaced', () => {
  const keys = { baseUrl: 'http://127.0.0.1:9/api/v1', apiKey: 'pk_test_a', apiSecret: 'sk_test_a' };

  @Injectable()
  class Payroll {
    constructor(
      readonly collections: CollectionsService,
      @InjectPayments(DisbursementsService, 'payouts') readonly payouts: DisbursementsService,
      @InjectPayments(DisbursementsService) readonly own: DisbursementsService,
    ) {}
  }

  it('gets what the test puts under the class, and under the token of a named account', async () => {
    const record = collectionPayment({ reference: 'order-1' });
    const mobileMoney = vi.fn<CollectionsService['mobileMoney']>();
    mobileMoney.mockResolvedValue(record);
    const bank = (): Promise<never> =>
      Promise.reject(new PaymentOutcomeUnknownError('no-answer', 'The gateway did not answer.'));
    const module = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot(keys), PaymentsModule.forRoot({ ...keys, name: 'payouts' })],
      providers: [Payroll],
    })
      .overrideProvider(CollectionsService)
      .useValue({ mobileMoney })
      .overrideProvider(getPaymentsToken(DisbursementsService, 'payouts'))
      .useValue({ bank })
      .compile();
    app = module.createNestApplication({ logger: false });
    await app.init();

    const payroll = app.get(Payroll);
    const request = { reference: 'order-1' } as Parameters<CollectionsService['mobileMoney']>[0];
    await expect(payroll.collections.mobileMoney(request)).resolves.toBe(record);
    expect(mobileMoney).toHaveBeenCalledWith(request);
    await expect(payroll.payouts.bank({} as never)).rejects.toMatchObject({ evidence: 'no-answer' });
    expect(payroll.own).toBeInstanceOf(DisbursementsService);
  });
});

describe('an application under test whose missing providers Nest mocks', () => {
  class Mailer {
    send(): void {}
  }
  @Injectable()
  class Orders {
    constructor(
      readonly collections: CollectionsService,
      readonly mailer: Mailer,
    ) {}
  }

  /** Answers every property with a function, as `createMock()` of `@golevelup/ts-jest` does. */
  const deepMock = (): object =>
    new Proxy(() => undefined, { get: (_, name) => (name === 'then' ? undefined : deepMock()) });

  it.each<[kind: string, mock: () => unknown]>([
    ['objects', () => ({})],
    ['functions', () => vi.fn()],
    ['proxies', deepMock],
  ])('gets real payments if the mocks are %s', async (_kind, mock) => {
    const sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    const module = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot(sandbox.moduleOptions())],
      providers: [Orders],
    })
      .useMocker(mock)
      .compile();
    app = module.createNestApplication({ logger: false });
    await app.init();
    const payment = await app.get(Orders).collections.mobileMoney(collectionRequest);
    expect(payment.reference).toBe(collectionRequest.reference);
  });
});
