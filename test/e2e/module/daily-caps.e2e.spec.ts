import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import {
  type BankDisbursement,
  DailyCapReachedError,
  dailyCapDay,
  type EnlistedPayment,
  type JournalInTransaction,
  type JournalStore,
  memoryStorage,
  PaymentRejectedError,
  type PaymentsModuleOptions,
  type PaymentsStorage,
  PaymentsValidationError,
} from 'nestjs-payments';
import { bankRequest, collectionRequest } from '../../support/gateway-answers.js';
import {
  type Behaviour,
  type MisbehavingGateway,
  reset,
  startMisbehavingGateway,
} from '../../support/misbehaving-gateway.js';
import { type PaymentsApp, startPaymentsApp } from '../../support/payments-app.js';
import { scheme, secret } from '../../support/webhook-app.js';
import { acceptWith, bare, refuse } from '../../support/working-gateway.js';

/** 23:59:00 in Dar es Salaam. */
const BEFORE_MIDNIGHT = Date.parse('2026-11-25T20:59:00Z');
const MIDNIGHT = '2026-11-25T21:00:00.000Z';
const CLOSED = 'http://127.0.0.1:1/api/v1';

const accept: Behaviour = (response, socket, request) => {
  const { amount } = JSON.parse(request.body) as { readonly amount: number };
  acceptWith({ amount: amount.toFixed(2) })(response, socket, request);
};

