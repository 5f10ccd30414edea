import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Injectable, Logger } from '@nestjs/common';
import {
  type JournalEntry,
  memoryStorage,
  OnPayment,
  type PaymentEventContext,
  type PaymentsStorage,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { collectionRequest } from '../../support/gateway-answers.js';
import { startPaymentsApp, type PaymentsApp } from '../../support/payments-app.js';
import { startSandbox } from '../../support/sandbox.js';
import { transactionalStorage } from '../../support/transactional-storage.js';

let heard: { readonly event: string; readonly transaction: unknown }[];
let during: () => unknown;

@Injectable()
class Ledger {
  @OnPayment('*')
  @OnPayment('payment.conflict')
  @OnPayment('payment.mismatch')
  @OnPayment('unrecognized')
  async book({ event }: PaymentWebhookEvent, { transaction }: PaymentEventContext): Promise<void> {
    heard.push({ event, transaction });
    await during();
  }
}

describe('a webhook and the journal', () => {
  let sandbox: PaymentsSandbox;
  let payments: PaymentsApp;

  async function start(storage: PaymentsStorage): Promise<void> {
    payments = await startPaymentsApp({ ...sandbox.moduleOptions(), storage }, [Ledger]);
  }
  const storedEntry = (): Promise<JournalEntry | undefined> => payments.journal.get('collection', 'order-1');
  async function deliver(name: string, data: Partial<PaymentWebhookEvent['data']> = {}): Promise<number> {
    const event = paymentEvent(name, {
      reference: 'order-1',
      amount: '1180.50',
      ...data,
    });
    const body = JSON.stringify(event);
    const { scheme } = sandbox.moduleOptions().webhooks!;
    const signature = signWebhook({ scheme, secret: sandbox.webhookSecret, body });
    const headers = { 'content-type': 'application/json', ...signature };
    return (await fetch(payments.webhookUrl, { method: 'POST', headers, body })).status;
  }

  beforeEach(async () => {
    heard = [];
    during = () => undefined;
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    await payments.app.close();
  });

  describe('in one transaction', () => {
    it('is settled after the handlers and before the commit', async () => {
      const storage = transactionalStorage();
      await start(storage);
      await payments.collections.mobileMoney(collectionRequest);
      const states: unknown[] = [];
      during = async () => states.push((await storedEntry())?.state);
      storage.beforeCommit = during;
      expect(await deliver('payment.success')).toBe(200);
      expect(states).toEqual(['accepted', 'accepted']);
      expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: 'success' });
      expect(storage.ends).toEqual(['commit']);
    });

    it('is not settled if a handler fails, and is settled by the next delivery', async () => {
      const storage = transactionalStorage();
      await start(storage);
      await payments.collections.mobileMoney(collectionRequest);
      during = () => Promise.reject(new Error('not yet'));
      expect(await deliver('payment.success')).toBe(500);
      expect(await storedEntry()).toMatchObject({ state: 'accepted' });
      during = () => undefined;
      expect(await deliver('payment.success')).toBe(200);
      expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: 'success' });
      expect(storage.ends).toEqual(['rollback', 'commit']);
      expect(heard).toHaveLength(2);
    });

    it('is reported to no waiter before it is committed', async () => {
      const storage = transactionalStorage();
      await start(storage);
      await payments.collections.mobileMoney(collectionRequest);
      const reads = vi.spyOn(storage.journal, 'get');
      const waiting = payments.journal.waitForOutcome('collection', 'order-1', { timeoutMs: 60_000 });
      await reads.mock.results[0]?.value;
      // The journal is not looked at again because a second has passed.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
      let readsAtCommit = 0;
      storage.onCommit = () => (readsAtCommit = reads.mock.calls.length);
      expect(await deliver('payment.success')).toBe(200);
      expect(await waiting).toMatchObject({ state: 'settled', outcome: 'success' });
      expect(reads.mock.calls.length).toBeGreaterThan(readsAtCommit);
    });

    it.each([
      ['payment.success', {}],
      ['payment.success', { currency: 'USD' }],
      ['payment.refunded', {}],
    ])('is open for the handlers of %s with %j', async (name, data) => {
      await start(transactionalStorage());
      expect(await deliver(name, data)).toBe(200);
      expect(heard).toEqual([{ event: name, transaction: { isTransaction: true } }]);
    });

    it('begins after a contradiction of the journal is stored, which would need another connection beside it', async () => {
      const storage = transactionalStorage();
      await start(storage);
      sandbox.next('POST /payments/mobile-money').status(422);
      await expect(payments.collections.mobileMoney(collectionRequest)).rejects.toThrow();
      const stored = vi.spyOn(storage.conflicts, 'setAside');
      const claimed = vi.spyOn(storage.inbox, 'claim');
      during = () => Promise.reject(new Error('not yet'));
      expect(await deliver('payment.success')).toBe(500);
      expect(stored.mock.invocationCallOrder).toHaveLength(1);
      expect(stored.mock.invocationCallOrder[0]).toBeLessThan(claimed.mock.invocationCallOrder[0]!);
      expect(await payments.inbox.conflicts()).toMatchObject([{ kind: 'conflict', reference: 'order-1' }]);
    });

    it('is open for the handlers of a contradiction', async () => {
      await start(transactionalStorage());
      await deliver('payment.success');
      expect(await deliver('payment.failed', { status: 'failed' })).toBe(200);
      expect(heard.map(({ transaction }) => transaction)).toEqual(Array(2).fill({ isTransaction: true }));
    });
  });

  it.each([
    ['before', memoryStorage, []],
    ['after', transactionalStorage, ['payment.success']],
  ] as const)(
    'set aside money that another payment was written down with meanwhile, seen %s the handlers',
    async (_when, storageOf, handled) => {
      const storage = storageOf();
      await start(storage);
      await payments.collections.mobileMoney(collectionRequest);
      // The payment is written down between the first look and the settling.
      vi.spyOn(storage.journal, 'get').mockResolvedValueOnce(undefined);
      expect(await deliver('payment.success', { amount: '1.00' })).toBe(503);
      expect(heard.map(({ event }) => event)).toEqual(handled);
      expect(await storedEntry()).toMatchObject({ state: 'accepted' });
      expect(await deliver('payment.success', { amount: '1.00' })).toBe(200);
      expect(await payments.inbox.conflicts()).toMatchObject([{ kind: 'mismatch', reference: 'order-1' }]);
      const [{ id } = { id: '' }] = await payments.inbox.conflicts();
      await payments.inbox.release(id);
      expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: 'success' });
    },
  );
});
