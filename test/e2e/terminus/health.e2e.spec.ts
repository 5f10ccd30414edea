import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Controller, Get, type INestApplication } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';
import {
  CALL_END_CHANNEL,
  CollectionsService,
  memoryStorage,
  PaymentsModule,
  type PaymentsModuleRootOptions,
  type PaymentsStorage,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { type PaymentsHealthOptions, PaymentsHealthIndicator } from 'nestjs-payments/terminus';
import { channel } from 'node:diagnostics_channel';
import { type Server } from 'node:http';
import { performance } from 'node:perf_hooks';
import request from 'supertest';
import { eventually } from '../../support/eventually.js';
import { collectionRequest } from '../../support/gateway-answers.js';
import { journalRecord } from '../../support/journal-contract.js';
import { startSandbox } from '../../support/sandbox.js';

const BALANCE = 'GET /merchant-balance';
/** Asked every time, so that a test need not wait. */
const FRESH = { cacheMs: 0 };

let options: PaymentsHealthOptions;

@Controller('health')
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly payments: PaymentsHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check(): Promise<unknown> {
    return this.health.check([() => this.payments.isHealthy('payments', options)]);
  }
}

describe('the health of payments, by Terminus', () => {
  let sandbox: PaymentsSandbox;
  let app: INestApplication | undefined;

  const start = async (...accounts: readonly Partial<PaymentsModuleRootOptions>[]): Promise<void> => {
    const module = await Test.createTestingModule({
      imports: [
        TerminusModule.forRoot({ logger: false }),
        ...(accounts.length === 0 ? [{}] : accounts).map((account) =>
          PaymentsModule.forRoot({ ...sandbox.moduleOptions(), retry: { maxAttempts: 1 }, ...account }),
        ),
      ],
      controllers: [HealthController],
      providers: [PaymentsHealthIndicator],
    }).compile();
    app = module.createNestApplication({ logger: false });
    await app.init();
  };
  const health = async (): Promise<{
    readonly status: number;
    readonly payments: unknown;
    readonly text: string;
  }> => {
    const { status, text } = await request(app!.getHttpServer() as Server).get('/health');
    const { details } = JSON.parse(text) as { details: { payments: unknown } };
    return { status, payments: details.payments, text };
  };
  const balancesRead = (): number =>
    sandbox.requests().filter(({ path }) => path.endsWith('/merchant-balance')).length;

  beforeEach(async () => {
    options = FRESH;
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
  });

  afterEach(async () => {
    await app?.close();
    app = undefined;
    vi.restoreAllMocks();
  });

  it('an account is up if the gateway accepts the credentials and the storage answers', async () => {
    await start();
    expect(await health()).toMatchObject({
      status: 200,
      payments: { status: 'up', gateway: 'up', storage: 'up' },
    });
  });

  it('the indicator asks the gateway once for many checks', async () => {
    options = {};
    await start();
    await Promise.all([health(), health()]);
    await health();
    expect(balancesRead()).toBe(1);
  });

  it('an account is down if its credentials are wrong, and the report shows none of them', async () => {
    await start({ apiKey: 'pk_test_shop', apiSecret: 'sk_test_0other0' });
    const { status, payments, text } = await health();
    expect(status).toBe(503);
    expect(payments).toEqual({
      status: 'down',
      gateway: 'down',
      storage: 'up',
      message: 'The gateway does not accept the credentials (UNAUTHORIZED).',
    });
    expect(text).not.toMatch(/_test_|127\.0\.0\.1/);
  });

  it('an account is down if the gateway cannot be reached, and the report shows no address', async () => {
    await start({ baseUrl: 'http://127.0.0.1:9/api/v1' });
    const { status, payments, text } = await health();
    expect(status).toBe(503);
    expect(payments).toMatchObject({ message: 'The gateway cannot be reached (ECONNREFUSED).' });
    expect(text).not.toContain('127.0.0.1');
  });

  it('a 429 and two failures change nothing, and the third failure in a row takes the account down', async () => {
    await start();
    expect((await health()).status).toBe(200);
    sandbox.next(BALANCE).status(500).times(2);
    expect([(await health()).status, (await health()).status]).toEqual([200, 200]);
    expect((await health()).status).toBe(200);
    sandbox.next(BALANCE).status(500).times(3);
    expect([(await health()).status, (await health()).status]).toEqual([200, 200]);
    expect(await health()).toMatchObject({
      status: 503,
      payments: { message: 'The gateway gave no usable answer 3 times in a row.' },
    });
    expect((await health()).status).toBe(200);
    sandbox.next(BALANCE).status(429, { retryAfter: 30 });
    const limited = [await health(), await health(), await health(), await health()];
    expect(limited.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('the indicator waits for a silent gateway no longer than `timeoutMs`', async () => {
    options = { cacheMs: 0, timeoutMs: 50 };
    await start();
    sandbox.next(BALANCE).hang();
    expect(await health()).toMatchObject({ status: 200, payments: { gateway: 'unclear' } });
  });

  it('an account whose calls all hang is down half a minute and three reads later, unless a call is accepted meanwhile', async () => {
    let laterMs = 0;
    const realNow = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => realNow() + laterMs);
    options = { cacheMs: 0, timeoutMs: 10_000 };
    await start({ rate: { concurrency: 1 } });
    const statuses = async (): Promise<number[]> => [
      (await health()).status,
      (await health()).status,
      (await health()).status,
    ];
    expect((await health()).status).toBe(200);
    options = { cacheMs: 0, timeoutMs: 50 };
    sandbox.next('POST /payments/mobile-money').hang();
    const hangUp = new AbortController();
    const paying = app!
      .get(CollectionsService)
      .mobileMoney(collectionRequest, { signal: hangUp.signal })
      .catch((error: unknown) => error);
    await eventually(() => {
      expect(sandbox.requests().some(({ path }) => path.endsWith('/mobile-money'))).toBe(true);
    });
    const ends = channel(CALL_END_CHANNEL);
    const accepted = { account: 'default', outcome: 'success' };
    expect(await statuses()).toEqual([200, 200, 200]);
    laterMs = 30_000;
    expect(await statuses()).toEqual([200, 200, 503]);
    ends.publish({ ...accepted, account: 'payouts' });
    expect((await health()).status).toBe(503);
    ends.publish(accepted);
    expect(await statuses()).toEqual([200, 200, 200]);
    hangUp.abort();
    await paying;
    await app!.close();
    app = undefined;
    expect(ends.hasSubscribers).toBe(false);
  });

  it('an account is down if its storage fails, and the report does not show the error', async () => {
    const storage = memoryStorage();
    const broken: PaymentsStorage = {
      ...storage,
      name: 'broken',
      journal: Object.assign(Object.create(storage.journal) as PaymentsStorage['journal'], {
        list: () => Promise.reject(new Error('password=hunter2')),
      }),
    };
    await start({ storage: broken });
    const { status, payments, text } = await health();
    expect(status).toBe(503);
    expect(payments).toMatchObject({
      gateway: 'up',
      storage: 'down',
      message: 'The storage does not answer.',
    });
    expect(text).not.toContain('hunter2');
  });

  it('the report names the age of the oldest open payment, which takes the account down only if a limit is set', async () => {
    let now = 1_800_000_000_000;
    await start({ storage: memoryStorage({ now: () => now }) });
    await app!.get(CollectionsService).mobileMoney(collectionRequest);
    now += 3_600_000;
    expect(await health()).toMatchObject({ status: 200, payments: { oldestUnresolvedMs: 3_600_000 } });
    options = { ...FRESH, maxUnresolvedAgeMs: 3_600_001 };
    expect((await health()).status).toBe(200);
    options = { ...FRESH, maxUnresolvedAgeMs: 3_600_000 };
    const { status, payments, text } = await health();
    expect(status).toBe(503);
    expect(payments).toMatchObject({
      status: 'down',
      gateway: 'up',
      message: 'A payment has been open for 3600000 ms: see PaymentsJournal.unresolved().',
    });
    for (const personal of Object.values(collectionRequest)) expect(text).not.toContain(personal);
  });

  it('the indicator does not ask the gateway if `gateway` is false', async () => {
    options = { gateway: false };
    await start({ baseUrl: 'http://127.0.0.1:9/api/v1' });
    expect(await health()).toMatchObject({ status: 200, payments: { status: 'up', storage: 'up' } });
  });

  it('the indicator examines the account that `account` names', async () => {
    await start({ baseUrl: 'http://127.0.0.1:9/api/v1' }, { name: 'payouts' });
    expect((await health()).status).toBe(503);
    options = { ...FRESH, account: 'payouts' };
    expect((await health()).status).toBe(200);
  });

  it.each<[PaymentsHealthOptions, RegExp]>([
    [{ account: 'refunds' }, /account 'refunds'.*no PaymentsModule registers/],
    [{ cacheMs: -1 }, /`cacheMs` must be a whole number of milliseconds from 0 to 2147483647/],
    [{ timeoutMs: 0 }, /`timeoutMs` must be a whole number of milliseconds from 1 to 2147483647/],
    [{ maxUnresolvedAgeMs: 0.5 }, /`maxUnresolvedAgeMs` must/],
    [{ gateway: 'no' as unknown as boolean }, /`gateway` must be true or false/],
    [{ age: 5 } as PaymentsHealthOptions, /`age` does not exist: write one of account, gateway/],
  ])('the check with the wrong options %j is down and says why', async (asked, message) => {
    options = asked;
    await start();
    const { status, payments } = await health();
    expect(status).toBe(503);
    expect(payments).toMatchObject({ message: expect.stringMatching(message) as unknown });
  });

  describe('of all accounts', () => {
    let storage: PaymentsStorage;
    let now: number;

    beforeEach(async () => {
      now = 1_800_000_000_000;
      storage = memoryStorage({ now: () => now });
      options = { allAccounts: true, cacheMs: 0 };
      await start({ storage }, { name: 'payouts', storage });
    });

    it('tells the oldest payment of all of them, and asks the gateway only with the keys of an account', async () => {
      expect(await health()).toMatchObject({ status: 200, payments: { status: 'up', storage: 'up' } });
      const unknown = { state: 'unknown', evidence: 'no-answer' } as const;
      await storage.journal.insert(journalRecord('order-1', { ...unknown, account: 'gone' }), 0);
      now += 60_000;
      await storage.journal.insert(journalRecord('order-2', { ...unknown, account: 'payouts' }), 0);
      expect((await health()).payments).toEqual({ status: 'up', storage: 'up', oldestUnresolvedMs: 60_000 });
      expect(balancesRead()).toBe(0);
      options = { ...options, account: 'payouts', maxUnresolvedAgeMs: 60_000 };
      expect(await health()).toMatchObject({
        status: 503,
        payments: { gateway: 'up', message: expect.stringContaining('open for 60000 ms') as unknown },
      });
      expect(balancesRead()).toBe(1);
    });

    it('looks at them once, however many checks come at once, and again after cacheMs', async () => {
      const list = vi.spyOn(storage.journal, 'accounts');
      options = { allAccounts: true, cacheMs: 60_000 };
      await Promise.all([health(), health(), health()]);
      await health();
      expect(list).toHaveBeenCalledTimes(1);
    });

    it('is down if the storage does not list them', async () => {
      vi.spyOn(storage.journal, 'accounts').mockRejectedValue(new Error('redis://user:secret@host'));
      const { payments, text } = await health();
      expect(payments).toMatchObject({ status: 'down', storage: 'down' });
      expect(text).not.toContain('secret');
    });
  });
});
