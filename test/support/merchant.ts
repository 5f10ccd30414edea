import { HttpModule, HttpService } from '@nestjs/axios';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  BanksService,
  CollectionsService,
  type PaymentsModuleOptions,
  DisbursementsService,
  NameLookupService,
  memoryStorage,
  WalletService,
} from 'nestjs-payments';
import { resolveOptions } from '../../lib/config/resolve-options.js';
import { createGatewayClient } from '../../lib/gateway/gateway-client.js';
import { createPayments } from '../../lib/journal/payment/payments.js';
import { GatewayConnections } from '../../lib/gateway/http/gateway-connections.js';

export const API_KEY = 'pk_test_4f9a2c7e1b';
export const API_SECRET = 'sk_test_4f9a2c7e1b';

/** The services of one merchant on the package's transport, without the module around them. */
export interface Merchant {
  readonly http: HttpService;
  readonly collections: CollectionsService;
  readonly disbursements: DisbursementsService;
  readonly names: NameLookupService;
  readonly wallet: WalletService;
  readonly banks: BanksService;
  close(): Promise<void>;
}

/** How requests leave: as long as nobody asked for axios, and once somebody did. */
export const WAYS = ['straight', 'through axios'] as const;

export async function startMerchant(
  options: Partial<PaymentsModuleOptions> & Pick<PaymentsModuleOptions, 'baseUrl'>,
  way: (typeof WAYS)[number] = 'straight',
): Promise<Merchant> {
  const resolved = resolveOptions({
    apiKey: API_KEY,
    apiSecret: API_SECRET,
    retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 2 },
    probe: false,
    ...options,
  });
  const { journal } = resolved.storage ?? memoryStorage();
  const connections = new GatewayConnections(resolved);
  const context: TestingModule = await Test.createTestingModule({
    imports: [HttpModule.register(connections.httpModuleOptions())],
  }).compile();
  const http = context.get(HttpService);
  const gateway = createGatewayClient(resolved, http);
  const payments = createPayments(resolved, journal, { tell: () => undefined }, gateway);
  if (way === 'through axios') http.axiosRef.getUri();
  return {
    http,
    collections: new CollectionsService(payments),
    disbursements: new DisbursementsService(payments),
    names: new NameLookupService(gateway),
    wallet: new WalletService(gateway),
    banks: new BanksService(gateway),
    close: async () => {
      await context.close();
      await connections.onApplicationShutdown();
    },
  };
}
