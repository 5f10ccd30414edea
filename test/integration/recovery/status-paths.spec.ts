import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type JournalEntry,
  memoryStorage,
  type PaymentsModuleOptions,
  type PaymentsStorage,
} from 'nestjs-payments';
import {
  collectionRecord,
  collectionRequest,
  envelope,
  mobileRecord,
  mobileRequest,
} from '../../support/gateway-answers.js';
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

  const stands = (): Promise<JournalEntry | undefined> => payments.journal.get('collection', 'order-1');
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
    await payments.app.close();
    await gateway.close();
  });

  it.each(['success', 'failed', 'cancelled', 'expired'] as const)(
    'settle an unknown payment that the gateway calls %s',
    async (outcome) => {
      await losing();
      gateway.answer(status(outcome));
      expect(await payments.journal.recover()).toEqual({ probed: 0, settled: 1, stillUnknown: 0 });
      expect(await stands()).toMatchObject({ state: 'settled', outcome });
      expect(gateway.seen.at(-1)).toMatchObject({ method: 'GET', path: '/api/v1/payments/order-1' });
    },
  );

  it('ask before anything is sent once more, and say that the gateway has a payment', async () => {
    await payments.app.close();
    await start({ probe: {} });
    await losing();
    gateway.answer(status('pending'));
    expect(await payments.journal.recover()).toEqual({ probed: 0, settled: 1, stillUnknown: 0 });
    expect(await stands()).toMatchObject({ state: 'accepted' });
    expect(await payments.collections.mobileMoney(collectionRequest)).toMatchObject({ status: 'pending' });
    expect(gateway.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it.each<[string, Behaviour]>([
    ['not found', json({ success: false, code: 'NOT_FOUND', message: 'x' }, 404)],
    ['a failure of the gateway', text('<html>', 502)],
    ['another reference', status('success', { reference: 'order-2' })],
    ['another amount', status('success', { amount: '1.00' })],
    ['a status of the other family', status('paid')],
    ['a status that the specification does not list', status('reversed')],
    ['no status at all', json(envelope({ reference: 'order-1' }))],
    ['a list', json(envelope([]))],
  ])('prove nothing by %s', async (_, answer) => {
    await losing();
    gateway.answer(answer);
    expect(await payments.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
    expect(await stands()).toMatchObject({ state: 'unknown', evidence: 'no-answer' });
  });

  it('write any reference into the path', async () => {
    const reference = '../$& a/№?#';
    await losing(reference);
    gateway.answer(json(envelope({ reference, status: 'success' })));
    await payments.journal.recover();
    expect(gateway.seen.at(-1)?.path).toBe(`/api/v1/payments/${encodeURIComponent(reference)}`);
    expect(await payments.journal.get('collection', reference)).toMatchObject({ state: 'settled' });
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
    const startedAt = performance.now();
    expect(await wait({ timeoutMs: 100 })).toMatchObject({ name: 'PaymentOutcomeUnknownError' });
    expect(performance.now() - startedAt).toBeLessThan(200);
  });
});
