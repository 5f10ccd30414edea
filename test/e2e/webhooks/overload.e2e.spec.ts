import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Injectable } from '@nestjs/common';
import {
  memoryStorage,
  OnPayment,
  PaymentsInbox,
  type PaymentsStorage,
  type PaymentWebhookEvent,
  type WebhookOptions,
} from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { useQueue } from '../../support/delivery-queue.js';
import { eventually } from '../../support/eventually.js';
import { deliverTo, startMarketplace } from '../../support/marketplace-app.js';
import {
  adapters,
  deliver,
  paymentsOptions,
  scheme,
  secret,
  startWebhookApp,
  type WebhookApp,
} from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

/** What a handler does, by reference; it waits for `open` otherwise. */
let behaviours: Record<string, () => unknown>;
let started: string[];
let open: () => void;

@Injectable()
class Orders {
  @OnPayment('*')
  handle({ data: { reference } }: PaymentWebhookEvent): unknown {
    started.push(reference);
    return behaviours[reference]?.();
  }
}

let running: WebhookApp | undefined;

beforeEach(() => {
  started = [];
  const opened = new Promise<void>((resolve) => (open = resolve));
  behaviours = { 'order-1': () => opened, 'order-2': () => opened };
});
afterEach(async () => {
  vi.useRealTimers();
  open();
  await running?.app.close();
  running = undefined;
});

const event = (reference: string): PaymentWebhookEvent => paymentEvent('payment.success', { reference });

async function start(
  webhooks: Partial<WebhookOptions>,
  storage: PaymentsStorage = memoryStorage(),
  adapter: (typeof adapters)[number] = 'express',
): Promise<WebhookApp> {
  running = await startWebhookApp(adapter, {
    controllers: [WebhooksController],
    providers: [Orders],
    payments: [paymentsOptions(webhooks, { storage })],
  });
  return running;
}

describe.each(adapters)('more webhooks at once than webhooks.maxInFlight, on %s', (adapter) => {
  it('are answered 503 with Retry-After at once and claimed by nobody, and those before are handled', async () => {
    const storage = memoryStorage();
    const claim = vi.spyOn(storage.inbox, 'claim');
    const { port, logs } = await start({ maxInFlight: 2 }, storage, adapter);
    const first = ['order-1', 'order-2'].map((reference) => deliver(port, event(reference)));
    await eventually(() => {
      expect(started).toHaveLength(2);
    });
    for (const reference of ['order-3', 'order-4', 'order-1']) {
      const refused = await deliver(port, event(reference));
      expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    }
    expect(claim).toHaveBeenCalledTimes(2);
    expect(logs.of('warn').filter((line) => line.includes('webhooks.maxInFlight, 2,'))).toHaveLength(1);

    open();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await deliver(port, event('order-3'))).status).toBe(200);
    expect(started).toEqual(['order-1', 'order-2', 'order-3']);
  });

  it('still refuse a forged one with 401', async () => {
    const { port } = await start({ maxInFlight: 1 }, memoryStorage(), adapter);
    const first = deliver(port, event('order-1'));
    await eventually(() => {
      expect(started).toHaveLength(1);
    });
    const forged = await deliver(port, event('order-2'), { headers: { 'x-webhook-signature': 'no' } });
    expect(forged.status).toBe(401);
    open();
    expect((await first).status).toBe(200);
  });
});

it('PaymentsInbox.receive() refuses in the same way', async () => {
  const { app } = await start({ maxInFlight: 1 });
  const inbox = app.get(PaymentsInbox);
  const receive = (reference: string): ReturnType<PaymentsInbox['receive']> => {
    const body = JSON.stringify(event(reference));
    const headers = { 'content-type': 'application/json', ...signWebhook({ scheme, secret, body }) };
    return inbox.receive(body, headers);
  };
  const first = receive('order-1');
  await eventually(() => {
    expect(started).toHaveLength(1);
  });
  expect(await receive('order-3')).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  open();
  expect(await first).toMatchObject({ status: 200 });
  expect(await receive('order-3')).toMatchObject({ status: 200 });
});

