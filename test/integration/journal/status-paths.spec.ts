import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import {
  type JournalEntry,
  memoryStorage,
  type PaymentsModuleOptions,
  type PaymentsStorage,
} from 'nestjs-payments';
import { atOnce, endedAfter } from '../../support/event-loop.js';
import { fakePerformance } from '../../support/fake-performance.js';
import {
  collectionRecord,
  collectionRequest,
  envelope,
  mobileRecord,
  mobileRequest,
} from '../../support/gateway-answers.js';
import { journalRecord } from '../../support/journal-contract.js';
import { API_KEY, API_SECRET } from '../../support/merchant.js';
import {
  json,
  reset,
  startMisbehavingGateway,
  text,
  type Behaviour,
  type MisbehavingGateway,
} from '../../support/misbehaving-gateway.js';
import { startPaymentsApp, type PaymentsApp } from '../../support/payments-app.js';

const status = (value: string, change: object = {}): Behaviour =>
  json(envelope({ ...collectionRecord, status: value, ...change }));

describe('status queries', () => {
  let gateway: MisbehavingGateway;
  let storage: PaymentsStorage;
  let now: number;
  let payments: PaymentsApp;

  const storedEntry = (): Promise<JournalEntry | undefined> => payments.journal.get('collection', 'order-1');
  const failureOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);
  const start = async (options: Partial<PaymentsModuleOptions> = {}): Promise<void> => {
    payments = await startPaymentsApp({
      baseUrl: gateway.baseUrl,
      apiKey: API_KEY,
      apiSecret: API_SECRET,
      webhooks: {
        scheme: { name: 'none', verify: () => ({ ok: false, reason: 'test' }) },
        secrets: ['0123456789abcdef'],
      },
      statusPaths: { collection: '/payments/{reference}', disbursement: '/payouts?reference={reference}' },
      retry: { maxAttempts: 1 },
      probe: false,
      ...options,
      storage,
    });
  };

  /** A payment whose answer was lost, long enough ago. */
  const losing = async (reference = 'order-1'): Promise<void> => {
    gateway.answer(reset);
    await failureOf(payments.collections.mobileMoney({ ...collectionRequest, reference }, { retry: false }));
    now += 90_001;
  };

  beforeEach(async () => {
    now = 1_800_000_000_000;
    storage = memoryStorage({ now: () => now });
    gateway = await startMisbehavingGateway();
    await start();
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await payments.app.close();
    await gateway.close();
  });

  it.each(['success', 'failed', 'cancelled', 'expired'] as const)(
    'settle an unknown payment that the gateway calls %s',
    async (outcome) => {
      await losing();
      gateway.answer(status(outcome));
      expect(await payments.journal.recover()).toEqual({ probed: 0, settled: 1, stillUnknown: 0 });
      expect(await storedEntry()).toMatchObject({ state: 'settled', outcome });
      expect(gateway.seen.at(-1)).toMatchObject({ method: 'GET', path: '/api/v1/payments/order-1' });
    },
  );

  it('are no more made in a run once the gateway turns one away with 429', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    for (let number = 1; number <= 100; number += 1)
      await storage.journal.insert(journalRecord(`accepted-${number}`, { state: 'accepted' }), 0);
    now += 90_001;
    gateway.answer(
      json({ status: 'error', code: 'RATE_LIMITED', message: 'Slow down.' }, 429, { 'Retry-After': '60' }),
    );
    expect(await payments.journal.recover()).toEqual({
      probed: 0,
      settled: 0,
      stillUnknown: 0,
      unfinished: true,
    });
    const atOnce = 16;
    expect(gateway.seen.length).toBeLessThanOrEqual(atOnce);
    expect(warn.mock.calls.flat().filter((line) => String(line).startsWith('recover()'))).toHaveLength(1);
    expect(warn.mock.calls.length).toBeLessThanOrEqual(2 * atOnce + 1);
  });

  it.each([
    { status: 'failed', message: 'Transaction not found' },
    { status: 'cancelled', error: 'lookup timed out' },
    { status: 'success' },
  ])('end no payment if the answer names no reference: %j', async (data) => {
    await losing();
    gateway.answer(json(envelope(data)));
    expect(await payments.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
    expect(await failureOf(payments.collections.mobileMoney(collectionRequest))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      mayHaveBeenProcessed: true,
    });
    expect(gateway.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it.each(['failed', 'cancelled', 'expired'])(
    'neither end nor free a payment if the answer says %s and repeats the reference without the amount',
    async (answer) => {
      await losing();
      gateway.answer(json(envelope({ reference: 'order-1', status: answer })));
      expect(await payments.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
      expect(await storedEntry()).toMatchObject({ state: 'unknown' });
      await payments.journal.settle('collection', 'order-1', 'failed');
      expect(await failureOf(payments.collections.mobileMoney(collectionRequest))).toMatchObject({
        name: 'ReferenceReusedError',
      });
      expect(gateway.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
    },
  );

  it('settle a success and accept a pending payment if the answer names the reference without the amount', async () => {
    await losing();
    gateway.answer(json(envelope({ reference: 'order-1', status: 'pending' })));
    await payments.journal.recover();
    expect(await storedEntry()).toMatchObject({ state: 'accepted' });
    gateway.answer(json(envelope({ reference: 'order-1', status: 'success' })));
    now += 90_001;
    await payments.journal.recover();
    expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: 'success' });
  });

  it('leave an accepted payout open if the answer says failed and repeats the reference without the amount', async () => {
    gateway.answer(json(envelope(mobileRecord)));
    await payments.disbursements.mobileMoney(mobileRequest);
    now += 90_001;
    gateway.answer(json(envelope({ reference: 'salary-2', status: 'failed' })));
    await payments.journal.recover();
    expect(gateway.seen.at(-1)?.method).toBe('GET');
    expect(await payments.journal.get('disbursement', 'salary-2')).toMatchObject({ state: 'accepted' });
  });

  it('ask before anything is sent once more, and say that the gateway has a payment', async () => {
    await payments.app.close();
    await start({ probe: {} });
    await losing();
    gateway.answer(status('pending'));
    expect(await payments.journal.recover()).toEqual({ probed: 0, settled: 1, stillUnknown: 0 });
    expect(await storedEntry()).toMatchObject({ state: 'accepted' });
    expect(await payments.collections.mobileMoney(collectionRequest)).toMatchObject({ status: 'pending' });
    expect(gateway.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('keep what the gateway shows in an unlisted status from being sent once more', async () => {
    await payments.app.close();
    await start({ probe: {} });
    await losing();
    gateway.answer(status('reversed'));
    expect(await payments.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
    expect(await failureOf(payments.collections.mobileMoney(collectionRequest))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
    });
    expect(gateway.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it.each([
    ['success', { name: 'PaymentOutcomeUnknownError', evidence: 'conflict', mayHaveBeenProcessed: true }],
    ['processing', { name: 'PaymentOutcomeUnknownError', evidence: 'conflict', mayHaveBeenProcessed: true }],
    ['reversed', { name: 'PaymentOutcomeUnknownError', evidence: 'conflict', mayHaveBeenProcessed: true }],
    ['failed', { name: 'ReferenceReusedError', mayHaveBeenProcessed: false }],
  ])(
    'use up the reference if an operator says failed while the gateway is asked and answers %s',
    async (answer, expected) => {
      vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
      await losing();
      gateway.answer((...exchange) => {
        const settling = payments.journal.settle('collection', 'order-1', 'failed');
        void settling.then(() => {
          status(answer)(...exchange);
        });
      });
      await payments.journal.recover();
      now += 90_001;
      expect(await failureOf(payments.collections.mobileMoney(collectionRequest))).toMatchObject(expected);
      expect(gateway.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
    },
  );

  it.each<[string, Behaviour]>([
    ['not found', json({ success: false, code: 'NOT_FOUND', message: 'x' }, 404)],
    ['a failure of the gateway', text('<html>', 502)],
    ['another reference', status('success', { reference: 'order-2' })],
    ['a status of the other family', status('paid')],
    ['a status that the specification does not list', status('reversed')],
    ['no status at all', json(envelope({ reference: 'order-1' }))],
    ['a list', json(envelope([]))],
  ])('prove nothing by %s', async (_, answer) => {
    await losing();
    gateway.answer(answer);
    expect(await payments.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
    expect(await storedEntry()).toMatchObject({ state: 'unknown', evidence: 'no-answer' });
  });

  it.each<[string, Behaviour]>([
    ['processing', status('processing')],
    ['pending', status('pending')],
    ['in a status that the specification does not list', status('reversed')],
    ['of another amount', status('success', { amount: '1.00' })],
  ])('keep the reference of a payment that was %s, even if an operator says failed', async (_, answer) => {
    await losing();
    gateway.answer(answer);
    await payments.journal.recover();
    await payments.journal.settle('collection', 'order-1', 'failed');
    now += 90_001;
    expect(await failureOf(payments.collections.mobileMoney(collectionRequest))).toMatchObject({
      name: 'ReferenceReusedError',
    });
    expect(gateway.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it.each<[string, Behaviour]>([
    ['not found', json({ success: false, code: 'NOT_FOUND', message: 'x' }, 404)],
    ['in an unlisted status without its amount', json(envelope({ reference: 'order-1', status: 'none' }))],
  ])('free the reference of a payment that was %s, if an operator says failed', async (_, answer) => {
    await losing();
    gateway.answer(answer);
    await payments.journal.recover();
    await payments.journal.settle('collection', 'order-1', 'failed');
    gateway.answer(json(envelope(collectionRecord)));
    await payments.collections.mobileMoney(collectionRequest);
    const keys = gateway.seen
      .filter(({ method }) => method === 'POST')
      .map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(2);
  });

  it.each([['failed'], ['cancelled'], ['expired'], ['processing']])(
    'leave a second attempt open if the gateway says %s, which may be about the refused first one',
    async (answer) => {
      gateway.answer(json({ success: false, code: 'INSUFFICIENT_BALANCE', message: 'x' }, 400));
      await failureOf(payments.collections.mobileMoney(collectionRequest));
      await losing();
      gateway.answer(status(answer));
      expect(await payments.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
      expect(await storedEntry()).toMatchObject({ state: 'unknown', attempt: 2 });
      const open: string[] = [];
      for await (const { reference } of payments.journal.unresolved()) open.push(reference);
      expect(open).toEqual(['order-1']);
      await payments.journal.settle('collection', 'order-1', 'failed');
      now += 90_001;
      expect(await failureOf(payments.collections.mobileMoney(collectionRequest))).toMatchObject({
        name: 'ReferenceReusedError',
      });
      expect(gateway.seen.filter(({ method }) => method === 'POST')).toHaveLength(2);
    },
  );

  it('settle a second attempt as made if the gateway says so: the reference is one payment', async () => {
    gateway.answer(json({ success: false, code: 'INSUFFICIENT_BALANCE', message: 'x' }, 400));
    await failureOf(payments.collections.mobileMoney(collectionRequest));
    await losing();
    gateway.answer(status('success'));
    expect(await payments.journal.recover()).toEqual({ probed: 0, settled: 1, stillUnknown: 0 });
    expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: 'success', attempt: 2 });
  });

  describe('that hang', () => {
    const AT_ONCE = 16;
    const LAST = `order-${AT_ONCE + 1}`;

    beforeEach(async () => {
      for (let number = 1; number <= AT_ONCE + 1; number += 1) {
        const lost = journalRecord(`order-${number}`, { state: 'unknown', evidence: 'no-answer' });
        await storage.journal.insert(lost, 0);
      }
      now += 90_001;
      gateway.answer((...exchange) => {
        if (exchange[2].path.endsWith(`/${LAST}`)) status('success', { reference: LAST })(...exchange);
      });
      vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
      });
      fakePerformance();
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it('are given up after five seconds, and the others have their turn', async () => {
      const run = payments.journal.recover();
      await gateway.arrived(AT_ONCE);
      await vi.advanceTimersByTimeAsync(4_900);
      expect(gateway.seen).toHaveLength(AT_ONCE);
      await vi.advanceTimersByTimeAsync(100);
      expect(await run).toEqual({ probed: 0, settled: 1, stillUnknown: AT_ONCE });
      expect(await payments.journal.get('collection', LAST)).toMatchObject({ outcome: 'success' });
      expect(await storedEntry()).toMatchObject({ state: 'unknown', evidence: 'no-answer' });
    });

    it('hold the end of the application up no longer than that, and nothing further is asked', async () => {
      const run = payments.journal.recover();
      await gateway.arrived(AT_ONCE);
      const closed = payments.app.close();
      await vi.advanceTimersByTimeAsync(5_000);
      await closed;
      expect(await run).toEqual({ probed: 0, settled: 0, stillUnknown: AT_ONCE, unfinished: true });
      expect(gateway.seen).toHaveLength(AT_ONCE);
      const later = await payments.journal.recover();
      expect(later).toEqual({ probed: 0, settled: 0, stillUnknown: 0, unfinished: true });
      expect(gateway.seen).toHaveLength(AT_ONCE);
    });
  });

  it('write any reference into the path', async () => {
    const reference = '../$& a/№?#';
    await losing(reference);
    gateway.answer(status('success', { reference }));
    await payments.journal.recover();
    expect(gateway.seen.at(-1)?.path).toBe(`/api/v1/payments/${encodeURIComponent(reference)}`);
    expect(await payments.journal.get('collection', reference)).toMatchObject({ state: 'settled' });
  });

  it.each(['.', '..'])('are not made about the reference %j, which no path can name', async (reference) => {
    await losing(reference);
    expect(await payments.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
    expect(gateway.seen.map(({ method }) => method)).toEqual(['POST']);
  });

  it('settle accepted payouts too, which then are listed as unresolved', async () => {
    gateway.answer(json(envelope(mobileRecord)));
    await payments.disbursements.mobileMoney(mobileRequest);
    const open: string[] = [];
    for await (const { reference } of payments.journal.unresolved()) open.push(reference);
    expect(open).toEqual(['salary-2']);
    now += 90_001;
    gateway.answer(json(envelope({ ...mobileRecord, status: 'paid' })));
    expect(await payments.journal.recover()).toEqual({ probed: 0, settled: 1, stillUnknown: 0 });
    expect(gateway.seen.at(-1)?.path).toBe('/api/v1/payouts?reference=salary-2');
    expect(await payments.journal.get('disbursement', 'salary-2')).toMatchObject({ outcome: 'paid' });
  });

  it('are asked while somebody waits for the outcome, again and again', async () => {
    gateway.answer(json(envelope(collectionRecord)));
    await payments.collections.mobileMoney(collectionRequest);
    gateway.answer(status('processing'), text('', 500), status('success'));
    const entry = await payments.journal.waitForOutcome('collection', 'order-1', { timeoutMs: 10_000 });
    expect(entry).toMatchObject({ state: 'settled', outcome: 'success' });
    expect(gateway.seen.filter(({ method }) => method === 'GET')).toHaveLength(3);
  });

  it('that hang are given up when the payment ends', async () => {
    gateway.answer(json(envelope(collectionRecord)));
    await payments.collections.mobileMoney(collectionRequest);
    const closed = new Promise<void>((resolve) => {
      gateway.answer((_response, socket) => {
        socket.once('close', resolve);
      });
    });
    const outcome = payments.journal.waitForOutcome('collection', 'order-1', { timeoutMs: 60_000 });
    await gateway.arrived(2);
    await payments.journal.settle('collection', 'order-1', 'success');
    expect(await atOnce(outcome)).toMatchObject({ state: 'settled', outcome: 'success' });
    await closed;
  });

  it('end with the wait', async () => {
    gateway.answer(json(envelope(collectionRecord)));
    await payments.collections.mobileMoney(collectionRequest);
    gateway.answer(() => {});
    const controller = new AbortController();
    const wait = (options: { timeoutMs: number; signal?: AbortSignal }): Promise<unknown> =>
      failureOf(payments.journal.waitForOutcome('collection', 'order-1', options));
    const aborted = wait({ timeoutMs: 10_000, signal: controller.signal });
    await gateway.arrived(2);
    controller.abort('enough');
    expect(await aborted).toBe('enough');
    expect(await endedAfter(100, () => wait({ timeoutMs: 100 }))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
    });
  });
});
