import { type INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo } from 'node:net';
import {
  type PaymentsAccountOptions,
  PaymentsAccounts,
  PaymentsModule,
  type PaymentsStorage,
} from 'nestjs-payments';
import {
  type BatchEngine,
  type BatchPolicy,
  PayoutBatches,
  PayoutBatchesModule,
} from 'nestjs-payments/batches';
import { Reconciliation, ReconciliationModule } from 'nestjs-payments/reconciliation';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';

export const SHOP = 'shop';
type Environment = 'sandbox' | 'production';
/** The merchants of the emulator that play the two environments of the account. */
const MERCHANTS: Readonly<Record<Environment, string>> = { sandbox: 'demo', production: 'live-demo' };

/** One address with both environments: live keys belong to a merchant of their own in the emulator. */
export interface TwoEnvironments {
  readonly sandbox: PaymentsSandbox;
  readonly baseUrl: string;
  /** The references of the payouts that an environment has, in their order. */
  paidIn(environment: Environment): readonly string[];
  close(): Promise<void>;
}

/** The emulator takes no live keys, so a proxy in front of it writes test keys instead. */
export async function twoEnvironments(sandbox: PaymentsSandbox): Promise<TwoEnvironments> {
  const server = createServer((incoming, response) => {
    const { method, url = '/', headers } = incoming;
    const outgoing = request(new URL(url, sandbox.url), { method, headers: asTest(headers) }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    sandbox,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    paidIn: (environment) =>
      sandbox
        .merchant(MERCHANTS[environment])
        .payouts()
        .map(({ reference }) => reference),
    close: async () => {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
}

function asTest(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'x-api-key': key, 'x-api-secret': secret } = headers;
  const testKey = (given: typeof key): string => String(given).replace('_live_', '_test_live-');
  return { ...headers, 'x-api-key': testKey(key), 'x-api-secret': testKey(secret) };
}

/** An application with one account, of which a resolver returns the keys that a test wants. */
export interface TurningApp {
  readonly app: INestApplicationContext;
  readonly accounts: PaymentsAccounts;
  readonly batches: PayoutBatches;
  readonly reconciliation: Reconciliation;
  /** The account has keys of this environment from now on. */
  turn(to: Environment): void;
  /** The resolver returns these keys from now on. The application asks it when `cacheMs` is over, or after a 401. */
  rotate(keys: PaymentsAccountOptions): void;
  /** The same, and the application asks it at the next call. Undefined: there is no such account. */
  use(keys: PaymentsAccountOptions | undefined): void;
}

export async function startTurningApp(
  { baseUrl }: Pick<TwoEnvironments, 'baseUrl'>,
  storage: PaymentsStorage,
  {
    environment = 'sandbox',
    ...batches
  }: {
    readonly environment?: Environment;
    readonly engine: BatchEngine;
    readonly policy?: BatchPolicy;
    readonly concurrency?: number;
    readonly now?: () => number;
  },
): Promise<TurningApp> {
  let keys: PaymentsAccountOptions | undefined = KEYS[environment];
  const module = await Test.createTestingModule({
    imports: [
      PaymentsModule.forRoot({
        baseUrl,
        storage,
        rate: { perSecond: 10_000 },
        accounts: { resolve: () => Promise.resolve(keys) },
      }),
      PayoutBatchesModule.forRoot(batches),
      ReconciliationModule.forRoot(),
    ],
  }).compile();
  const app = module.createNestApplication({ logger: false });
  await app.init();
  const accounts = app.get(PaymentsAccounts);
  const rotate = (next: PaymentsAccountOptions | undefined): void => {
    keys = next;
  };
  const use = (next: PaymentsAccountOptions | undefined): void => {
    rotate(next);
    accounts.forget(SHOP);
  };
  return {
    app,
    accounts,
    batches: app.get(PayoutBatches),
    reconciliation: app.get(Reconciliation),
    rotate,
    use,
    turn: (to) => {
      use(KEYS[to]);
    },
  };
}

const KEYS: Readonly<Record<Environment, PaymentsAccountOptions>> = {
  sandbox: { apiKey: 'pk_test_demo', apiSecret: 'sk_test_demo' },
  production: { apiKey: 'pk_live_demo', apiSecret: 'sk_live_demo' },
};
