import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { type JournalEntry, type PaymentsJournal } from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import { connectRedis, forget, ownPrefix } from '../../../test/support/redis.js';
import { describeWith, redisService } from '../../../test/support/services.js';
import { OrdersStore } from '../src/orders/orders.store.js';
import { type Settings } from '../src/common/settings.js';
import { type MailClient } from '../src/worker/mail.client.js';
import { OrderOutcomes } from '../src/worker/order.outcomes.js';
import { OrdersReconciler } from '../src/worker/orders.reconciler.js';
import { Receipts } from '../src/worker/receipts.js';

const MINUTE_MS = 60_000;
const ORDER = {
  reference: 'ticket-1',
  seats: 2,
  amount: '50000.00',
  email: 'asha@example.com',
  request: 'hash',
};

describeWith([redisService], 'the orders of the workers', () => {
  const prefix = ownPrefix();
  let orders: OrdersStore;
  let outcomes: OrderOutcomes;
  let receipts: Receipts;
  let mailed: string[];
  let mailWorks: boolean;

  beforeEach(async () => {
    Logger.overrideLogger(false);
    orders = new OrdersStore({ redisUrl: redisService.url, prefix } as Settings);
    outcomes = new OrderOutcomes(orders);
    mailed = [];
    mailWorks = true;
    const mails: Pick<MailClient, 'send'> = {
      send: (_mail, key) => {
        if (!mailWorks) return Promise.reject(new Error('The mail service is away.'));
        mailed.push(key);
        return Promise.resolve();
      },
    };
    receipts = new Receipts(orders, mails as MailClient);
    await orders.open(ORDER);
  });
  afterEach(async () => {
    await orders.onApplicationShutdown();
    const redis = connectRedis();
    await forget(redis, prefix);
    await redis.quit();
  });

  async function reconcile(entry: Partial<JournalEntry> | undefined): Promise<void> {
    const updatedAt = new Date(Date.now() - 6 * MINUTE_MS);
    const payment = entry && { reference: 'ticket-1', amount: '50000.00', updatedAt, ...entry };
    const journal = { get: () => Promise.resolve(payment) } as unknown as PaymentsJournal;
    await new OrdersReconciler(journal, orders, receipts).reconcile();
  }

  const status = async (): Promise<string> => (await orders.find('ticket-1')).status;

  it.each([
    [{ state: 'settled', outcome: 'success' }, 'paid', ['receipt-ticket-1']],
    [{ state: 'settled', outcome: 'success', amount: '1.00' }, 'in-review', []],
    [{ state: 'settled', outcome: 'expired' }, 'expired', []],
    [{ state: 'rejected', final: true }, 'refused', []],
    [{ state: 'rejected', final: false }, 'asking', []],
    [{ state: 'accepted' }, 'asking', []],
    [undefined, 'asking', []],
  ] as const)('an undecided order whose journal says %j is %s', async (entry, end, receiptsSent) => {
    await reconcile(entry);
    expect(await status()).toBe(end);
    expect(mailed).toEqual(receiptsSent);
    expect(await orders.undecided()).toEqual(end === 'asking' ? ['ticket-1'] : []);
  });

  it('an order is undecided until its receipt is mailed', async () => {
    mailWorks = false;
    await reconcile({ state: 'settled', outcome: 'success' });
    expect([await status(), await orders.undecided()]).toEqual(['asking', ['ticket-1']]);
    mailWorks = true;
    await reconcile({ state: 'settled', outcome: 'success' });
    expect([await status(), await orders.undecided(), mailed]).toEqual(['paid', [], ['receipt-ticket-1']]);
  });

  it('an order whose payment ended a moment ago is left to the webhook', async () => {
    const updatedAt = new Date(Date.now() - 4 * MINUTE_MS);
    await reconcile({ state: 'settled', outcome: 'success', updatedAt });
    expect([await status(), mailed]).toEqual(['asking', []]);
  });

  it('an order that is opened again keeps what is stored, and its outcome', async () => {
    expect(await orders.open({ ...ORDER, seats: 3 })).toEqual({ ...ORDER, status: 'asking' });
    await outcomes.decided(paymentEvent('payment.failed', ORDER));
    expect(await orders.open(ORDER)).toEqual({ ...ORDER, status: 'failed' });
    expect(await orders.undecided()).toEqual([]);
  });

  it('an order that a webhook has decided is none of the undecided ones', async () => {
    await outcomes.decided(paymentEvent('payment.failed', ORDER));
    expect([await status(), await orders.undecided()]).toEqual(['failed', []]);
  });

  it('an order of which another amount was paid goes to a person, without a receipt', async () => {
    const event = paymentEvent('payment.success', { reference: 'ticket-1', amount: '1.00' });
    await outcomes.decided(event);
    const context = { attempt: 1, signal: new AbortController().signal };
    await receipts.send(event, context as Parameters<Receipts['send']>[1]);
    expect([await status(), mailed]).toEqual(['in-review', []]);
  });

  it.each([
    ['payment.success', '1.00'],
    ['payment.failed', '50000.00'],
    ['payment.cancelled', '50000.00'],
    ['payment.expired', '50000.00'],
  ])('a paid order stays paid if %s of %s comes later', async (event, amount) => {
    await outcomes.decided(paymentEvent('payment.success', ORDER));
    await outcomes.decided(paymentEvent(event, { reference: 'ticket-1', amount }));
    expect(await status()).toBe('paid');
  });

  it('a paid order stays paid if the journal said something else a moment before', async () => {
    await orders.decided('ticket-1', 'paid');
    // The worker asked about it while it was undecided.
    vi.spyOn(orders, 'undecided').mockResolvedValue(['ticket-1']);
    await reconcile({ state: 'settled', outcome: 'failed' });
    expect(await status()).toBe('paid');
  });

  it.each([
    ['payment.success', 'in-review'],
    ['payment.cancelled', 'failed'],
  ])('a failed order for which %s is set aside is %s', async (event, end) => {
    await outcomes.decided(paymentEvent('payment.failed', ORDER));
    await outcomes.contradicted(paymentEvent(event, ORDER));
    expect(await status()).toBe(end);
  });

  it('two workers that decide an order at once leave it paid, whoever is the first', async () => {
    const others = ['failed', 'in-review', 'expired'] as const;
    await Promise.all([
      ...others.map((outcome) => orders.decided('ticket-1', outcome)),
      orders.decided('ticket-1', 'paid'),
      ...others.map((outcome) => orders.decided('ticket-1', outcome)),
    ]);
    expect([await status(), await orders.undecided()]).toEqual(['paid', []]);
  });

  it('an order of which another amount was paid stays with a person until its own is paid', async () => {
    for (const [event, amount, end] of [
      ['payment.success', '1.00', 'in-review'],
      ['payment.failed', '50000.00', 'in-review'],
      ['payment.success', '50000.00', 'paid'],
    ] as const) {
      await outcomes.decided(paymentEvent(event, { reference: 'ticket-1', amount }));
      expect(await status()).toBe(end);
    }
  });
});
