import { HttpModule, HttpService } from '@nestjs/axios';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  BanksService,
  CollectionsService,
  type PaymentsModuleOptions,
  DisbursementsService,
  NameLookupService,
  memoryStorage,
  type PaymentsJournal,
  WalletService,
} from 'nestjs-payments';
import { inFlightPlaces } from '../../lib/common/in-flight.js';
import { resolveOptions } from '../../lib/config/resolve-options.js';
import { constantKeys } from '../../lib/gateway/account-keys.js';
import { accountTransport } from '../../lib/gateway/http/account-transport.js';
import { createGatewayClient } from '../../lib/gateway/gateway-client.js';
import { createAccountJournal } from '../../lib/journal/create-journal.js';
import { createPayments } from '../../lib/journal/payment/payments.js';
import { GatewayConnections } from '../../lib/gateway/http/gateway-connections.js';

export const API_KEY = 'pk_test_4f9a2c7e1b';
export const API_SECRET = 'sk_test_4f9a2c7e1b';
/** Listens to no event of the application. */
const NOBODY = { emit: () => undefined };

/** The services of one merchant on the package's transport, without the module around them. */
export interface MerchantServices {
  readonly collections: CollectionsService;
  readonly disbursements: DisbursementsService;
  readonly names: NameLookupService;
  readonly wallet: WalletService;
  readonly banks: BanksService;
  readonly journal: PaymentsJournal;
}

/** Connections that several processes of one merchant use. */
export interface MerchantConnections {
  readonly http: HttpService;
  close(): Promise<void>;
}

/** A merchant with connections of its own. */
export interface Merchant extends MerchantServices, MerchantConnections {}

export type MerchantOptions = Partial<PaymentsModuleOptions> & Pick<PaymentsModuleOptions, 'baseUrl'>;

/** How requests leave: as long as nobody asked for axios, and once somebody did. */
export const WAYS = ['straight', 'through axios'] as const;

export async function startMerchant(
  options: MerchantOptions,
  way: (typeof WAYS)[number] = 'straight',
): Promise<Merchant> {
  const connections = await connectMerchant(options);
  if (way === 'through axios') connections.http.axiosRef.getUri();
  return { ...connections, ...merchantServices(options, connections.http) };
}

export async function connectMerchant(options: MerchantOptions): Promise<MerchantConnections> {
  const connections = new GatewayConnections(resolved(options));
  const context: TestingModule = await Test.createTestingModule({
    imports: [HttpModule.register(connections.httpModuleOptions())],
  }).compile();
  return {
    http: context.get(HttpService),
    close: async () => {
      await context.close();
      await connections.onApplicationShutdown();
    },
  };
}

/** The services as one process of the merchant has them. */
export function merchantServices(options: MerchantOptions, http: HttpService): MerchantServices {
  const all = resolved(options);
  const { journal: store, conflicts } = all.storage ?? memoryStorage();
  const { payments: places, reads } = inFlightPlaces(all.maxInFlight);
  const gateway = createGatewayClient(all, accountTransport(http), constantKeys(all), reads);
  const payments = createPayments(all, store, NOBODY, gateway, places);
  const parts = { options: all, store, gateway, payments, events: NOBODY, conflicts };
  return {
    collections: new CollectionsService(payments),
    disbursements: new DisbursementsService(payments),
    names: new NameLookupService(gateway),
    wallet: new WalletService(gateway),
    banks: new BanksService(gateway),
    journal: createAccountJournal(parts).journal,
  };
}

function resolved(options: MerchantOptions): ReturnType<typeof resolveOptions> {
  return resolveOptions({
    apiKey: API_KEY,
    apiSecret: API_SECRET,
    retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 2 },
    probe: false,
    ...options,
  });
}
