import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Controller, type INestApplication, Param, Post, UseInterceptors } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  BanksService,
  CollectionsService,
  DisbursementsService,
  memoryStorage,
  PaymentsAccounts,
  PaymentsErrorInterceptor,
  PaymentsJournal,
  PaymentsModule,
  type PaymentsModuleOptions,
  type PaymentsStorage,
  WalletService,
} from 'nestjs-payments';
import { ADAPTERS } from '../../support/adapters.js';
import { eventually } from '../../support/eventually.js';
import { bankRequest, collectionRequest } from '../../support/gateway-answers.js';
import { Merchants } from '../../support/merchants.js';
import {
  type Behaviour,
  hang,
  type MisbehavingGateway,
  reset,
  startMisbehavingGateway,
} from '../../support/misbehaving-gateway.js';
import { remoteJournal } from '../../support/remote-journal.js';
import { LogLines } from '../../support/webhook-app.js';
import { accept, bare, refuse } from '../../support/working-gateway.js';

@Controller('pay')
@UseInterceptors(PaymentsErrorInterceptor)
class PayController {
  constructor(private readonly collections: CollectionsService) {}

  @Post(':reference')
  async pay(@Param('reference') reference: string): Promise<string> {
    const { status } = await this.collections.mobileMoney({ ...collectionRequest, reference });
    return status;
  }
}

const KEYS = { apiKey: 'pk_test_shop', apiSecret: 'sk_test_shop' };
const OVERLOADED = {
  name: 'PaymentsOverloadError',
  code: 'OVERLOADED',
  retryable: true,
  retryAfterMs: 5_000,
  mayHaveBeenProcessed: 'not-by-this-call',
};

let gateway: MisbehavingGateway;
let app: INestApplication | undefined;

beforeEach(async () => {
  gateway = await startMisbehavingGateway();
});
afterEach(async () => {
  vi.useRealTimers();
  // Ends what still waits for an answer.
  await gateway.close();
  await app?.close();
  app = undefined;
});

/** Holds the answers to payments until it is called. */
function holding(): { readonly behaviour: Behaviour; readonly answerAll: () => void } {
  const held: (() => void)[] = [];
  let isOpen = false;
  return {
    behaviour: (...request) => {
      const answer = (): void => {
        accept(...request);
      };
      if (isOpen) answer();
      else held.push(answer);
    },
    answerAll: () => {
      isOpen = true;
      for (const answer of held.splice(0)) answer();
    },
  };
}

async function start(options: Partial<PaymentsModuleOptions>): Promise<INestApplication> {
  const module = await Test.createTestingModule({
    imports: [
      PaymentsModule.forRoot({
        baseUrl: gateway.baseUrl,
        ...KEYS,
        retry: { maxAttempts: 1 },
        probe: false,
        ...options,
      }),
    ],
  })
    .setLogger(new LogLines())
    .compile();
  app = module.createNestApplication({ logger: false });
  await app.init();
  return app;
}

describe.each(ADAPTERS)('more payments at once than maxInFlight, on %s', (_, adapter) => {
  it('are answered 503 with Retry-After at once, written and sent nowhere, and those before succeed', async () => {
    const { behaviour, answerAll } = holding();
    gateway.answer(behaviour);
    const logs = new LogLines();
    const module = await Test.createTestingModule({
      imports: [
        PaymentsModule.forRoot({
          baseUrl: gateway.baseUrl,
          ...KEYS,
          maxInFlight: 3,
          storage: memoryStorage(),
        }),
      ],
      controllers: [PayController],
    })
      .setLogger(logs)
      .compile();
    app = module.createNestApplication(adapter(), { logger: logs });
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    const pay = (reference: string): Promise<Response> =>
      fetch(`${url}/pay/${reference}`, { method: 'POST' });

    const first = ['order-1', 'order-2', 'order-3'].map(pay);
    await gateway.arrived(3);
    for (const reference of ['order-4', 'order-5', 'order-1']) {
      const refused = await pay(reference);
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('5');
      expect(await refused.json()).toMatchObject({
        code: 'OVERLOADED',
        reference,
        mayHaveBeenProcessed: 'not-by-this-call',
      });
    }
    const journal = app.get(PaymentsJournal);
    expect(await journal.get('collection', 'order-4')).toBeUndefined();
    expect(gateway.seen).toHaveLength(3);
    expect(logs.of('warn').filter((line) => line.includes('maxInFlight, 3,'))).toHaveLength(1);

    answerAll();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([201, 201, 201]);
    expect((await pay('order-4')).status).toBe(201);
    expect(await journal.get('collection', 'order-4')).toMatchObject({ state: 'accepted' });
  });
});

