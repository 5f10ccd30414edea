import { HttpService } from '@nestjs/axios';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  CollectionsService,
  GatewayUnreachableError,
  getPaymentsToken,
  memoryStorage,
  PaymentsJournal,
  PaymentsModule,
  WalletService,
} from 'nestjs-payments';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { atOnce } from '../../support/event-loop.js';
import { WAYS } from '../../support/merchant.js';
import { journalRecord } from '../../support/journal-contract.js';
import { scheme, secret } from '../../support/webhook-app.js';
import { collectionRecord, collectionRequest, envelope } from '../../support/gateway-answers.js';

const BALANCE = { balance: 5, available_balance: 4, locked_balance: 1, currency: 'TZS' };

describe('the end of the application', () => {
  let server: Server;
  let baseUrl: string;
  let application: TestingModule;
  let arrived: Promise<void>;
  let answerHeld: () => void;
  let allClosed: Promise<void>;
  let open = 0;

  beforeEach(async () => {
    const held: (() => void)[] = [];
    answerHeld = () => {
      for (const answer of held.splice(0)) answer();
    };
    let tellArrived = (): void => {};
    arrived = new Promise((resolve) => (tellArrived = resolve));
    let tellClosed = (): void => {};
    allClosed = new Promise((resolve) => (tellClosed = resolve));
    server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.method === 'GET') {
        response.end(JSON.stringify(envelope(BALANCE)));
        return;
      }
      held.push(() => response.end(JSON.stringify(envelope(collectionRecord, 'PAYMENT_INITIATED'))));
      tellArrived();
    });
    // Long enough that only the client can be the one that closes.
    server.keepAliveTimeout = 60_000;
    open = 0;
    server.on('connection', (socket) => {
      open += 1;
      socket.on('close', () => {
        open -= 1;
        if (open === 0) tellClosed();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  });

  const options = () => ({ baseUrl, apiKey: 'pk_test_4f9a2c7e1b', apiSecret: 'sk_test_4f9a2c7e1b' });

  it('closes the connections of every account', async () => {
    application = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot(options()), PaymentsModule.forRoot({ ...options(), name: 'payouts' })],
    }).compile();
    await application.get(WalletService).balance();
    await application.get<WalletService>(getPaymentsToken(WalletService, 'payouts')).balance();
    expect(open).toBe(2);

    await application.close();
    await allClosed;
    expect(open).toBe(0);
  });

  it.each<[of: string, options: () => Parameters<typeof PaymentsModule.forRoot>[0]]>([
    ['an account', () => ({ ...options(), webhooks: { scheme, secrets: [secret] } })],
    [
      'accounts from a resolver',
      () => ({ baseUrl, webhooks: { scheme }, accounts: { resolve: () => Promise.resolve(null) } }),
    ],
  ])('comes even if a test fakes every timer, with %s', async (_, given) => {
    application = await Test.createTestingModule({ imports: [PaymentsModule.forRoot(given())] }).compile();
    await application.init();
    vi.useFakeTimers();
    await application.close();
  });

  it('waits for the payment that is under way, and sends nothing afterwards', async () => {
    application = await Test.createTestingModule({ imports: [PaymentsModule.forRoot(options())] }).compile();
    const collections = application.get(CollectionsService);
    const payment = collections.mobileMoney(collectionRequest);
    await arrived;
    const closed = application.close();
    answerHeld();

    await expect(payment).resolves.toMatchObject({ status: 'pending' });
    await closed;
    await expect(
      collections.mobileMoney({ ...collectionRequest, reference: 'order-2' }, { retry: false }),
    ).rejects.toBeInstanceOf(GatewayUnreachableError);
  });

  it.each(WAYS)('lets a call that comes later, %s, fail at once and says why', async (way) => {
    application = await Test.createTestingModule({ imports: [PaymentsModule.forRoot(options())] }).compile();
    await application.init();
    const collections = application.get(CollectionsService);
    const wallet = application.get(WalletService);
    if (way === 'through axios') {
      application.get<HttpService>(getPaymentsToken(HttpService)).axiosRef.getUri();
    }
    await wallet.balance();
    await application.close();
    const warn = vi.spyOn(Logger.prototype, 'warn');
    const expected = {
      name: 'GatewayUnreachableError',
      message: 'Nothing was sent: the application has stopped, and its connections are closed.',
      mayHaveBeenProcessed: false,
      attempts: [{ number: 1, phase: 'not-sent' }],
    };
    await expect(atOnce(collections.mobileMoney(collectionRequest))).rejects.toMatchObject(expected);
    await expect(atOnce(wallet.balance())).rejects.toMatchObject(expected);
    expect(warn).not.toHaveBeenCalled();
  });

  it('closes the storage', async () => {
    let closed = 0;
    const storage = Object.assign(memoryStorage(), {
      close: () => {
        closed += 1;
        return Promise.resolve();
      },
    });
    application = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot({ ...options(), storage })],
    }).compile();
    await application.close();
    expect(closed).toBe(1);
  });

  it('closes the storage only after what is under way is written down', async () => {
    const memory = memoryStorage();
    const key = {
      account: 'default',
      environment: 'sandbox',
      family: 'collection',
      reference: 'order-1',
    } as const;
    let atClose: string | undefined;
    const storage = Object.assign(memory, {
      close: async () => {
        atClose = (await memory.journal.get(key))?.record.state;
      },
    });
    application = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot({ ...options(), storage })],
    }).compile();
    const payment = application.get(CollectionsService).mobileMoney(collectionRequest);
    await arrived;
    const closed = application.close();
    answerHeld();
    await Promise.all([payment, closed]);
    expect(atClose).toBe('accepted');
  });

  it.each(['default', 'payouts'])(
    'closes a storage that two accounts share only after the account %s is through as well',
    async (name) => {
      const memory = memoryStorage();
      const closedAt: (string | undefined)[] = [];
      const close = async (): Promise<void> => {
        const key = { account: name, environment: 'sandbox', family: 'collection' } as const;
        closedAt.push((await memory.journal.get({ ...key, reference: 'order-1' }))?.record.state);
      };
      const storage = { ...memory, close };
      application = await Test.createTestingModule({
        imports: ['default', 'payouts'].map((one) =>
          PaymentsModule.forRoot({ ...options(), name: one, storage }),
        ),
      }).compile();
      await application.init();
      const payment = application
        .get<CollectionsService>(getPaymentsToken(CollectionsService, name))
        .mobileMoney(collectionRequest);
      await arrived;
      const closed = application.close();
      // What has nothing to wait for has closed by now.
      await new Promise((resolve) => setImmediate(resolve));
      answerHeld();
      await Promise.all([payment, closed]);
      expect(closedAt).toEqual(['accepted']);
    },
  );

  it('tries once more to write down what the storage did not take, before it closes it', async () => {
    const memory = memoryStorage();
    let down = true;
    const journal = Object.assign(Object.create(memory.journal) as typeof memory.journal, {
      replace: (...change: Parameters<typeof memory.journal.replace>) =>
        down ? Promise.reject(new Error('connection refused')) : memory.journal.replace(...change),
    });
    const key = { account: 'default', environment: 'sandbox', family: 'collection' } as const;
    let atClose: string | undefined;
    const close = async (): Promise<void> => {
      atClose = (await memory.journal.get({ ...key, reference: 'order-1' }))?.record.state;
    };
    vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    // Only the end of the application tries again.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
    application = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot({ ...options(), storage: { ...memory, journal, close } })],
    }).compile();
    const payment = application.get(CollectionsService).mobileMoney(collectionRequest);
    await arrived;
    answerHeld();
    expect((await payment).lastResponse.warnings).toEqual([expect.stringContaining('could not be written')]);
    down = false;
    await application.close();
    expect(atClose).toBe('accepted');
  });

  it('waits for the payment that is recovered, and closes the storage after that', async () => {
    let now = 1_800_000_000_000;
    const memory = memoryStorage({ now: () => now });
    const request = journalRecord('order-1', { body: JSON.stringify(collectionRequest) });
    await memory.journal.insert(request, 0);
    now += 120_000;
    let atClose: string | undefined;
    const close = async (): Promise<void> => {
      atClose = (await memory.journal.get(request))?.record.state;
    };
    application = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot({ ...options(), storage: { ...memory, close } })],
    }).compile();
    const recovered = application.get(PaymentsJournal).recover();
    await arrived;
    const closed = application.close();
    answerHeld();
    expect(await recovered).toMatchObject({ probed: 1, settled: 1 });
    await closed;
    expect(atClose).toBe('accepted');
  });
});
