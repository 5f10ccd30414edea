import { afterEach, beforeEach, expect, it } from 'vitest';
import { getQueueToken } from '@nestjs/bullmq';
import { type Queue, QueueEvents } from 'bullmq';
import { randomBytes } from 'node:crypto';
import {
  aesGcm,
  envelope,
  memoryStorage,
  type PaymentsEncryption,
  type PaymentsModuleRootOptions,
} from 'nestjs-payments';
import { PaymentsQueue } from 'nestjs-payments/bullmq';
import { paymentEvent } from 'nestjs-payments/testing';
import { HandlerRuns, QueueSpace } from '../../support/queue-app.js';
import { describeWith, redisService } from '../../support/services.js';
import { TransitServer } from '../../support/transit-server.js';
import { deliver, paymentsOptions, type WebhookApp } from '../../support/webhook-app.js';

const KEYS = { old: randomBytes(32), now: randomBytes(32) };
const onlyOld = aesGcm({ keys: { old: KEYS.old }, current: 'old' });
const onlyNow = aesGcm({ keys: { now: KEYS.now }, current: 'now' });
const both = aesGcm({ keys: KEYS, current: 'now' });

describeWith([redisService], 'the queue with an encryption', () => {
  let space: QueueSpace;
  let events: QueueEvents;
  const storage = memoryStorage();

  beforeEach(async () => {
    space = new QueueSpace();
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

  const next = (event: 'completed' | 'failed' | 'delayed'): Promise<unknown> =>
    new Promise((resolve) => events.once(event, resolve));
  const options = (encryption?: PaymentsEncryption): PaymentsModuleRootOptions =>
    paymentsOptions({}, { storage, ...(encryption && { encryption }) });
  const queueOf = ({ app }: WebhookApp): Queue => app.get(getQueueToken('payments-webhooks'));

  it('gives the handlers of a worker the whole event, also one that was queued before a change of keys', async () => {
    const receiving = await space.start('express', { worker: false }, { payments: options(onlyOld) });
    const event = paymentEvent('payment.success', { reference: 'sealed-1', customer_name: 'Asha Mushi' });
    await deliver(receiving.port, event);
    const [job] = await queueOf(receiving).getWaiting();
    expect(JSON.stringify(job?.data)).not.toContain('Asha Mushi');
    const seen: unknown[] = [];
    const runs = new HandlerRuns();
    runs.behaviour = (given) => seen.push(given);
    const completed = next('completed');
    await space.start('express', {}, { payments: options(both), runs });
    await completed;
    expect(seen).toEqual([event]);
  });

  it.each([
    ['has not the key', onlyNow],
    ['has no encryption', undefined],
  ])(
    'keeps the job of an event for later if the worker %s, and uses up no attempt',
    async (_what, encryption) => {
      const receiving = await space.start('express', { worker: false }, { payments: options(onlyOld) });
      const event = paymentEvent('payment.success');
      await deliver(receiving.port, event);
      const delayed = next('delayed');
      const without = await space.start('express', {}, { payments: options(encryption) });
      await delayed;
      expect(without.logs.webhooks('error').join()).toContain(
        encryption ? 'the key "old"' : 'the account has no option encryption',
      );
      await space.stop(without);
      const [job] = await queueOf(receiving).getDelayed();
      expect(job?.attemptsMade).toBe(0);
      const runs = new HandlerRuns();
      await space.start('express', {}, { payments: options(both), runs });
      const completed = next('completed');
      await job?.promote();
      await completed;
      expect(runs.references).toEqual([event.data.reference]);
    },
  );

  it('keeps the job of an event for later if the key service is away, and answers 503 if it cannot be sealed', async () => {
    const transit = await TransitServer.start('payments');
    const keys = { keys: { a: 'payments' }, current: 'a', fingerprintKey: randomBytes(32) };
    const fromService = (): PaymentsEncryption => envelope({ kms: transit.client(), ...keys });
    const receiving = await space.start('express', { worker: false }, { payments: options(fromService()) });
    const event = paymentEvent('payment.success', { reference: 'kms-1' });
    transit.mode = 'cut-off';
    expect((await deliver(receiving.port, event)).status).toBe(503);
    transit.mode = 'up';
    expect((await deliver(receiving.port, event)).status).toBe(200);
    transit.mode = 'cut-off';
    const delayed = next('delayed');
    const runs = new HandlerRuns();
    const working = await space.start('express', {}, { payments: options(fromService()), runs });
    await delayed;
    expect(working.logs.webhooks('error').join()).toContain('The key service gave no usable answer');
    const [job] = await queueOf(receiving).getDelayed();
    expect(job?.attemptsMade).toBe(0);
    transit.mode = 'up';
    const completed = next('completed');
    await job?.promote();
    await completed;
    expect(runs.references).toEqual(['kms-1']);
    await transit.close();
  });

  it('runs no handler for an event that somebody without a key put into the queue, if it requires seals', async () => {
    const strict = aesGcm({ keys: { now: KEYS.now }, current: 'now', requireSealed: true });
    const receiving = await space.start('express', { worker: false }, { payments: options() });
    await deliver(receiving.port, paymentEvent('payment.success', { reference: 'forged-1' }));
    const delayed = next('delayed');
    const runs = new HandlerRuns();
    const working = await space.start('express', {}, { payments: options(strict), runs });
    await delayed;
    expect(working.logs.webhooks('error').join()).toContain('its event is not sealed');
    expect(runs.references).toEqual([]);
  });

  it('queues an event that the specification does not list once, and its job names no hash of its body', async () => {
    const { app, port } = await space.start('express', { worker: false }, { payments: options(both) });
    const body = JSON.stringify(paymentEvent('payment.odd', { reference: 'odd-1' }));
    await deliver(port, body);
    await deliver(port, body);
    expect(await app.get<Queue>(getQueueToken('payments-webhooks')).getWaitingCount()).toBe(1);
    const plain = await space.start('express', { worker: false }, { payments: options() });
    await deliver(plain.port, body);
    const ids = (await queueOf(plain).getWaiting()).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });

  it('lists a finally failed webhook by event and reference', async () => {
    const runs = new HandlerRuns();
    runs.behaviour = () => {
      throw new Error('the shop is closed');
    };
    const retry = { maxAttempts: 1, baseDelayMs: 1, maxDelayMs: 1 };
    const { app, port } = await space.start('express', { retry }, { payments: options(both), runs });
    const failed = next('failed');
    await deliver(port, paymentEvent('payment.success', { reference: 'sealed-9' }));
    await failed;
    expect(await app.get(PaymentsQueue).failed()).toMatchObject([
      { event: 'payment.success', reference: 'sealed-9' },
    ]);
  });
});