describe('a payment gives its place back', () => {
  const ended: readonly [
    how: string,
    behaviour: Behaviour,
    options: { deadlineMs?: number },
    error: string | undefined,
  ][] = [
    ['is accepted', accept, {}, undefined],
    ['is refused', refuse('INVALID_PHONE'), {}, 'PaymentRejectedError'],
    ['is turned away', bare(401), {}, 'PaymentsAuthenticationError'],
    ['is unknown, because the connection broke', reset, {}, 'PaymentOutcomeUnknownError'],
    ['is unknown, because its time was up', hang, { deadlineMs: 4_000 }, 'PaymentOutcomeUnknownError'],
  ];
  it.each(ended)('when it %s', async (_, behaviour, options, error) => {
    gateway.answer(behaviour);
    const collections = (await start({ maxInFlight: 1 })).get(CollectionsService);
    const first = collections.mobileMoney(collectionRequest, options);
    const meanwhile = collections.mobileMoney({ ...collectionRequest, reference: 'order-2' });
    await expect(meanwhile).rejects.toMatchObject({ ...OVERLOADED, reference: 'order-2' });
    await (error === undefined ? first : expect(first).rejects.toMatchObject({ name: error }));
    gateway.answer(accept);
    await collections.mobileMoney({ ...collectionRequest, reference: 'order-3' });
  });

  it('when its caller gives it up', async () => {
    gateway.answer(hang);
    const collections = (await start({ maxInFlight: 1 })).get(CollectionsService);
    const caller = new AbortController();
    const first = collections.mobileMoney(collectionRequest, { signal: caller.signal });
    await gateway.arrived(1);
    caller.abort();
    await expect(first).rejects.toMatchObject({ evidence: 'aborted' });
    gateway.answer(accept);
    await collections.mobileMoney({ ...collectionRequest, reference: 'order-2' });
  });

  it('when the request is wrong, the account is refused, or the storage fails', async () => {
    gateway.answer(accept);
    const memory = memoryStorage();
    const journal = remoteJournal(memory.journal);
    const insert = vi.spyOn(journal, 'insert').mockRejectedValueOnce(new Error('ECONNREFUSED'));
    const storage: PaymentsStorage = { ...memory, name: 'remote', journal };
    const collections = (await start({ maxInFlight: 1, storage })).get(CollectionsService);
    await expect(collections.mobileMoney({ ...collectionRequest, phone: '' })).rejects.toMatchObject({
      name: 'PaymentsValidationError',
    });
    await expect(collections.mobileMoney(collectionRequest)).rejects.toMatchObject({
      name: 'PaymentsStorageError',
    });
    expect(insert).toHaveBeenCalledTimes(1);
    await collections.mobileMoney(collectionRequest);
    // The same payment again, from the journal; and another one under its reference.
    await collections.mobileMoney(collectionRequest);
    await expect(collections.mobileMoney({ ...collectionRequest, amount: '7' })).rejects.toMatchObject({
      name: 'ReferenceReusedError',
    });
    await collections.mobileMoney({ ...collectionRequest, reference: 'order-2' });
  });
});

