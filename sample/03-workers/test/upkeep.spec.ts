import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CollectionsService, memoryStorage, PaymentsJournal, type PaymentsStorage } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { PaymentsTestingModule } from 'nestjs-payments/testing';
import { claimed, inboxDelivery } from '../../../test/support/inbox-contract.js';
import { startSandbox } from '../../../test/support/sandbox.js';
import { OrdersReconciler } from '../src/worker/orders.reconciler.js';
import { Upkeep } from '../src/worker/upkeep.js';
import { PHONE } from './ticket-office.js';

const COLLECT = 'POST /payments/mobile-money';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('the upkeep of a worker', () => {
  let nowMs: number;
  let storage: PaymentsStorage;
  let gateway: PaymentsSandbox;
  let worker: INestApplicationContext;
  /** The orders are in Redis: `reconciler.spec.ts`. */
  let reconcile: () => Promise<void>;

  beforeEach(async () => {
    gateway = await startSandbox({ clock: 'manual', seed: 1 });
    nowMs = Date.now();
    storage = memoryStorage({ now: () => nowMs });
    reconcile = () => Promise.resolve();
    // Its intervals alone: sockets and the deadlines of calls need the real clock.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(async () => {
    await worker.close();
    vi.useRealTimers();
  });

  async function start(): Promise<void> {
    // No time for a second try within the call: it is left to the upkeep.
    const probe = {
      collections: { afterAnswerMs: MINUTE_MS, afterSilenceMs: MINUTE_MS },
      disbursements: false,
    } as const;
    @Module({
      imports: [PaymentsTestingModule.forRoot({ sandbox: gateway, storage, probe })],
      providers: [Upkeep, { provide: OrdersReconciler, useValue: { reconcile } }],
    })
    class WorkerModule {}
    worker = await NestFactory.createApplicationContext(WorkerModule, { logger: false });
  }

  function pass(ms: number): void {
    nowMs += ms;
    vi.advanceTimersByTime(ms);
  }

  const collect = (reference: string): Promise<unknown> =>
    worker.get(CollectionsService).mobileMoney({
      reference,
      amount: '50000.00',
      phone: PHONE,
      customer_name: 'Asha Mrema',
      customer_email: 'asha@example.com',
    });

  async function lostRequest(reference: string): Promise<void> {
    gateway.next(COLLECT).dropBefore();
    await expect(collect(reference)).rejects.toMatchObject({ name: 'PaymentOutcomeUnknownError' });
  }

  const stateOf = async (reference: string): Promise<string | undefined> =>
    (await worker.get(PaymentsJournal).get('collection', reference))?.state;

  it('the upkeep sends a lost request again with the same key, and finishes that before the worker stops', async () => {
    await start();
    await lostRequest('ticket-1');
    pass(5 * MINUTE_MS);
    await worker.close();
    expect(await stateOf('ticket-1')).toBe('accepted');
    const keys = gateway.requests().map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });

  it('the upkeep reconciles the orders after it has recovered their payments', async () => {
    const states: (string | undefined)[] = [];
    reconcile = async () => void states.push(await stateOf('ticket-1'));
    await start();
    await lostRequest('ticket-1');
    pass(5 * MINUTE_MS);
    await worker.close();
    expect(states.at(-1)).toBe('accepted');
  });

  it('the upkeep runs when the worker starts, for payments of a process that crashed before', async () => {
    await start();
    await lostRequest('ticket-1');
    await worker.close();
    nowMs += 5 * MINUTE_MS;
    await start();
    await worker.close();
    expect(await stateOf('ticket-1')).toBe('accepted');
    expect(gateway.payments()).toHaveLength(1);
  });

  it('the upkeep forgets ended and refused payments after a year, once a day, and it forgets no webhook', async () => {
    await start();
    await collect('ticket-1');
    await worker.get(PaymentsJournal).settle('collection', 'ticket-1', 'success');
    gateway.next(COLLECT).status(422, { code: 'INVALID_PHONE' });
    await expect(collect('ticket-2')).rejects.toMatchObject({ name: 'PaymentRejectedError' });
    await collect('ticket-3');
    await claimed(await storage.inbox.claim(inboxDelivery('ticket-1'), MINUTE_MS)).finish();
    nowMs += 401 * DAY_MS;
    vi.advanceTimersByTime(DAY_MS);
    await worker.close();
    expect(await Promise.all(['ticket-1', 'ticket-2', 'ticket-3'].map(stateOf))).toEqual([
      undefined,
      undefined,
      'accepted',
    ]);
    expect((await storage.inbox.claim(inboxDelivery('ticket-1'), MINUTE_MS)).result).toBe('done');
  });

  describe('while the storage does not answer', () => {
    let list: ReturnType<typeof hang>['list'];
    let fail: () => void;

    function hang() {
      let reject = (): void => undefined;
      const answer = new Promise<never>((_resolve, rejectAnswer) => {
        reject = () => {
          rejectAnswer(new Error('away'));
        };
      });
      return { list: vi.spyOn(storage.journal, 'list').mockReturnValue(answer), fail: reject };
    }

    beforeEach(async () => {
      ({ list, fail } = hang());
      await start();
    });

    it('the upkeep does not run twice at a time, and continues after the storage answers again', async () => {
      pass(20 * MINUTE_MS);
      expect(list).toHaveBeenCalledTimes(1);
      list.mockRestore();
      await lostRequest('ticket-1');
      fail();
      // The run continues with payouts before it ends.
      await turns(50);
      pass(5 * MINUTE_MS);
      await worker.close();
      expect(await stateOf('ticket-1')).toBe('accepted');
    });

    it('the upkeep ends before the storage is closed, and does not begin again', async () => {
      const order: string[] = [];
      Object.assign(storage, { close: () => void order.push('storage closed') });
      const closing = worker.close();
      await turns(50);
      order.push('upkeep ended');
      fail();
      await closing;
      expect(order).toEqual(['upkeep ended', 'storage closed']);
      pass(5 * MINUTE_MS);
      expect(list).toHaveBeenCalledTimes(1);
    });
  });
});

/** Lets everything happen that waits for nothing else. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}
