import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { memoryStorage } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { collectionRequest } from '../../support/gateway-answers.js';
import { startPaymentsApp, type PaymentsApp } from '../../support/payments-app.js';
import { startSandbox } from '../../support/sandbox.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let sandbox: PaymentsSandbox;
let shop: PaymentsApp;
/** How far the clock of the storage is ahead of the one of the process. */
let aheadMs: number;

beforeEach(async () => {
  vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  vi.useFakeTimers({ toFake: ['Date'] });
  aheadMs = 0;
  sandbox = await startSandbox({ clock: 'manual', seed: 1 });
  shop = await startPaymentsApp({
    ...sandbox.moduleOptions(),
    retry: { maxAttempts: 1 },
    deadlineMs: 14_000,
    timeoutMs: 12_000,
    staleAfterMs: HOUR_MS,
    storage: memoryStorage({ now: () => Date.now() + aheadMs }),
  });
  sandbox.next('POST /payments/mobile-money').dropBefore();
  await expect(shop.collections.mobileMoney(collectionRequest)).rejects.toMatchObject({
    evidence: 'no-answer',
  });
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await shop.app.close();
});

const pass = (ms: number): unknown => vi.setSystemTime(Date.now() + ms);
const sent = (): number => sandbox.requests().length;

it('a payment is probed ten minutes later, by clocks that are right', async () => {
  pass(10 * MINUTE_MS);
  expect(await shop.journal.recover()).toEqual({ probed: 1, settled: 1, stillUnknown: 0 });
  expect(sent()).toBe(2);
});

it('a payment is not probed hours later, when a storage clock that was set back says ten minutes', async () => {
  aheadMs = -3 * HOUR_MS;
  pass(10 * MINUTE_MS);
  expect(await shop.journal.recover()).toMatchObject({ probed: 0 });
  expect((await shop.journal.oldestUnresolved())?.ageMs).toBe(0);
  pass(3 * HOUR_MS);
  expect((await shop.journal.oldestUnresolved())?.ageMs).toBe(10 * MINUTE_MS);
  expect(await shop.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
  await expect(shop.collections.mobileMoney(collectionRequest)).rejects.toMatchObject({
    evidence: 'no-answer',
  });
  expect(sent()).toBe(1);
});
