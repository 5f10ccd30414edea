import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import {
  type JournalEntry,
  memoryStorage,
  type PaymentsStorage,
  type PaymentsError,
  PaymentsStorageError,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { atOnce, endedAfter } from '../../support/event-loop.js';
import { collectionRequest, mobileRequest } from '../../support/gateway-answers.js';
import { hearLeakWarnings } from '../../support/leak-warnings.js';
import { startPaymentsApp, type PaymentsApp } from '../../support/payments-app.js';
import { startSandbox } from '../../support/sandbox.js';

const PAY = 'POST /payments/mobile-money';
const PHONE = '255712345678';

describe('the outcome of a payment', () => {
  let sandbox: PaymentsSandbox;
  let storage: PaymentsStorage;
  let payments: PaymentsApp;
  const running: PaymentsApp[] = [];

  const start = async (): Promise<PaymentsApp> => {
    const started = await startPaymentsApp({
      ...sandbox.moduleOptions(),
      probe: false,
      storage,
    });
    running.push(started);
    return started;
  };
  const storedEntry = (reference = 'order-1'): Promise<JournalEntry | undefined> =>
    payments.journal.get('collection', reference);
  const failureOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);
  const deliver = async (name: Parameters<typeof paymentEvent>[0], data: object = {}): Promise<number> => {
    const body = JSON.stringify(paymentEvent(name, { reference: 'order-1', amount: '1180.50', ...data }));
    const { scheme } = sandbox.moduleOptions().webhooks!;
    const headers = signWebhook({ scheme, secret: sandbox.webhookSecret, body });
    const response = await fetch(payments.webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return response.status;
  };

  beforeEach(async () => {
    storage = memoryStorage();
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    payments = await start();
    sandbox.deliverTo(payments.webhookUrl);
  });

  afterEach(async () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    await Promise.all(running.splice(0).map(({ app }) => app.close()));
  });

  describe('by webhook', () => {
    it('settles what was accepted', async () => {
      await payments.collections.mobileMoney(collectionRequest);
      expect(await storedEntry()).toMatchObject({
        state: 'accepted',
        amount: '1180.50',
        operation: 'collection.mobile-money',
      });
      await sandbox.customer(PHONE).approve('order-1');
      const entry = await storedEntry();
      expect(entry).toMatchObject({ state: 'settled', outcome: 'success' });
      expect(entry!.updatedAt.getTime()).toBeGreaterThanOrEqual(entry!.createdAt.getTime());
      expect(await payments.collections.mobileMoney(collectionRequest)).toMatchObject({ status: 'success' });
      expect(sandbox.requests()).toHaveLength(1);
    });

    it.each([
      ['decline', 'failed'],
      ['cancel', 'cancelled'],
      ['expire', 'expired'],
    ] as const)('settles after %s as %s, and the reference is used up', async (answer, outcome) => {
      await payments.collections.mobileMoney(collectionRequest);
      await sandbox.customer(PHONE)[answer]('order-1');
      expect(await storedEntry()).toMatchObject({ state: 'settled', outcome });
      expect(await failureOf(payments.collections.mobileMoney(collectionRequest))).toMatchObject({
        name: 'ReferenceReusedError',
        mayHaveBeenProcessed: false,
      });
    });

    it('settles what was unknown', async () => {
      sandbox.next(PAY).dropAfterProcessing();
      await failureOf(payments.collections.mobileMoney(collectionRequest));
      expect(await storedEntry()).toMatchObject({ state: 'unknown', evidence: 'no-answer' });
      await sandbox.customer(PHONE).approve('order-1');
      const entry = await storedEntry();
      expect(entry).toMatchObject({ state: 'settled', outcome: 'success' });
      expect(entry).not.toHaveProperty('evidence');
      const again = await payments.collections.mobileMoney(collectionRequest);
      expect(again).toMatchObject({ reference: 'order-1', amount: '1180.50', status: 'success' });
      expect(again.lastResponse.warnings).toEqual([expect.stringContaining('a webhook')]);
    });

    it('that comes before the answer wins, and never goes back', async () => {
      sandbox.next(PAY).delay('1s');
      const call = payments.collections.mobileMoney(collectionRequest);
      await new Promise<void>((resolve) => {
        sandbox.on('payment', () => {
          resolve();
        });
      });
      await sandbox.customer(PHONE).approve('order-1');
      expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: 'success' });
      await sandbox.clock.advance('1s');
      expect(await call).toMatchObject({ status: 'success' });
      expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: 'success' });
    });

    it('is written down before a handler runs, and a handler that fails changes nothing about it', async () => {
      vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
      await payments.collections.mobileMoney(collectionRequest);
      payments.seen.failWith = new Error('the database is down');
      expect(await deliver('payment.success')).toBe(500);
      expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: 'success' });
      expect(await deliver('payment.success')).toBe(200);
      expect(payments.seen.events).toEqual(['payment.success']);
    });

    it.each([
      ['payment.success', { amount: '1.00' }],
      ['payment.failed', { amount: '1180.51' }],
    ] as const)('%s with another amount is set aside, and no handler sees it', async (name, data) => {
      await payments.collections.mobileMoney(collectionRequest);
      expect(await deliver(name, data)).toBe(200);
      expect(payments.seen.events).toEqual(['mismatch']);
      expect(await storedEntry()).toMatchObject({ state: 'accepted' });
      expect(await payments.inbox.conflicts()).toMatchObject([{ kind: 'mismatch', reference: 'order-1' }]);
    });

    it('with the amount written as a number fits', async () => {
      await payments.collections.mobileMoney(collectionRequest);
      expect(await deliver('payment.success', { amount: 1180.5 })).toBe(200);
      expect(payments.seen.events).toEqual(['payment.success']);
    });

    it('without an entry is handled as it comes', async () => {
      expect(await deliver('payment.success', { reference: 'from-elsewhere' })).toBe(200);
      expect(payments.seen.events).toEqual(['payment.success']);
      expect(await storedEntry('from-elsewhere')).toBeUndefined();
    });

    it('for a payment that was called refused wins, runs its handler, and is announced as a conflict', async () => {
      sandbox.next(PAY).status(422, { code: 'INVALID_PHONE' });
      await failureOf(payments.collections.mobileMoney(collectionRequest));
      expect(await storedEntry()).toMatchObject({ state: 'rejected' });
      expect(await deliver('payment.success')).toBe(200);
      expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: 'success' });
      expect(payments.seen.events).toEqual(['conflict', 'payment.success']);
      expect(await payments.inbox.conflicts()).toMatchObject([
        { kind: 'conflict', event: 'payment.success' },
      ]);
      expect(await deliver('payment.success')).toBe(200);
      expect(payments.seen.events).toEqual(['conflict', 'payment.success']);
      const [{ id } = { id: '' }] = await payments.inbox.conflicts();
      await payments.inbox.release(id);
      expect(payments.seen.events).toEqual(['conflict', 'payment.success']);
    });

    it("wins over an operator's word, and is announced as a conflict", async () => {
      await payments.collections.mobileMoney(collectionRequest);
      await payments.journal.settle('collection', 'order-1', 'failed');
      expect(await deliver('payment.success')).toBe(200);
      expect(await storedEntry()).toMatchObject({ outcome: 'success' });
      expect(payments.seen.events).toEqual(['conflict', 'payment.success']);
    });

    it('that contradicts an earlier webhook is set aside, and changes nothing', async () => {
      await payments.collections.mobileMoney(collectionRequest);
      await deliver('payment.failed');
      expect(await deliver('payment.success')).toBe(200);
      expect(payments.seen.events).toEqual(['payment.failed', 'conflict']);
      expect(await storedEntry()).toMatchObject({ outcome: 'failed' });
      const [{ id } = { id: '' }] = await payments.inbox.conflicts();
      await payments.inbox.release(id);
      expect(await storedEntry()).toMatchObject({ outcome: 'success' });
    });

    it.each(['get', 'replace'] as const)('is answered 503 while %s of the journal fails', async (method) => {
      vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
      await payments.collections.mobileMoney(collectionRequest);
      const broken = vi.spyOn(storage.journal, method).mockRejectedValue(new Error('connection refused'));
      expect(await deliver('payment.success')).toBe(503);
      expect(payments.seen.events).toEqual([]);
      broken.mockRestore();
      expect(await deliver('payment.success')).toBe(200);
      expect(payments.seen.events).toEqual(['payment.success']);
    });
  });

  describe('by an operator', () => {
    beforeEach(async () => {
      sandbox.next(PAY).dropBefore();
      await failureOf(payments.collections.mobileMoney(collectionRequest));
    });

    it('settles it, and a joined call gets what is known', async () => {
      expect(await payments.journal.settle('collection', 'order-1', 'success')).toMatchObject({
        state: 'settled',
        outcome: 'success',
      });
      const again = await payments.collections.mobileMoney(collectionRequest);
      expect(again.lastResponse.warnings).toEqual([expect.stringContaining('settle()')]);
      expect(await payments.journal.settle('collection', 'order-1', 'success')).toMatchObject({
        outcome: 'success',
      });
    });

    it('as failed lets the next attempt be made, with another key', async () => {
      await payments.journal.settle('collection', 'order-1', 'failed');
      await payments.collections.mobileMoney({ ...collectionRequest, phone: '255712345679' });
      expect(await storedEntry()).toMatchObject({ state: 'accepted', attempt: 2 });
      expect(sandbox.payments()).toHaveLength(1);
    });

    it('as failed lets no other attempt be made while a call may still send this one', async () => {
      const other = await start();
      sandbox.next(PAY).hang();
      const request = { ...collectionRequest, reference: 'order-2' };
      // The call may still send for as long as the test needs.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const running = failureOf(payments.collections.mobileMoney(request));
      while (!(await storedEntry('order-2'))) await new Promise((resolve) => setImmediate(resolve));
      await payments.journal.settle('collection', 'order-2', 'failed');
      expect(await failureOf(other.collections.mobileMoney(request))).toMatchObject({
        name: 'PaymentOutcomeUnknownError',
        evidence: 'in-flight',
      });
      while (sandbox.payments().length < 1) await new Promise((resolve) => setImmediate(resolve));
      await vi.advanceTimersByTimeAsync(30_000);
      expect(await running).toMatchObject({ name: 'PaymentOutcomeUnknownError' });
      // The operator could not know how the call would end.
      expect(await storedEntry('order-2')).toMatchObject({
        attempt: 1,
        state: 'unknown',
        evidence: 'no-answer',
      });
      await payments.journal.settle('collection', 'order-2', 'failed');
      expect(await storedEntry('order-2')).toMatchObject({ attempt: 1, outcome: 'failed' });
    });

    it('is final, must be an outcome of the family, and needs a payment', async () => {
      const { journal } = payments;
      await journal.settle('collection', 'order-1', 'expired');
      expect(await failureOf(journal.settle('collection', 'order-1', 'success'))).toMatchObject({
        code: 'ALREADY_SETTLED',
      });
      expect(await failureOf(journal.settle('collection', 'order-1', 'paid' as never))).toMatchObject({
        name: 'PaymentsValidationError',
        message:
          'The call is wrong: outcome must be a final status of a collection: success, failed, cancelled, expired',
        hint: 'The payment stays as it is.',
        reference: 'order-1',
        mayHaveBeenProcessed: 'not-by-this-call',
      });
      expect(await failureOf(journal.settle('collection', 'order-9', 'failed'))).toMatchObject({
        code: 'ENTRY_NOT_FOUND',
      });
    });
  });

  it.each<[string, (journal: PaymentsApp['journal'], family: 'collection') => Promise<unknown>]>([
    ['get()', (journal, family) => journal.get(family, 'order-1')],
    ['settle()', (journal, family) => journal.settle(family, 'order-1', 'success')],
    ['erase()', (journal, family) => journal.erase(family, 'order-1')],
    ['waitForOutcome()', (journal, family) => journal.waitForOutcome(family, 'order-1', { timeoutMs: 10 })],
  ])('is not asked of a family that does not exist: %s', async (_, ask) => {
    await payments.collections.mobileMoney(collectionRequest);
    for (const family of ['collections', 'constructor', undefined]) {
      expect(await failureOf(ask(payments.journal, family as 'collection'))).toMatchObject({
        name: 'PaymentsValidationError',
        message: "The call is wrong: family must be 'collection' or 'disbursement'",
        reference: 'order-1',
        mayHaveBeenProcessed: 'not-by-this-call',
      });
    }
    expect(await storedEntry()).toMatchObject({ state: 'accepted' });
  });

  it('may be waited for any number of times with one signal, and Node warns of no leak', async () => {
    await payments.collections.mobileMoney(collectionRequest);
    const warnings = hearLeakWarnings();
    const controller = new AbortController();
    const { signal } = controller;
    const waits = Array.from({ length: 20 }, () =>
      failureOf(payments.journal.waitForOutcome('collection', 'order-1', { timeoutMs: 600_000, signal })),
    );
    expect(await warnings()).toEqual([]);
    controller.abort('the shop closes');
    expect(new Set(await Promise.all(waits))).toEqual(new Set(['the shop closes']));
  });

  it.each<[string, (journal: PaymentsApp['journal'], reference: string) => Promise<unknown>]>([
    ['get()', (journal, reference) => journal.get('collection', reference)],
    ['settle()', (journal, reference) => journal.settle('collection', reference, 'success')],
    ['erase()', (journal, reference) => journal.erase('collection', reference)],
    [
      'waitForOutcome()',
      (journal, reference) => journal.waitForOutcome('collection', reference, { timeoutMs: 10 }),
    ],
  ])('is not asked of a payment that nobody names: %s', async (_, ask) => {
    await payments.collections.mobileMoney({ ...collectionRequest, reference: '42' });
    for (const reference of [undefined, null, 42, '', {}]) {
      const failure = await failureOf(ask(payments.journal, reference as string));
      expect(failure).toMatchObject({
        name: 'PaymentsValidationError',
        errors: { reference: ['reference must be a text that is not empty: write that of the payment'] },
        mayHaveBeenProcessed: 'not-by-this-call',
      });
      expect(typeof (failure as PaymentsError).reference).not.toBe('number');
    }
    expect(await storedEntry('42')).toMatchObject({ state: 'accepted' });
  });

  it('is forgotten by purge() once it is old enough, and nothing else is', async () => {
    let now = 1_800_000_000_000;
    storage = memoryStorage({ now: () => now });
    const { collections, journal } = await start();
    await collections.mobileMoney(collectionRequest);
    await collections.mobileMoney({ ...collectionRequest, reference: 'order-2' });
    await journal.settle('collection', 'order-1', 'failed');
    now += 1_000;
    expect(await journal.purge({ olderThanMs: 1_000 })).toBe(0);
    expect(await journal.purge({ olderThanMs: 999 })).toBe(1);
    expect(await journal.get('collection', 'order-1')).toBeUndefined();
    expect(await journal.get('collection', 'order-2')).toMatchObject({ state: 'accepted' });
  });

  it('is forgotten for a refused payment or an accepted payout only if the options of purge() say so', async () => {
    let now = 1_800_000_000_000;
    storage = memoryStorage({ now: () => now });
    const { collections, disbursements, journal } = await start();
    sandbox.next('POST /payments/mobile-money').status(422, { code: 'INVALID_PHONE' });
    await failureOf(collections.mobileMoney(collectionRequest));
    await disbursements.mobileMoney(mobileRequest);
    const states = async () => [
      (await journal.get('collection', collectionRequest.reference))?.state,
      (await journal.get('disbursement', mobileRequest.reference))?.state,
    ];
    now += 5_000;
    expect(await journal.purge({ olderThanMs: 1_000 })).toBe(0);
    expect(await states()).toEqual(['rejected', 'accepted']);
    const longer = { rejectedOlderThanMs: 5_000, acceptedPayoutsOlderThanMs: 5_000 };
    expect(await journal.purge({ olderThanMs: 1_000, ...longer })).toBe(0);
    now += 1;
    expect(await journal.purge({ olderThanMs: 1_000, rejectedOlderThanMs: 5_000 })).toBe(1);
    expect(await states()).toEqual([undefined, 'accepted']);
    expect(await journal.purge({ olderThanMs: 1_000, acceptedPayoutsOlderThanMs: 5_000 })).toBe(1);
    expect(await states()).toEqual([undefined, undefined]);
    const requests = sandbox.requests().length;
    expect(await failureOf(collections.mobileMoney(collectionRequest))).toMatchObject({
      name: 'ReferenceReusedError',
      mayHaveBeenProcessed: false,
    });
    expect(await failureOf(disbursements.mobileMoney(mobileRequest))).toMatchObject({
      name: 'ReferenceReusedError',
      mayHaveBeenProcessed: true,
    });
    expect(sandbox.requests()).toHaveLength(requests);
  });

  it.each([
    ['that was refused without a listed code', 422],
    ['that came with wrong keys', 401],
    ['that came too early', 429],
  ])(
    'is still not certain if purge() forgot a payment %s, and nothing is ever sent for it',
    async (_, status) => {
      let now = 1_800_000_000_000;
      storage = memoryStorage({ now: () => now });
      const { collections, journal } = await start();
      sandbox.next('POST /payments/mobile-money').status(status);
      await failureOf(collections.mobileMoney(collectionRequest, { retry: false }));
      expect(await journal.get('collection', 'order-1')).toMatchObject({ state: 'rejected' });
      now += 5_001;
      expect(await journal.purge({ olderThanMs: 1_000, rejectedOlderThanMs: 5_000 })).toBe(1);
      const requests = sandbox.requests().length;
      const other = { ...collectionRequest, amount: '2000.00' };
      for (const again of [collectionRequest, other]) {
        for (const options of [{}, { attempt: 2 }, { idempotencyKey: 'mine' }]) {
          expect(await failureOf(collections.mobileMoney(again, options))).toMatchObject({
            name: 'ReferenceReusedError',
            mayHaveBeenProcessed: true,
            hint: expect.stringContaining('only after the gateway confirmed') as unknown,
          });
        }
      }
      expect(sandbox.requests()).toHaveLength(requests);
    },
  );

  it('of a forgotten payment is read from its tombstone, until purge() removes that too', async () => {
    let now = 1_800_000_000_000;
    storage = memoryStorage({ now: () => now });
    const { collections, journal } = await start();
    const { reference } = collectionRequest;
    await collections.mobileMoney(collectionRequest);
    await journal.settle('collection', reference, 'expired');
    now += 5_000;
    expect(await journal.purge({ olderThanMs: 1_000 })).toBe(1);
    const forgotten = { code: 'ENTRY_FORGOTTEN', message: expect.stringContaining('"expired"') as unknown };
    expect(await failureOf(journal.settle('collection', reference, 'success'))).toMatchObject(forgotten);
    expect(
      await failureOf(journal.waitForOutcome('collection', reference, { timeoutMs: 1_000 })),
    ).toMatchObject(forgotten);
    now += 5_000;
    expect(await journal.purge({ olderThanMs: 1_000, tombstonesOlderThanMs: 1_000 })).toBe(0);
    expect(await failureOf(journal.settle('collection', reference, 'success'))).toMatchObject({
      code: 'ENTRY_NOT_FOUND',
    });
  });

  it.each([
    ['fails', new Error('ECONNREFUSED')],
    ['says that it cannot be reached', new PaymentsStorageError('Redis cannot be reached.')],
  ])(
    'does not say that the payment was not made if the storage %s: it may have been made before',
    async (_, failure) => {
      storage = memoryStorage();
      const { collections, journal } = await start();
      const { reference } = collectionRequest;
      await collections.mobileMoney(collectionRequest);
      storage.journal.get = () => Promise.reject(failure);
      const unread = { name: 'PaymentsStorageError', mayHaveBeenProcessed: 'not-by-this-call' };
      for (const question of [
        journal.get('collection', reference),
        journal.settle('collection', reference, 'failed'),
        journal.waitForOutcome('collection', reference, { timeoutMs: 1_000 }),
      ]) {
        expect(await failureOf(question)).toMatchObject(unread);
      }
    },
  );

  it('of attempt 2, forgotten by the memory storage to make room, keeps its money from moving twice', async () => {
    storage = memoryStorage({ maxEntries: 1 });
    const { disbursements } = await start();
    sandbox.next('POST /disbursements/mobile-money').status(422, { code: 'INVALID_PHONE' });
    await failureOf(disbursements.mobileMoney(mobileRequest));
    await disbursements.mobileMoney(mobileRequest);
    await disbursements.mobileMoney({ ...mobileRequest, reference: 'salary-9' });
    expect(await failureOf(disbursements.mobileMoney(mobileRequest))).toMatchObject({
      name: 'ReferenceReusedError',
      mayHaveBeenProcessed: true,
      hint: expect.stringContaining('new reference') as unknown,
    });
    expect(sandbox.payouts()).toHaveLength(2);
  });

  it.each([0, -1, 1.5, Number.NaN, '1000', undefined])(
    'is not forgotten by purge() of %p',
    async (olderThanMs) => {
      const purged = failureOf(payments.journal.purge({ olderThanMs } as { olderThanMs: number }));
      expect(await purged).toMatchObject({
        name: 'PaymentsValidationError',
        errors: { olderThanMs: [expect.stringContaining('whole number')] },
      });
    },
  );

  describe('is waited for', () => {
    const wait = (timeoutMs = 10_000, signal?: AbortSignal): Promise<JournalEntry> =>
      payments.journal.waitForOutcome('collection', 'order-1', { timeoutMs, signal });

    beforeEach(async () => {
      await payments.collections.mobileMoney(collectionRequest);
    });

    it('until the webhook comes', async () => {
      const outcome = wait();
      await sandbox.customer(PHONE).approve('order-1');
      expect(await atOnce(outcome)).toMatchObject({ state: 'settled', outcome: 'success' });
    });

    it('until the webhook comes to another replica', async () => {
      const replica = await start();
      const outcome = replica.journal.waitForOutcome('collection', 'order-1', { timeoutMs: 10_000 });
      await sandbox.customer(PHONE).decline('order-1');
      expect(await outcome).toMatchObject({ outcome: 'failed' });
    });

    it('not at all if it is known', async () => {
      await payments.journal.settle('collection', 'order-1', 'cancelled');
      expect(await wait(1)).toMatchObject({ outcome: 'cancelled' });
    });

    it('until the time is up: then it is unknown, never failed', async () => {
      const startedAt = performance.now();
      expect(await endedAfter(100, () => failureOf(wait(100)))).toMatchObject({
        name: 'PaymentOutcomeUnknownError',
        reference: 'order-1',
        mayHaveBeenProcessed: true,
      });
      expect(performance.now() - startedAt).toBeGreaterThan(95);
      expect(await storedEntry()).toMatchObject({ state: 'accepted' });
    });

    it('until the caller has had enough', async () => {
      const controller = new AbortController();
      const waiting = failureOf(wait(10_000, controller.signal));
      controller.abort('enough');
      expect(await waiting).toBe('enough');
      expect(await failureOf(wait(10_000, AbortSignal.abort('before')))).toBe('before');
    });

    it('not with a controller in the place of its signal, which ends no process either', async () => {
      const controller = new AbortController() as unknown as AbortSignal;
      expect(await failureOf(wait(1, controller))).toMatchObject({
        name: 'PaymentsValidationError',
        errors: { signal: ['options.signal must be an AbortSignal: write new AbortController().signal'] },
      });
    });

    it.each([0, -1, 1.5, Number.NaN, 3e9])(
      'for milliseconds that are possible, not for %d',
      async (timeoutMs) => {
        expect(await failureOf(wait(timeoutMs))).toMatchObject({
          name: 'PaymentsValidationError',
          message: expect.stringMatching(/^The call is wrong: options\.timeoutMs must/) as unknown,
          reference: 'order-1',
          mayHaveBeenProcessed: 'not-by-this-call',
          errors: {
            timeoutMs: [
              expect.stringMatching(
                /^options\.timeoutMs must be a whole number .* to 2147483647: write 60_000$/,
              ),
            ],
          },
        });
      },
    );

    describe.each([
      ['without a listed code', 422, { code: 'LIMIT_REACHED' }],
      ['with wrong keys', 401, {}],
      ['too early', 429, { retryAfter: 3_600 }],
    ] as const)('although the gateway turned it away %s', (_, status, more) => {
      const request = { ...collectionRequest, reference: 'order-2' };
      const waitOn = (timeoutMs: number): Promise<JournalEntry> =>
        payments.journal.waitForOutcome('collection', 'order-2', { timeoutMs });

      beforeEach(async () => {
        sandbox.next(PAY).status(status, more);
        await failureOf(payments.collections.mobileMoney(request, { retry: false }));
        expect(await storedEntry('order-2')).toMatchObject({ state: 'rejected', final: false });
      });

      it('until another replica has made the same call again and its webhook comes', async () => {
        const outcome = waitOn(10_000);
        const replica = await start();
        await replica.collections.mobileMoney(request);
        await sandbox.customer(PHONE).approve('order-2');
        expect(await atOnce(outcome)).toMatchObject({ state: 'settled', outcome: 'success' });
      });

      it('until the time is up: then it is unknown, never refused', async () => {
        expect(await endedAfter(100, () => failureOf(waitOn(100)))).toMatchObject({
          name: 'PaymentOutcomeUnknownError',
          evidence: 'unlisted-code',
          reference: 'order-2',
          hint: expect.stringContaining('Make the same call again') as unknown,
          mayHaveBeenProcessed: true,
        });
      });
    });

    it('only if there is something to wait for', async () => {
      const { journal } = payments;
      const options = { timeoutMs: 10_000 };
      expect(await failureOf(journal.waitForOutcome('disbursement', 'order-1', options))).toMatchObject({
        code: 'ENTRY_NOT_FOUND',
      });
      sandbox.next(PAY).status(422, { code: 'INVALID_PHONE' });
      await failureOf(payments.collections.mobileMoney({ ...collectionRequest, reference: 'order-2' }));
      expect(await failureOf(journal.waitForOutcome('collection', 'order-2', options))).toMatchObject({
        name: 'PaymentRejectedError',
      });
      expect(await failureOf(wait(Number.NaN))).toMatchObject({ name: 'PaymentsValidationError' });
    });
  });

  it('is listed while it is open: accepted collections, not accepted payouts, nothing that has ended', async () => {
    const list = async (options?: { olderThanMs: number }): Promise<string[]> => {
      const found: string[] = [];
      for await (const { reference, state } of payments.journal.unresolved(options))
        found.push(`${reference} ${state}`);
      return found;
    };
    await payments.collections.mobileMoney(collectionRequest);
    await payments.collections.mobileMoney({ ...collectionRequest, reference: 'order-2' });
    await payments.disbursements.mobileMoney(mobileRequest);
    sandbox.next('POST /disbursements/mobile-money').dropAfterProcessing();
    await failureOf(payments.disbursements.mobileMoney({ ...mobileRequest, reference: 'salary-3' }));
    await sandbox.customer(PHONE).approve('order-2');
    expect(await list()).toEqual(['order-1 accepted', 'salary-3 unknown']);
    expect(await list({ olderThanMs: 60_000 })).toEqual([]);
  });

  it('shows neither the request nor the answer in the journal', async () => {
    await payments.collections.mobileMoney(collectionRequest);
    const text = JSON.stringify(await storedEntry());
    for (const personal of [PHONE, 'Asha', 'asha@example.com']) expect(text).not.toContain(personal);
  });
});