describe('an account with a cap of a day', () => {
  let gateway: MisbehavingGateway;
  let now: number;
  let memory: PaymentsStorage;
  let storage: PaymentsStorage;
  let apps: PaymentsApp[];
  let shop: PaymentsApp;

  const start = async (options: Partial<PaymentsModuleOptions> = {}): Promise<PaymentsApp> => {
    const app = await startPaymentsApp({
      baseUrl: gateway.baseUrl,
      apiKey: 'pk_test_demo',
      apiSecret: 'sk_test_demo',
      webhooks: { scheme, secrets: [secret] },
      retry: { maxAttempts: 1 },
      probe: false,
      limits: { disbursement: { perDay: { amount: '1000', count: 2 } } },
      storage,
      ...options,
    });
    apps.push(app);
    return app;
  };
  const pay = (reference: string, amount = '10.00', app = shop): Promise<unknown> =>
    app.disbursements.bank({ ...bankRequest, reference, amount });
  const failureOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
  const refusedAtCap = async (reference: string, amount?: string): Promise<DailyCapReachedError> => {
    const error = await failureOf(pay(reference, amount));
    expect(error).toBeInstanceOf(DailyCapReachedError);
    return error as DailyCapReachedError;
  };

  beforeEach(async () => {
    now = BEFORE_MIDNIGHT;
    memory = memoryStorage({ now: () => now });
    storage = memory;
    gateway = await startMisbehavingGateway();
    gateway.answer(accept);
    apps = [];
    shop = await start();
  });
  afterEach(async () => {
    await Promise.all(apps.map(({ app }) => app.close()));
    await gateway.close();
  });

  it('sends nothing and writes nothing down beyond it, and says when the next day begins', async () => {
    await Promise.all([pay('one'), pay('two')]);
    const error = await refusedAtCap('three');
    expect(error).toBeInstanceOf(PaymentsValidationError);
    expect(error).toMatchObject({
      name: 'DailyCapReachedError',
      code: 'DAILY_CAP_REACHED',
      resetsAt: new Date(MIDNIGHT),
      reference: 'three',
      operation: 'disbursement.bank',
      mayHaveBeenProcessed: false,
      retryable: true,
    });
    expect(error.message).toContain(MIDNIGHT);
    expect(error.message).toContain('limits.disbursement.perDay');
    expect(gateway.seen).toHaveLength(2);
    expect(await shop.journal.get('disbursement', 'three')).toBeUndefined();
  });

  it('begins a new day at midnight in Dar es Salaam', async () => {
    await Promise.all([pay('one'), pay('two')]);
    now = Date.parse(MIDNIGHT) - 1;
    await refusedAtCap('three');
    now = Date.parse(MIDNIGHT);
    await Promise.all([pay('three'), pay('four')]);
    await refusedAtCap('five');
    expect(dailyCapDay(now)).toBe(dailyCapDay(BEFORE_MIDNIGHT) + 1);
  });

  it('counts the sum to the cent', async () => {
    await pay('one', '999.99');
    expect((await refusedAtCap('two', '0.02')).hint).toContain('Make the same call again');
    await pay('two', '0.01');
  });

  it('refuses an amount above a whole day like one above the maximum: no day has room for it', async () => {
    const error = await failureOf(pay('one', '1000.01'));
    expect(error).not.toBeInstanceOf(DailyCapReachedError);
    expect(error).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { amount: ["amount must be at most 1000.00, the cap of a day in the module's options"] },
    });
    await pay('one', '1000.00');
  });

  it('answers repeated calls, and knows webhooks and operators, however full the day is', async () => {
    const record = await pay('one');
    gateway.answer(reset);
    await failureOf(pay('two'));
    gateway.answer(accept);
    expect(await pay('one')).toEqual(record);
    expect(await failureOf(pay('two'))).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(await shop.journal.recover()).toMatchObject({ probed: 0 });
    expect(await shop.journal.settle('disbursement', 'two', 'paid')).toMatchObject({ outcome: 'paid' });
    await refusedAtCap('three');
    expect(gateway.seen).toHaveLength(2);
  });

  it('gives back what a listed refusal did not move, and counts the next attempt', async () => {
    gateway.answer(refuse('INSUFFICIENT_BALANCE'));
    for (let tries = 0; tries < 4; tries += 1) {
      expect(await failureOf(pay('one'))).toBeInstanceOf(PaymentRejectedError);
    }
    gateway.answer(accept);
    await Promise.all([pay('one', '20.00'), pay('two')]);
    await refusedAtCap('three');
  });

  it('does not give back what may have moved, and counts the same attempt once', async () => {
    gateway.answer(bare(401));
    for (let tries = 0; tries < 3; tries += 1) {
      expect(await failureOf(pay('one'))).toMatchObject({ name: 'PaymentsAuthenticationError' });
    }
    gateway.answer(reset);
    expect(await failureOf(pay('two'))).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await refusedAtCap('three');
    gateway.answer(accept);
    await pay('one');
    await refusedAtCap('three');
  });

  it('counts the next attempt after an operator said that the first one failed, which may have moved', async () => {
    gateway.answer(reset);
    await failureOf(pay('one'));
    await shop.journal.settle('disbursement', 'one', 'failed');
    gateway.answer(accept);
    await pay('one');
    expect(await shop.journal.get('disbursement', 'one')).toMatchObject({ attempt: 2 });
    await refusedAtCap('two');
  });

  it('gives back what was never sent', async () => {
    const cutOff = await start({ baseUrl: CLOSED });
    for (let tries = 0; tries < 4; tries += 1) {
      expect(await failureOf(pay('one', '10.00', cutOff))).toMatchObject({ name: 'GatewayUnreachableError' });
    }
    await Promise.all([pay('one'), pay('two')]);
    await refusedAtCap('three');
  });

  it('gives back a next attempt that was never sent', async () => {
    gateway.answer(refuse('INSUFFICIENT_BALANCE'));
    await failureOf(pay('one'));
    gateway.answer(accept);
    const cutOff = await start({ baseUrl: CLOSED });
    for (let tries = 0; tries < 4; tries += 1) await failureOf(pay('one', '10.00', cutOff));
    expect(await shop.journal.get('disbursement', 'one')).toMatchObject({ state: 'rejected', attempt: 1 });
    await Promise.all([pay('one'), pay('two')]);
    await refusedAtCap('three');
  });

  describe('and planned payments', () => {
    const enlist = (reference: string, amount = '10.00'): Promise<EnlistedPayment<BankDisbursement>> =>
      shop.disbursements.enlistBank('the transaction', { ...bankRequest, reference, amount });
    /** The payments that were announced as stale. */
    const stale = async (): Promise<readonly string[]> => {
      const scope = { account: 'default', environment: 'sandbox', family: 'disbursement' } as const;
      const { entries } = await memory.journal.list(scope, [], { limit: 99 });
      return entries.filter(({ record }) => record.stale).map(({ record }) => record.reference);
    };
    const notByThisCall = async (work: Promise<unknown>): Promise<DailyCapReachedError> => {
      const error = await failureOf(work);
      expect(error).toMatchObject({
        code: 'DAILY_CAP_REACHED',
        mayHaveBeenProcessed: 'not-by-this-call',
        resetsAt: new Date(MIDNIGHT),
      });
      return error as DailyCapReachedError;
    };

    beforeEach(async () => {
      // A transaction that is committed at once.
      const within = (): Promise<JournalInTransaction> => Promise.resolve(memory.journal);
      const journal = Object.assign(Object.create(memory.journal) as JournalStore, { within });
      storage = { ...memory, journal };
      shop = await start({ limits: { disbursement: { perDay: { count: 1 } } } });
    });

    it('does not call one failed that a direct call asks for: recover() sends it on another day', async () => {
      await pay('one');
      const planned = await enlist('two');
      for (const call of [pay('two'), planned.send(), pay('two')]) {
        expect((await notByThisCall(call)).hint).toContain('stays planned');
      }
      expect(await shop.journal.get('disbursement', 'two')).toMatchObject({ state: 'planned' });
      now = Date.parse(MIDNIGHT);
      await shop.journal.recover();
      expect(await shop.journal.get('disbursement', 'two')).toMatchObject({ state: 'accepted' });
      expect(gateway.seen).toHaveLength(2);
    });

    it('does not call one failed that the gateway turned away before', async () => {
      const uncapped = await start({ limits: { disbursement: {} } });
      gateway.answer(bare(401));
      await failureOf(pay('two', '10.00', uncapped));
      gateway.answer(accept);
      await pay('one');
      expect((await notByThisCall(pay('two'))).hint).toContain('turned an earlier call away');
      await refusedAtCap('three');
    });

    it('counts an attempt again that another day counted', async () => {
      gateway.answer(bare(401));
      await failureOf(pay('one'));
      gateway.answer(accept);
      now = Date.parse(MIDNIGHT);
      await pay('two');
      expect(await failureOf(pay('one'))).toMatchObject({
        code: 'DAILY_CAP_REACHED',
        mayHaveBeenProcessed: 'not-by-this-call',
      });
      expect(gateway.seen).toHaveLength(2);
    });

    it('counts a planned one of another day again before recover() sends it', async () => {
      const [one, two] = await Promise.all([enlist('one'), enlist('two')]);
      gateway.answer(bare(401));
      await failureOf(one.send());
      now = Date.parse(MIDNIGHT);
      await failureOf(two.send());
      gateway.answer(accept);
      now += 60_000;
      await shop.journal.recover();
      const states = ['one', 'two'].map(async (reference) => shop.journal.get('disbursement', reference));
      expect(await Promise.all(states)).toMatchObject([{ state: 'planned' }, { state: 'accepted' }]);
    });

    it('refuses to enlist an amount above a whole day', async () => {
      shop = await start();
      const error = await failureOf(enlist('one', '1000.01'));
      expect(error).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: { amount: expect.any(Array) as string[] },
      });
    });

    it('says of one that was planned under a larger cap that no day has room for it', async () => {
      await enlist('one', '1000.01');
      shop = await start();
      now += 60_000;
      const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
      await shop.journal.recover();
      await shop.journal.recover();
      const lines = warn.mock.calls
        .flat()
        .map(String)
        .filter((line) => line.includes('stay'));
      warn.mockRestore();
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain(
        '"one" of the account "default" stays planned: it is larger than a whole day',
      );
    });

    it('makes recover() pass over what waits for another day, and announces none of it as stale', async () => {
      shop = await start({ staleAfterMs: 60_000, limits: { disbursement: { perDay: { count: 1 } } } });
      await pay('paid');
      await Promise.all(Array.from({ length: 40 }, (_, index) => enlist(`salary-${index}`)));
      now += 61_000;
      const { dailyCaps } = memory.journal;
      const asked = dailyCaps && vi.spyOn(dailyCaps, 'replace');
      await shop.journal.recover();
      expect(asked?.mock.calls.length).toBeLessThanOrEqual(16);
      expect(await stale()).toEqual([]);
      now = Date.parse(MIDNIGHT);
      await shop.journal.recover();
      expect(gateway.seen).toHaveLength(2);
    });

    it('announces one as stale for which no day has room', async () => {
      await enlist('one', '1000.01');
      shop = await start({ staleAfterMs: 60_000 });
      now += 61_000;
      const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
      await shop.journal.recover();
      warn.mockRestore();
      expect(await stale()).toEqual(['one']);
    });

    it('counts one again that recover() listed on the day before', async () => {
      const planned = await enlist('one');
      gateway.answer(bare(401));
      await failureOf(planned.send());
      gateway.answer(accept);
      now += 30_000;
      const list = memory.journal.list.bind(memory.journal);
      vi.spyOn(memory.journal, 'list').mockImplementation(async (scope, except, page) => {
        const listed = await list(scope, except, page);
        if (listed.entries.length > 0 && now < Date.parse(MIDNIGHT)) {
          now = Date.parse(MIDNIGHT);
          await pay('two');
        }
        return listed;
      });
      await shop.journal.recover();
      expect(await shop.journal.get('disbursement', 'one')).toMatchObject({ state: 'planned' });
      expect(gateway.seen).toHaveLength(2);
    });

    it('keeps the count of an attempt that is enlisted again on the same day', async () => {
      gateway.answer(bare(401));
      await failureOf(pay('one'));
      const again = await enlist('one');
      gateway.answer(accept);
      await again.send();
      expect(await shop.journal.get('disbursement', 'one')).toMatchObject({ state: 'accepted', attempt: 1 });
      await refusedAtCap('two');
    });

    it('gives back what was never sent to the day that counted it last', async () => {
      const planned = await enlist('one');
      gateway.answer(bare(401));
      await failureOf(planned.send());
      now = Date.parse(MIDNIGHT);
      const cutOff = await start({ baseUrl: CLOSED, limits: { disbursement: { perDay: { count: 1 } } } });
      await failureOf(pay('one', '10.00', cutOff));
      gateway.answer(accept);
      await pay('two');
      expect(await failureOf(planned.send())).toMatchObject({ code: 'DAILY_CAP_REACHED' });
    });
  });

  it('gives nothing back to another day', async () => {
    gateway.answer(refuse('INSUFFICIENT_BALANCE'));
    const late = pay('one');
    now = Date.parse(MIDNIGHT);
    gateway.answer(accept);
    await Promise.all([failureOf(late), pay('two'), pay('three')]);
    await refusedAtCap('four');
  });

  it('counts families apart, and each by its own cap', async () => {
    await Promise.all([pay('one'), pay('two')]);
    await refusedAtCap('three');
    const collect = (reference: string): Promise<unknown> =>
      shop.collections.mobileMoney({ ...collectionRequest, reference });
    await Promise.all([collect('one'), collect('two'), collect('three')]);
  });

  it('keeps its count over a restart, and under another cap', async () => {
    await Promise.all([pay('one'), pay('two')]);
    shop = await start({ limits: { disbursement: { perDay: { count: 3 } } } });
    await pay('three');
    await refusedAtCap('four');
  });
});
