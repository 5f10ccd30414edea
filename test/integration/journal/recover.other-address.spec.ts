import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { memoryStorage, type PaymentsStorage } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { collectionRequest } from '../../support/gateway-answers.js';
import { startPaymentsApp, type PaymentsApp } from '../../support/payments-app.js';
import { startSandbox } from '../../support/sandbox.js';

const MINUTE_MS = 60_000;

let storage: PaymentsStorage;
let first: PaymentsSandbox;
let second: PaymentsSandbox;
const running: PaymentsApp[] = [];

const shopAt = async (gateway: PaymentsSandbox): Promise<PaymentsApp> => {
  const shop = await startPaymentsApp({
    ...gateway.moduleOptions(),
    retry: { maxAttempts: 1 },
    deadlineMs: 14_000,
    timeoutMs: 12_000,
    storage,
  });
  running.push(shop);
  return shop;
};

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  storage = memoryStorage({ now: () => Date.now() });
  first = await startSandbox({ clock: 'manual', seed: 1 });
  second = await startSandbox({ clock: 'manual', seed: 1 });
  first.next('POST /payments/mobile-money').dropBefore();
  const shop = await shopAt(first);
  await expect(shop.collections.mobileMoney(collectionRequest)).rejects.toMatchObject({
    evidence: 'no-answer',
  });
  vi.setSystemTime(Date.now() + 10 * MINUTE_MS);
});

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(running.splice(0).map(({ app }) => app.close()));
});

it('a collection whose answer was lost is probed at the gateway that it was sent to', async () => {
  const shop = await shopAt(first);
  expect(await shop.journal.recover()).toEqual({ probed: 1, settled: 1, stillUnknown: 0 });
  expect(first.payments()).toHaveLength(1);
});

it('neither recover() nor a repeated call sends such a collection to another gateway', async () => {
  const shop = await shopAt(second);
  expect(await shop.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
  await expect(shop.collections.mobileMoney(collectionRequest)).rejects.toMatchObject({
    evidence: 'no-answer',
  });
  expect(second.requests()).toEqual([]);
});

it('a new collection is sent to the new gateway', async () => {
  const shop = await shopAt(second);
  await shop.collections.mobileMoney({ ...collectionRequest, reference: 'order-at-the-second' });
  expect(second.payments()).toHaveLength(1);
});