describe('a webhook gives its place back', () => {
  it.each<[how: string, status: number, behaviour: () => unknown]>([
    ['was handled', 200, () => undefined],
    [
      'has a handler that throws',
      500,
      () => {
        throw new Error('the order is locked');
      },
    ],
    ['has a handler that rejects', 500, () => Promise.reject(new Error('the order is locked'))],
    ['has a handler that takes too long', 503, () => new Promise(() => undefined)],
  ])('when it %s', async (_, status, behaviour) => {
    behaviours['order-3'] = behaviour;
    const { port } = await start({ maxInFlight: 1, handlerTimeoutMs: 50, leaseMs: 1_000 });
    expect((await deliver(port, event('order-3'))).status).toBe(status);
    expect((await deliver(port, event('order-4'))).status).toBe(200);
  });

  it.each(['claim', 'waitForRelease'] as const)('when the storage fails in inbox.%s', async (method) => {
    const storage = memoryStorage();
    const { port } = await start({ maxInFlight: 1 }, storage);
    const fails = vi.spyOn(storage.inbox, method).mockRejectedValue(new Error('ECONNREFUSED'));
    if (method === 'waitForRelease') {
      vi.spyOn(storage.inbox, 'claim').mockResolvedValueOnce({ result: 'busy', leaseLeftMs: 1_000 });
    }
    expect((await deliver(port, event('order-3'))).status).toBe(503);
    expect(fails).toHaveBeenCalledTimes(1);
    fails.mockRestore();
    expect((await deliver(port, event('order-4'))).status).toBe(200);
  });

  it('when it came again, was set aside, or says nothing known', async () => {
    const { port } = await start({ maxInFlight: 1 });
    const failed = paymentEvent('payment.failed', { reference: 'order-3' });
    const unknown = { ...event('order-5'), event: 'payment.refunded' };
    for (const body of [event('order-3'), event('order-3'), failed, unknown, event('order-4')]) {
      expect((await deliver(port, body)).status).toBe(200);
    }
    expect(started).toEqual(['order-3', 'order-4']);
  });

  it('when it was stored in a queue, or could not be', async () => {
    const { app, port } = await start({ maxInFlight: 1 });
    let stored = 0;
    useQueue(app, () => {
      stored += 1;
      return stored === 1 ? Promise.reject(new Error('ECONNREFUSED')) : Promise.resolve();
    });
    expect((await deliver(port, event('order-3'))).status).toBe(503);
    expect((await deliver(port, event('order-3'))).status).toBe(200);
    expect((await deliver(port, event('order-4'))).status).toBe(200);
    expect(stored).toBe(3);
  });
});

it('a claim that the storage has not answered in time keeps its place, so that the next is refused at once', async () => {
  const storage = { ...memoryStorage() };
  const held: (() => void)[] = [];
  const { claim } = storage.inbox;
  const hanging = vi.spyOn(storage.inbox, 'claim').mockImplementation(async (...delivery) => {
    await new Promise<void>((resolve) => held.push(resolve));
    return claim.apply(storage.inbox, delivery);
  });
  const { port } = await start({ maxInFlight: 1 }, storage);
  // Nothing else in this process may see the clock turn.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'clearInterval'] });
  const late = deliver(port, event('order-3'));
  await vi.waitUntil(() => held.length === 1, { interval: 0, timeout: 20_000 });
  await vi.advanceTimersByTimeAsync(5_000);
  expect((await late).status).toBe(503);
  vi.useRealTimers();
  expect(await deliver(port, event('order-4'))).toMatchObject({
    status: 503,
    headers: { 'retry-after': '5' },
  });
  expect(held).toHaveLength(1);
  hanging.mockRestore();
  for (const answer of held) answer();
  await eventually(async () => {
    expect((await deliver(port, event('order-4'))).status).toBe(200);
  });
});

it('256 webhooks at once all pass by default', async () => {
  const { port } = await start({});
  const all = Array.from({ length: 256 }, (_, index) => deliver(port, event(`sale-${index}`)));
  expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([200]));
});

it('a merchant with many webhooks leaves places to the others', async () => {
  const storage = memoryStorage();
  const { get } = storage.journal;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const asked = vi.spyOn(storage.journal, 'get').mockImplementation(async (key) => {
    if (key.account === 'shop') await released;
    return get.call(storage.journal, key);
  });
  const market = await startMarketplace('express', { storage, webhooks: { scheme, maxInFlight: 4 } });
  running = market;
  const flood = ['a', 'b', 'c', 'd'].map((reference) => deliverTo(market.port, 'shop', { reference }));
  const refused = await Promise.race(flood);
  expect(refused.status).toBe(503);
  await eventually(() => {
    expect(asked).toHaveBeenCalledTimes(2);
  });
  expect((await deliverTo(market.port, 'school', { reference: 'e' })).status).toBe(200);
  release();
  const statuses = (await Promise.all(flood)).map(({ status }) => status).sort();
  expect(statuses).toEqual([200, 200, 503, 503]);
});
