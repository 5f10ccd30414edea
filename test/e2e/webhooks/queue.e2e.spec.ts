import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Controller, Injectable } from '@nestjs/common';
import {
  memoryStorage,
  OnPayment,
  PaymentsInbox,
  type PaymentsStorage,
  PaymentsWebhook,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import { useQueue, type QueuedDelivery, workOn } from '../../support/delivery-queue.js';
import {
  adapters,
  deliver,
  paymentsOptions,
  startWebhookApp,
  type WebhookApp,
} from '../../support/webhook-app.js';

let ran: string[];
let behaviour: () => unknown;

@Injectable()
class Orders {
  @OnPayment('*')
  paid({ event }: PaymentWebhookEvent): unknown {
    ran.push(event);
    return behaviour();
  }
}

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('payments')
  received(): void {
    ran.push('route');
  }
}

describe.each(adapters)('a delivery that is handed over to a queue on %s', (adapter) => {
  let running: WebhookApp;
  let storage: PaymentsStorage;
  let stored: QueuedDelivery[];
  let storing: () => Promise<void>;
  const first = (): QueuedDelivery => stored[0]!;

  beforeEach(async () => {
    ran = [];
    stored = [];
    behaviour = () => undefined;
    storing = () => Promise.resolve();
    storage = memoryStorage();
    running = await startWebhookApp(adapter, {
      controllers: [WebhooksController],
      providers: [Orders],
      payments: [paymentsOptions({ inFlightWaitMs: 0 }, { storage })],
    });
    useQueue(running.app, async (delivery) => {
      await storing();
      stored.push(delivery);
    });
  });
  afterEach(async () => {
    await running.app.close();
  });

  it('is answered 200 once it is stored, before anything runs', async () => {
    let stored = (): void => undefined;
    let asked = (): void => undefined;
    const storingBegan = new Promise<void>((resolve) => (asked = resolve));
    storing = () => {
      asked();
      return new Promise((resolve) => (stored = resolve));
    };
    let answered = false;
    const answer = deliver(running.port, paymentEvent('payment.success')).finally(() => (answered = true));
    await storingBegan;
    expect(answered).toBe(false);
    stored();
    expect((await answer).status).toBe(200);
    expect(ran).toEqual([]);
  });

  it('is answered 503 if it cannot be stored', async () => {
    storing = () => Promise.reject(Object.assign(new Error('redis://user:pass'), { code: 'ECONNREFUSED' }));
    const answer = await deliver(running.port, paymentEvent('payment.success'));
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(running.logs.webhooks('error')).toEqual([
      expect.stringContaining('The queue cannot be reached; answered 503: Error (ECONNREFUSED)'),
    ]);
  });

  it('is refused unsigned, and never reaches the queue', async () => {
    const event = paymentEvent('payment.success');
    expect((await deliver(running.port, event, { headers: { 'x-webhook-signature': '0' } })).status).toBe(
      401,
    );
    expect(stored).toEqual([]);
  });

  it('runs its handlers when a worker brings it back, once, and not the method of the route', async () => {
    const event = paymentEvent('payment.success');
    await deliver(running.port, event);
    expect(await workOn(running.app, first())).toEqual({ status: 200 });
    expect(await workOn(running.app, first())).toEqual({ status: 200 });
    expect(ran).toEqual(['payment.success']);
  });

  it('has its provider reference read and hashed once', async () => {
    await deliver(running.port, paymentEvent('payment.success'));
    const delivery = first();
    let reads = 0;
    Object.defineProperty(delivery.event.data, 'provider_reference', {
      // The copy that the handlers get does not count.
      enumerable: false,
      get: () => {
        reads += 1;
        return 'p1';
      },
    });
    expect(await workOn(running.app, delivery)).toEqual({ status: 200 });
    expect(ran).toEqual(['payment.success']);
    expect(reads).toBe(1);
  });

  it('tells the worker of a handler that failed, and of one that runs elsewhere', async () => {
    await deliver(running.port, paymentEvent('payment.success'));
    behaviour = () => {
      throw new Error('not yet');
    };
    expect(await workOn(running.app, first())).toEqual({ status: 500 });
    let wake = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      behaviour = () => {
        resolve();
        return new Promise<void>((end) => (wake = end));
      };
    });
    const slow = workOn(running.app, first());
    await begun;
    const busy = await workOn(running.app, first());
    expect(busy).toMatchObject({ status: 503, retryAfterSeconds: 60 });
    wake();
    expect(await slow).toEqual({ status: 200 });
  });

  it('is set aside in the worker if it contradicts the stored outcome', async () => {
    await deliver(running.port, paymentEvent('payment.success', { reference: 'order-1' }));
    await workOn(running.app, first());
    await deliver(running.port, paymentEvent('payment.failed', { reference: 'order-1' }));
    expect(await workOn(running.app, stored[1]!)).toEqual({ status: 200 });
    expect(ran).toEqual(['payment.success']);
    expect(await running.app.get(PaymentsInbox).conflicts()).toMatchObject([
      { kind: 'conflict', event: 'payment.failed' },
    ]);
  });

  it('is not released in a process that has no handler for it: the workers have them', async () => {
    await deliver(running.port, paymentEvent('payment.success', { currency: 'USD' }));
    expect(await workOn(running.app, first())).toEqual({ status: 200 });
    const inbox = running.app.get(PaymentsInbox);
    const [{ id } = { id: '' }] = await inbox.conflicts();
    const without = await startWebhookApp(adapter, {
      controllers: [WebhooksController],
      payments: [paymentsOptions({}, { storage })],
    });
    useQueue(without.app, () => Promise.resolve());
    await expect(without.app.get(PaymentsInbox).release(id)).rejects.toMatchObject({
      code: 'HANDLERS_ELSEWHERE',
    });
    await without.app.close();
    expect(await inbox.conflicts()).toHaveLength(1);
    await inbox.release(id);
    expect(ran).toEqual(['payment.success']);
    expect(await inbox.conflicts()).toEqual([]);
  });
});
