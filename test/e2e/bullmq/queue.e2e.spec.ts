import { afterEach, beforeEach, expect, it } from 'vitest';
import { getQueueToken } from '@nestjs/bullmq';
import { type Queue, QueueEvents } from 'bullmq';
import { memoryStorage, PaymentsInbox, type PaymentsStorage } from 'nestjs-payments';
import { PaymentsQueue } from 'nestjs-payments/bullmq';
import { paymentEvent } from 'nestjs-payments/testing';
import { journalRecord } from '../../support/journal-contract.js';
import { HandlerRuns, QueueSpace } from '../../support/queue-app.js';
import { describeWith, redisService } from '../../support/services.js';
import { adapters, deliver, paymentsOptions, type WebhookApp } from '../../support/webhook-app.js';

const QUICK = { baseDelayMs: 1, maxDelayMs: 1 };

for (const adapter of adapters) {
  describeWith([redisService], `webhook work in a queue on ${adapter}`, () => {
    let space: QueueSpace;
    let runs: HandlerRuns;
    let events: QueueEvents;

    beforeEach(async () => {
      space = new QueueSpace();
      runs = new HandlerRuns();
      events = new QueueEvents('payments-webhooks', {
        connection: { url: redisService.url },
        prefix: space.prefix,
      });
      await events.waitUntilReady();
    });
    afterEach(async () => {
      await events.close();
      await space.clear();
    });

    const next = (event: 'completed' | 'failed' | 'delayed' | 'waiting' | 'cleaned'): Promise<unknown> =>
      new Promise((resolve) => events.once(event, resolve));
    /** A delivery that came after the job of an earlier one was removed has a job of its own. */
    const idle = async (queue: Queue): Promise<void> => {
      for (;;) {
        const more = next('completed');
        const { active = 0, waiting = 0 } = await queue.getJobCounts();
        if (active + waiting === 0) return;
        await more;
      }
    };
    const queueOf = ({ app }: WebhookApp): Queue => app.get(getQueueToken('payments-webhooks'));

    it('is answered 200 once it is stored, before its handlers have finished', async () => {
      let finish = (): void => undefined;
      runs.behaviour = () => new Promise<void>((resolve) => (finish = resolve));
      const { port } = await space.start(adapter, {}, { runs });
      const completed = next('completed');
      expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
      await runs.began(1);
      finish();
      await completed;
      expect(runs.contexts).toMatchObject([{ account: 'default', attempt: 1 }]);
    });

    it('is worked on by other applications alone if it has no worker itself', async () => {
      const storage = memoryStorage();
      const here = new HandlerRuns();
      const receiving = await space.start(adapter, { worker: false }, { runs: here, storage });
      await deliver(receiving.port, paymentEvent('payment.success', { reference: 'order-1' }));
      expect(await queueOf(receiving).getWaitingCount()).toBe(1);
      const completed = next('completed');
      await space.start(adapter, {}, { runs, storage });
      await completed;
      expect(runs.references).toEqual(['order-1']);
      expect(here.references).toEqual([]);
    });

    it('has one effect for fifty deliveries at once, and none for one after the job was removed', async () => {
      const app = await space.start(adapter, { keepFinishedMs: 0 }, { runs });
      const event = paymentEvent('payment.success');
      const completed = next('completed');
      const answers = await Promise.all(Array.from({ length: 50 }, () => deliver(app.port, event)));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
      await completed;
      await idle(queueOf(app));
      const again = next('completed');
      expect((await deliver(app.port, { ...event, created_at: new Date(0).toISOString() })).status).toBe(200);
      await again;
      expect(runs.references).toHaveLength(1);
      expect(await queueOf(app).getJobCounts()).toMatchObject({ completed: 0, failed: 0, waiting: 0 });
    });

    it('runs nothing for what the inbox has forgotten and the journal knows, nor reverses it', async () => {
      let now = 1_800_000_000_000;
      const storage = memoryStorage({ now: () => now });
      await storage.journal.insert(journalRecord('order-1', { state: 'accepted' }), 0);
      const { app, port } = await space.start(adapter, { keepFinishedMs: 0 }, { runs, storage });
      const work = async (name: string, data: object = {}): Promise<void> => {
        const completed = next('completed');
        const event = paymentEvent(name, { reference: 'order-1', amount: '1180.50', ...data });
        expect((await deliver(port, event)).status).toBe(200);
        await completed;
      };
      await work('payment.success');
      now += 31 * 86_400_000;
      const inbox = app.get(PaymentsInbox);
      expect(await inbox.purge()).toBe(1);
      await work('payment.success');
      await work('payment.failed');
      expect(runs.contexts).toMatchObject([{ attempt: 1, known: true }]);
      expect((await storage.journal.get(journalRecord('order-1')))?.record.outcome).toBe('success');
      expect(await inbox.conflicts()).toMatchObject([{ kind: 'conflict', event: 'payment.failed' }]);
    });

    it('is removed from a quiet queue by the next worker that starts, once it was kept long enough', async () => {
      const storage = memoryStorage();
      const { port, app } = await space.start(adapter, { keepFinishedMs: 1 }, { runs, storage });
      const completed = next('completed');
      await deliver(port, paymentEvent('payment.success'));
      await completed;
      const queue: Queue = app.get(getQueueToken('payments-webhooks'));
      expect(await queue.getCompletedCount()).toBe(1);
      await space.start(adapter, { keepFinishedMs: 1 }, { storage });
      for (;;) {
        const cleaned = next('cleaned');
        if ((await queue.getCompletedCount()) === 0) break;
        await cleaned;
      }
      expect(runs.references).toHaveLength(1);
    });

    it('sees a second charge although the job of the first is still kept', async () => {
      const { app, port } = await space.start(adapter, {}, { runs });
      for (const provider_reference of ['p1', 'p2', 'p3']) {
        const completed = next('completed');
        await deliver(port, paymentEvent('payment.success', { reference: 'order-1', provider_reference }));
        await completed;
      }
      expect(runs.references).toEqual(['order-1']);
      expect(await app.get(PaymentsInbox).conflicts()).toMatchObject([{ seen: 1 }, { seen: 1 }]);
    });

    it('runs again after a failure, and stays when every attempt failed', async () => {
      runs.behaviour = () => {
        throw new Error('no goods for +255712345678');
      };
      const { app, port, logs } = await space.start(
        adapter,
        { retry: { maxAttempts: 3, ...QUICK } },
        { runs },
      );
      const failed = next('failed');
      const event = paymentEvent('payment.success', { reference: 'order-1', customer_phone: '255712345678' });
      await deliver(port, event);
      await failed;
      expect(runs.contexts.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
      const queue = app.get(PaymentsQueue);
      const [stored, ...others] = await queue.failed();
      expect(others).toEqual([]);
      expect(stored).toMatchObject({
        account: 'default',
        event: 'payment.success',
        reference: 'order-1',
        attempts: 3,
        reason: 'A handler failed: the log of the worker says which one and why.',
      });
      expect(stored?.failedAt.getTime()).toBeGreaterThanOrEqual(stored?.deliveredAt.getTime() ?? Infinity);
      expect(logs.of('error')).toContainEqual(
        expect.stringMatching(
          /"order-1" finally failed after 3 attempts.*PaymentsQueue\.retry\('wh-[\da-f]{64}'\)/,
        ),
      );
      expect(
        logs
          .of('error')
          .filter((line) => line.endsWith(' PaymentsQueue'))
          .join(),
      ).not.toContain('2557');
    });

    it('runs again when an operator says so, with all its attempts', async () => {
      runs.behaviour = () => {
        throw new Error('not yet');
      };
      const { app, port } = await space.start(adapter, { retry: { maxAttempts: 2, ...QUICK } }, { runs });
      const failed = next('failed');
      await deliver(port, paymentEvent('payment.success'));
      await failed;
      const queue = app.get(PaymentsQueue);
      const [{ id } = { id: '' }] = await queue.failed();
      const again = next('failed');
      await queue.retry(id);
      await again;
      expect(runs.references).toHaveLength(4);
      runs.behaviour = () => undefined;
      const completed = next('completed');
      expect(await queue.retryAll()).toBe(1);
      await completed;
      expect(await queue.failed()).toEqual([]);
      await expect(queue.retry(id)).rejects.toMatchObject({ code: 'FAILED_WEBHOOK_NOT_FOUND' });
      for (const unknown of ['wh-unknown', undefined, 42, ''] as readonly string[])
        await expect(queue.retry(unknown)).rejects.toMatchObject({ code: 'FAILED_WEBHOOK_NOT_FOUND' });
      expect(await queue.retryAll()).toBe(0);
    });

    it('runs again when the gateway sends it again after it finally failed, and waits its turn before', async () => {
      let fail = (): void => undefined;
      runs.behaviour = () =>
        new Promise((_resolve, reject) => {
          fail = () => {
            reject(new Error('not yet'));
          };
        });
      const { port } = await space.start(adapter, { retry: { maxAttempts: 1 } }, { runs });
      const event = paymentEvent('payment.success');
      const failed = next('failed');
      await deliver(port, event);
      await runs.began(1);
      expect((await deliver(port, event)).status).toBe(200);
      fail();
      await failed;
      expect(runs.references).toHaveLength(1);
      runs.behaviour = () => undefined;
      const completed = next('completed');
      const answers = await Promise.all([deliver(port, event), deliver(port, event)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      await completed;
      expect(runs.references).toHaveLength(2);
    });

    it('uses up no attempt while the storage cannot be reached', async () => {
      const memory = memoryStorage();
      let away = true;
      const inbox = Object.assign(Object.create(memory.inbox) as typeof memory.inbox, {
        claim: (...args: Parameters<typeof memory.inbox.claim>) =>
          away ? Promise.reject(new Error('the database is away')) : memory.inbox.claim(...args),
      });
      const storage: PaymentsStorage = { ...memory, name: 'test', inbox };
      const app = await space.start(adapter, { retry: { maxAttempts: 1 } }, { runs, storage });
      const delayed = next('delayed');
      await deliver(app.port, paymentEvent('payment.success'));
      await delayed;
      away = false;
      const [job] = await queueOf(app).getDelayed();
      expect(job?.attemptsMade).toBe(0);
      expect(job?.delay).toBeGreaterThan(4_000);
      const completed = next('completed');
      await job?.promote();
      await completed;
      expect(runs.references).toHaveLength(1);
    });

    it('is put off, and then believed done, if another worker handled it and purged that since the look', async () => {
      const memory = memoryStorage();
      await memory.journal.insert(journalRecord('order-1', { state: 'accepted' }), 0);
      const settle = async (): Promise<void> => {
        const { version, record } = (await memory.journal.get(journalRecord('order-1')))!;
        if (record.state === 'settled') return;
        await memory.journal.replace(
          version,
          { ...record, state: 'settled', outcome: 'success', settledBy: 'webhook' },
          0,
        );
      };
      const inbox = Object.assign(Object.create(memory.inbox) as typeof memory.inbox, {
        claim: async (...args: Parameters<typeof memory.inbox.claim>) => {
          await settle();
          return memory.inbox.claim(...args);
        },
      });
      const storage: PaymentsStorage = { ...memory, name: 'test', inbox };
      const app = await space.start(adapter, { retry: { maxAttempts: 1 } }, { runs, storage });
      const delayed = next('delayed');
      await deliver(app.port, paymentEvent('payment.success', { reference: 'order-1', amount: '1180.50' }));
      await delayed;
      const [job] = await queueOf(app).getDelayed();
      expect(job?.attemptsMade).toBe(0);
      const completed = next('completed');
      await job?.promote();
      await completed;
      expect(runs.references).toEqual([]);
    });

    it('is put off, and not begun a second time, while a handler takes longer than it may', async () => {
      let finish = (): void => undefined;
      runs.behaviour = () => new Promise<void>((resolve) => (finish = resolve));
      const webhooks = { handlerTimeoutMs: 20, leaseMs: 60_000, inFlightWaitMs: 5_000 };
      const app = await space.start(adapter, { retry: { maxAttempts: 1 } }, { runs, webhooks });
      const delayed = next('delayed');
      await deliver(app.port, paymentEvent('payment.success'));
      await delayed;
      const [job] = await queueOf(app).getDelayed();
      expect(job?.attemptsMade).toBe(0);
      // BullMQ subtracts the time between the call and its own look at the clock.
      expect(job?.delay).toBeGreaterThan(50_000);
      expect(job?.delay).toBeLessThanOrEqual(60_000);
      const completed = next('completed');
      await job?.promote();
      finish();
      await completed;
      expect(runs.references).toHaveLength(1);
    });

    it.each([
      ['another account', paymentsOptions({}, { name: 'payouts' }), "belongs to the account 'default'"],
      [
        'another environment',
        paymentsOptions({}, { apiKey: 'pk_live_shop', apiSecret: 'sk_live_shop' }),
        'is of the sandbox environment',
      ],
    ])('stays if only workers of %s take it, and says why', async (_whose, payments, reason) => {
      const { app, port } = await space.start(adapter, { worker: false, retry: { maxAttempts: 1 } });
      await deliver(port, paymentEvent('payment.success'));
      const failed = next('failed');
      const { logs } = await space.start('express', {}, { runs, payments });
      await failed;
      expect(await app.get(PaymentsQueue).failed()).toMatchObject([
        { reason: expect.stringContaining(reason) as unknown },
      ]);
      expect(logs.of('error')).toContainEqual(expect.stringContaining(reason));
      expect(runs.references).toEqual([]);
    });

    it('is set aside by the worker if it contradicts the recorded outcome', async () => {
      const { app, port } = await space.start(adapter, {}, { runs });
      const completed = next('completed');
      await deliver(port, paymentEvent('payment.success', { reference: 'order-1' }));
      await completed;
      const second = next('completed');
      expect((await deliver(port, paymentEvent('payment.failed', { reference: 'order-1' }))).status).toBe(
        200,
      );
      await second;
      expect(await app.get(PaymentsInbox).conflicts()).toMatchObject([
        { kind: 'conflict', event: 'payment.failed' },
      ]);
      expect(runs.references).toHaveLength(1);
    });
  });
}
