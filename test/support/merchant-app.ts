import { HttpService } from '@nestjs/axios';
import { type INestApplication, Injectable, type Type } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { type RequestListener } from 'node:http';
import {
  BanksService,
  CollectionsService,
  DisbursementsService,
  getPaymentsToken,
  NameLookupService,
  OnPayment,
  PaymentsModule,
  type PaymentsModuleOptions,
  type PaymentWebhookEvent,
  WalletService,
} from 'nestjs-payments';
import { scheme, secret } from './webhook-app.js';
import { WebhooksController } from './webhooks.controller.js';

@Injectable()
class Heard {
  readonly events: PaymentWebhookEvent[] = [];

  @OnPayment('*')
  settled(event: PaymentWebhookEvent): void {
    this.events.push(event);
  }
}

/** A merchant's whole application on the package's public face, without a socket of its own. */
export interface MerchantApp {
  readonly collections: CollectionsService;
  readonly disbursements: DisbursementsService;
  readonly names: NameLookupService;
  readonly wallet: WalletService;
  readonly banks: BanksService;
  readonly http: HttpService;
  /** Every outcome that a handler got. */
  readonly heard: readonly PaymentWebhookEvent[];
  /** Answers `POST /webhooks/payments`. */
  readonly listener: RequestListener;
  get<T>(type: Type<T>): T;
  close(): Promise<void>;
}

/** Retries hardly wait, and nothing is probed, unless the options say otherwise. */
export async function startMerchantApp(
  options: Partial<PaymentsModuleOptions> & Pick<PaymentsModuleOptions, 'baseUrl'>,
): Promise<MerchantApp> {
  const module = await Test.createTestingModule({
    imports: [
      PaymentsModule.forRoot({
        apiKey: 'pk_test_demo',
        apiSecret: 'sk_test_demo',
        webhooks: { scheme, secrets: [secret] },
        retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 2 },
        probe: false,
        ...options,
      }),
    ],
    controllers: [WebhooksController],
    providers: [Heard],
  }).compile();
  const adapter = new ExpressAdapter();
  const app: INestApplication = module.createNestApplication(adapter, { logger: false });
  await app.init();
  return {
    collections: app.get(CollectionsService),
    disbursements: app.get(DisbursementsService),
    names: app.get(NameLookupService),
    wallet: app.get(WalletService),
    banks: app.get(BanksService),
    http: app.get<HttpService>(getPaymentsToken(HttpService)),
    heard: app.get(Heard).events,
    listener: adapter.getInstance<RequestListener>(),
    get: (type) => app.get(type),
    close: () => app.close(),
  };
}
