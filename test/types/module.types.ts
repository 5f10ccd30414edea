// Registering the module, as an application would. Nothing here runs: `npm run typecheck` reads it.
import { HttpService } from '@nestjs/axios';
import { type INestApplicationContext, Inject, Injectable, Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import {
  CollectionsService,
  DisbursementsService,
  getPaymentsToken,
  hmac,
  InjectPayments,
  memoryStorage,
  paymentsConfig,
  PaymentsModule,
  type PaymentsFactoryOptions,
  type PaymentsModuleOptions,
  type PaymentsOptionsFactory,
} from 'nestjs-payments';

const scheme = hmac({
  header: 'x-webhook-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: 'v1=',
  payload: ['timestamp', { literal: '.' }, 'id', { header: 'x-merchant' }, 'body'],
  timestamp: { header: 'x-webhook-timestamp', unit: 's', toleranceSeconds: 300 },
  id: { header: 'x-webhook-id' },
  signatures: { separator: ' ' },
});

const required = { baseUrl: 'http://127.0.0.1:4242/api/v1', apiKey: 'pk_test_a' } as const;

export const everyOption: PaymentsModuleOptions = {
  ...required,
  apiSecret: 'sk_test_a',
  environment: 'sandbox',
  auth: 'headers',
  timeoutMs: 30_000,
  deadlineMs: 60_000,
  retry: { maxAttempts: 3, baseDelayMs: 500, maxDelayMs: 8_000 },
  networks: ['NET_ONE', 'NET_TWO'],
  limits: { collection: { min: '100', max: '5000000' }, disbursement: { max: 5_000n } },
  amountFormat: { collections: 'number', disbursements: 'string' },
  refusalCodes: ['MERCHANT_CLOSED'],
  http: {},
  storage: memoryStorage(),
  webhooks: {
    scheme,
    secrets: ['a-secret-of-some-length', { value: 'YS1zZWNyZXQ=', encoding: 'base64', notAfter: new Date() }],
    bodyLimit: 262_144,
    handlerTimeoutMs: 25_000,
    leaseMs: 60_000,
    inFlightWaitMs: 2_000,
    retentionDays: 30,
    supersede: [['payment.failed', 'payment.success']],
  },
};

@Injectable()
export class OptionsFactory implements PaymentsOptionsFactory {
  createPaymentsOptions(): PaymentsModuleOptions {
    return everyOption;
  }
}

/** The scheme may stand beside the factory. */
@Injectable()
export class SecretsFactory implements PaymentsOptionsFactory {
  createPaymentsOptions(): PaymentsFactoryOptions {
    return { ...everyOption, webhooks: { secrets: ['a-secret-of-some-length'] } };
  }
}

@Module({
  imports: [
    PaymentsModule.forRoot(everyOption),
    PaymentsModule.forRoot({ isGlobal: true, name: 'payouts', ...everyOption }),
    PaymentsModule.forRootAsync({
      isGlobal: true,
      name: 'payouts',
      imports: [ConfigModule],
      inject: [ConfigService],
      useFactory: (config: ConfigService): PaymentsModuleOptions => ({
        baseUrl: config.getOrThrow('PAYMENTS_BASE_URL'),
        apiKey: config.getOrThrow('PAYMENTS_API_KEY'),
        apiSecret: config.getOrThrow('PAYMENTS_API_SECRET'),
        webhooks: { scheme, secrets: [config.getOrThrow('PAYMENTS_WEBHOOK_SECRET')] },
      }),
    }),
    PaymentsModule.forRootAsync({ useFactory: () => Promise.resolve(everyOption) }),
    PaymentsModule.forRootAsync({ useClass: OptionsFactory }),
    PaymentsModule.forRootAsync({ useExisting: OptionsFactory }),
    PaymentsModule.forRootAsync({ useClass: SecretsFactory, webhooks: { scheme } }),
    PaymentsModule.forRootAsync({
      ...paymentsConfig.asProvider(),
      webhooks: { scheme },
      storage: memoryStorage(),
    }),
  ],
})
export class ApplicationModule {}

@Injectable()
export class Injected {
  @InjectPayments(CollectionsService, 'payouts') readonly property!: CollectionsService;

  constructor(
    readonly collections: CollectionsService,
    @InjectPayments(DisbursementsService, 'payouts') readonly payouts: DisbursementsService,
    @InjectPayments(HttpService) readonly http: HttpService,
    @Inject(getPaymentsToken(DisbursementsService, 'salaries')) readonly salaries: DisbursementsService,
  ) {}
}

export const token = getPaymentsToken(CollectionsService, 'payouts');

export function injected(
  app: INestApplicationContext,
): [CollectionsService, DisbursementsService, HttpService, unknown] {
  const payouts = app.get(getPaymentsToken(DisbursementsService, 'payouts'));
  // @ts-expect-error -- no such method
  const { banc } = payouts;
  return [app.get(token), payouts, app.get(getPaymentsToken(HttpService)), banc];
}

export function wrongOptions(): void {
  // @ts-expect-error -- the base URL has no default
  PaymentsModule.forRoot({ apiKey: 'pk_test_a' });
  // @ts-expect-error -- two environments exist
  PaymentsModule.forRoot({ ...required, environment: 'staging' });
  // @ts-expect-error -- webhooks have no default scheme
  PaymentsModule.forRoot({ ...required, webhooks: { secrets: ['a-secret-of-some-length'] } });
  // @ts-expect-error -- a mistyped option is not ignored
  PaymentsModule.forRoot({ ...required, timeout: 1_000 });
  // @ts-expect-error -- the body is always among the signed parts, under this name
  hmac({ header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['rawBody'] });
  // @ts-expect-error -- md5 is no signature
  hmac({ header: 'x-signature', algorithm: 'md5', encoding: 'hex', payload: ['body'] });
}