it('a caller who gave up before gets its own reason, not that there is no place', async () => {
  gateway.answer(hang);
  const collections = (await start({ maxInFlight: 1 })).get(CollectionsService);
  const caller = new AbortController();
  const running = collections.mobileMoney(collectionRequest, { signal: caller.signal });
  await gateway.arrived(1);
  const reason = new Error('the customer left');
  const other = { ...collectionRequest, reference: 'order-2' };
  await expect(collections.mobileMoney(other, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  caller.abort();
  await expect(running).rejects.toMatchObject({ evidence: 'aborted' });
});

it('256 payments at once all pass by default', async () => {
  gateway.answer(accept);
  const collections = (await start({})).get(CollectionsService);
  const payments = Array.from({ length: 256 }, (_, index) =>
    collections.mobileMoney({ ...collectionRequest, reference: `order-${index}` }),
  );
  expect((await Promise.allSettled(payments)).filter(({ status }) => status === 'rejected')).toEqual([]);
});

it.each([
  ['50 connections', 50, {}],
  ['fewer if fewer calls may run at once', 10, { rate: { concurrency: 10 } }],
  ['as many connections as calls may run at once', 60, { rate: { concurrency: 60 } }],
])('payments share %s', async (_, atOnce, options) => {
  const { behaviour, answerAll } = holding();
  gateway.answer(behaviour);
  const collections = (await start(options)).get(CollectionsService);
  const payments = Array.from({ length: 70 }, (_payment, index) =>
    collections.mobileMoney({ ...collectionRequest, reference: `order-${index}` }),
  );
  await gateway.arrived(atOnce);
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  expect(gateway.seen).toHaveLength(atOnce);
  expect(gateway.connections()).toBe(atOnce);
  answerAll();
  expect(await Promise.all(payments)).toHaveLength(70);
});

it('a write that the storage has not answered in time keeps its place, and gives it back when it is answered', async () => {
  gateway.answer(accept);
  const memory = memoryStorage();
  const journal = remoteJournal(memory.journal);
  const held: (() => void)[] = [];
  vi.spyOn(journal, 'insert').mockImplementation(async (...entry) => {
    await new Promise<void>((resolve) => held.push(resolve));
    return memory.journal.insert(...entry);
  });
  const storage: PaymentsStorage = { ...memory, name: 'remote', journal };
  const collections = (await start({ maxInFlight: 2, storage })).get(CollectionsService);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const late = ['order-1', 'order-2'].map((reference) => {
    const call = collections.mobileMoney({ ...collectionRequest, reference });
    return expect(call).rejects.toMatchObject({ name: 'PaymentsStorageError' });
  });
  await vi.advanceTimersByTimeAsync(5_000);
  await Promise.all(late);
  vi.useRealTimers();
  // At once, and not after five seconds more.
  const third = collections.mobileMoney({ ...collectionRequest, reference: 'order-3' });
  await expect(third).rejects.toMatchObject(OVERLOADED);
  expect(held).toHaveLength(2);
  for (const answer of held) answer();
  vi.mocked(journal.insert).mockRestore();
  await eventually(() => collections.mobileMoney({ ...collectionRequest, reference: 'order-3' }));
  expect(gateway.seen).toHaveLength(1);
});

it('calls that only read have places of their own, and give them back', async () => {
  gateway.answer(hang);
  const module = await start({ maxInFlight: 1 });
  const wallet = module.get(WalletService);
  const caller = new AbortController();
  const reading = wallet.balance({ signal: caller.signal });
  await gateway.arrived(1);
  await expect(module.get(BanksService).list()).rejects.toMatchObject({
    ...OVERLOADED,
    operation: 'banks.list',
    mayHaveBeenProcessed: false,
  });
  gateway.answer(accept);
  await module.get(DisbursementsService).bank(bankRequest);
  const given = expect(reading).rejects.toBeInstanceOf(DOMException);
  caller.abort();
  await given;
  await expect(wallet.balance()).rejects.toMatchObject({ name: 'GatewayAnswerError' });
});

it('a merchant with many payments leaves places to the others', async () => {
  const { behaviour, answerAll } = holding();
  gateway.answer(behaviour);
  const merchants = new Merchants(['flooding', 'shop', 'school']);
  const module = await Test.createTestingModule({
    imports: [
      PaymentsModule.forRoot({
        baseUrl: gateway.baseUrl,
        maxInFlight: 8,
        accounts: { resolve: merchants.keysOf },
      }),
    ],
  })
    .setLogger(new LogLines())
    .compile();
  app = module.createNestApplication({ logger: false });
  await app.init();
  const accounts = app.get(PaymentsAccounts);
  const pay = (account: string, reference: string): Promise<unknown> =>
    accounts.for(account).collections.mobileMoney({ ...collectionRequest, reference });
  const flood = Array.from({ length: 20 }, (_, index) =>
    pay('flooding', `order-${index}`).catch((error: unknown) => error),
  );
  await gateway.arrived(4);
  const others = [pay('shop', 'order-1'), pay('shop', 'order-2'), pay('school', 'order-1')];
  await gateway.arrived(7);
  answerAll();
  await Promise.all(others);
  const refused = (await Promise.all(flood)).filter((end) => end instanceof Error);
  expect(refused).toHaveLength(16);
  expect(refused[0]).toMatchObject(OVERLOADED);
});
