import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Controller, Injectable, type PipeTransform, type Provider } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import {
  CollectionsService,
  type JournalEntry,
  memoryStorage,
  OnPayment,
  PaymentEvent,
  PaymentsInbox,
  PaymentsJournal,
  type PaymentsStorage,
  PaymentsWebhook,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { collectionRequest } from '../../support/gateway-answers.js';
import { startSandbox } from '../../support/sandbox.js';
import { transactionalStorage } from '../../support/transactional-storage.js';
import { send, startWebhookApp, type WebhookApp } from '../../support/webhook-app.js';

const heard: PaymentWebhookEvent['data'][] = [];
const given: PaymentWebhookEvent['data'][] = [];

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid({ data }: PaymentWebhookEvent): void {
    heard.push(data);
  }
}

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('payments')
  received(@PaymentEvent() { data }: PaymentWebhookEvent): void {
    given.push(data);
  }
}

type Fields = Record<string, unknown>;

/** A global pipe that changes an object in place. */
function changingPipe(change: (key: string, value: unknown) => unknown): Provider {
  const walk = (fields: Fields): void => {
    for (const [key, value] of Object.entries(fields)) {
      if (typeof value === 'object' && value !== null) walk(value as Fields);
      else fields[key] = change(key, value);
    }
  };
  const pipe: PipeTransform = {
    transform: (value: unknown) => {
      if (typeof value === 'object' && value !== null) walk(value as Fields);
      return value;
    },
  };
  return { provide: APP_PIPE, useValue: pipe };
}

describe('a webhook whose event the application changes', () => {
  let running: WebhookApp;
  let deliver: (data: Partial<PaymentWebhookEvent['data']>) => Promise<number>;

  /** The application has asked for `order-1` and `order-2`. */
  async function start(providers: Provider[], storage: PaymentsStorage = memoryStorage()): Promise<void> {
    const sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    const payments = { ...sandbox.moduleOptions(), storage };
    running = await startWebhookApp('express', {
      controllers: [WebhooksController],
      providers,
      payments: [payments],
    });
    const { scheme } = payments.webhooks!;
    deliver = async (data) => {
      const body = JSON.stringify(
        paymentEvent('payment.success', { reference: 'order-1', amount: '1180.50', ...data }),
      );
      const signature = signWebhook({ scheme, secret: sandbox.webhookSecret, body });
      const headers = { 'content-type': 'application/json', ...signature };
      return (await send(running.port, '/webhooks/payments', body, headers)).status;
    };
    for (const reference of ['order-1', 'order-2']) {
      await running.app.get(CollectionsService).mobileMoney({ ...collectionRequest, reference });
    }
  }

  const entry = (reference: string): Promise<JournalEntry | undefined> =>
    running.app.get(PaymentsJournal).get('collection', reference);
  const setAside = async (): Promise<string[]> =>
    (await running.app.get(PaymentsInbox).conflicts()).map(({ kind, reference }) => `${kind} ${reference}`);

  beforeEach(() => {
    heard.length = 0;
    given.length = 0;
  });
  afterEach(() => running.app.close());

  it('is compared as it came if a global pipe masks it: another charge is a conflict', async () => {
    await start([Orders, changingPipe((key, value) => (key === 'provider_reference' ? '***' : value))]);
    expect(await deliver({ provider_reference: 'P-1' })).toBe(200);
    expect(await deliver({ provider_reference: 'P-2' })).toBe(200);
    expect(given).toMatchObject([{ provider_reference: '***' }]);
    expect(heard).toMatchObject([{ provider_reference: 'P-1' }]);
    expect(await setAside()).toEqual(['conflict order-1']);
  });

  it('is settled as it came if a global pipe makes numbers of text', async () => {
    await start([
      Orders,
      changingPipe((_key, value) => (Number.isNaN(Number(value)) ? value : Number(value))),
    ]);
    expect(await deliver({})).toBe(200);
    expect(given).toMatchObject([{ amount: 1180.5 }]);
    expect(heard).toMatchObject([{ amount: '1180.50' }]);
    expect(await entry('order-1')).toMatchObject({ outcome: 'success' });
    expect(await setAside()).toEqual([]);
  });

  it('is a mismatch if only a global pipe trims its reference to that of a payment', async () => {
    await start([Orders, changingPipe((_key, value) => (typeof value === 'string' ? value.trim() : value))]);
    expect(await deliver({ reference: 'order-1 ' })).toBe(200);
    expect(heard).toEqual([]);
    expect((await entry('order-1'))?.outcome).toBeUndefined();
    expect(await setAside()).toEqual(['mismatch order-1 ']);
  });

  it.each<[string, () => PaymentsStorage]>([
    ['before its handlers', memoryStorage],
    ['after them, in their transaction', transactionalStorage],
  ])('settles its own payment %s, whatever a handler writes into it', async (_when, storage) => {
    @Injectable()
    class Rewrites {
      @OnPayment('payment.success')
      rewrite({ data }: { data: Fields }): void {
        data['reference'] = 'order-2';
        data['amount'] = 1;
      }
    }
    await start([Rewrites, Orders], storage());
    expect(await deliver({})).toBe(200);
    expect(await deliver({})).toBe(200);
    expect(heard).toHaveLength(1);
    expect(given).toMatchObject([{ reference: 'order-1', amount: '1180.50' }]);
    expect(await entry('order-1')).toMatchObject({ outcome: 'success' });
    expect((await entry('order-2'))?.outcome).toBeUndefined();
    expect(await setAside()).toEqual([]);
  });
});
