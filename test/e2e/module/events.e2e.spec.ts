import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Controller, type DynamicModule, Injectable, Logger, Module } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import {
  CollectionsService,
  OnPayment,
  PaymentsInbox,
  PaymentsJournal,
  type PaymentsEventOrigin,
  type PaymentsEvents,
  type PaymentsModuleOptions,
  PaymentsWebhook,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent } from 'nestjs-payments/testing';
import { collectionRequest } from '../../support/gateway-answers.js';
import { startSandbox } from '../../support/sandbox.js';
import { deliver, paymentsOptions, startWebhookApp, type WebhookApp } from '../../support/webhook-app.js';

let handling: () => unknown;
let routing: () => unknown;
let listening: (event: string) => unknown;

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('payments')
  received(): unknown {
    return routing();
  }
}

@Injectable()
class Orders {
  @OnPayment('*')
  async outcome(): Promise<void> {
    await handling();
  }
}

/** The events that arrived: name, payload and account. */
let heard: [event: string, payload: unknown, account: string][];

@Injectable()
class Listeners {
  @OnEvent('payment.success')
  paid(event: PaymentsEvents['payment.success'], { account }: PaymentsEventOrigin): unknown {
    heard.push(['success', event, account]);
    return listening('success');
  }

  @OnEvent('payment.failed', { suppressErrors: false })
  async failed(event: PaymentsEvents['payment.failed'], { account }: PaymentsEventOrigin): Promise<void> {
    heard.push(['failed', event, account]);
    await listening('failed');
  }

  @OnEvent('payment.conflict')
  @OnEvent('payment.mismatch')
  odd(event: PaymentsEvents['payment.conflict'], { account }: PaymentsEventOrigin): void {
    heard.push(['odd', event, account]);
  }

  @OnEvent('payment.unknown')
  unknown(payment: PaymentsEvents['payment.unknown'], { account }: PaymentsEventOrigin): void {
    heard.push(['unknown', payment, account]);
  }
}

@Module({})
class Bus {}

const names = (): string[] => heard.map(([name]) => name);

describe('an application with an event emitter', () => {
  let running: WebhookApp | undefined;

  async function start(
    imports: readonly DynamicModule[] = [EventEmitterModule.forRoot()],
    payments = [paymentsOptions()],
  ): Promise<WebhookApp> {
    running = await startWebhookApp('express', {
      imports: [...imports],
      controllers: [WebhooksController],
      providers: [Orders, Listeners],
      payments,
    });
    return running;
  }
  const send = async (event: PaymentWebhookEvent): Promise<number> =>
    (await deliver(running!.port, event)).status;

  beforeEach(() => {
    heard = [];
    handling = routing = () => undefined;
    listening = () => undefined;
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await running?.app.close();
    running = undefined;
  });

  it('every outcome is emitted once, after its handlers, with its account', async () => {
    await start();
    handling = () => {
      throw new Error('not yet');
    };
    const event = paymentEvent('payment.success', { reference: 'order-1' });
    expect(await send(event)).toBe(500);
    expect(heard).toEqual([]);
    handling = () => {
      expect(heard).toEqual([]);
    };
    expect(await send(event)).toBe(200);
    expect(await send(event)).toBe(200);
    expect(heard).toEqual([['success', event, 'default']]);
  });

  it('an outcome whose handler ends late is emitted once the handler has ended', async () => {
    let finish = (): void => undefined;
    routing = () => new Promise<void>((resolve) => (finish = resolve));
    await start(undefined, [paymentsOptions({ handlerTimeoutMs: 20 })]);
    const told = new Promise((resolve) => running!.app.get(EventEmitter2).once('payment.expired', resolve));
    const event = paymentEvent('payment.expired');
    expect(await send(event)).toBe(503);
    finish();
    expect(await told).toEqual(event);
  });

  it('an event that is set aside is emitted, and so is one that is released', async () => {
    await start();
    await send(paymentEvent('payment.failed', { reference: 'order-1' }));
    const other = paymentEvent('payment.success', { reference: 'order-1' });
    await send(other);
    await send(other);
    const wrong = paymentEvent('payment.success', { reference: 'order-2', currency: 'USD' });
    await send(wrong);
    expect(heard.slice(1)).toEqual([
      ['odd', other, 'default'],
      ['odd', wrong, 'default'],
    ]);
    const inbox = running!.app.get(PaymentsInbox);
    const [conflict] = await inbox.conflicts();
    await inbox.release(conflict!.id);
    expect(heard.slice(3)).toEqual([['success', other, 'default']]);
  });

  it('both events are emitted if a webhook overrides the journal', async () => {
    const sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    await start(undefined, [paymentsOptions({}, gatewayOf(sandbox))]);
    await running!.app.get(CollectionsService).mobileMoney(collectionRequest);
    await running!.app.get(PaymentsJournal).settle('collection', 'order-1', 'failed');
    await send(paymentEvent('payment.success', { reference: 'order-1', amount: '1180.50' }));
    expect(names()).toEqual(['odd', 'success']);
  });

  it('both events are emitted if the webhook overrides the journal only in its second run', async () => {
    const sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    await start(undefined, [paymentsOptions({}, gatewayOf(sandbox))]);
    await running!.app.get(CollectionsService).mobileMoney(collectionRequest);
    await running!.app.get(PaymentsJournal).settle('collection', 'order-1', 'failed');
    const event = paymentEvent('payment.success', { reference: 'order-1', amount: '1180.50' });
    handling = fail;
    expect(await send(event)).toBe(500);
    expect(heard).toEqual([]);
    handling = () => undefined;
    expect(await send(event)).toBe(200);
    expect(names()).toEqual(['odd', 'success']);
    expect(await running!.app.get(PaymentsInbox).conflicts()).toMatchObject([{ kind: 'conflict', seen: 1 }]);
  });

  it('a payment whose outcome is unknown is emitted once, without the name of a person', async () => {
    const sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    await start(undefined, [paymentsOptions({}, { ...gatewayOf(sandbox), probe: false })]);
    const collections = running!.app.get(CollectionsService);
    const pay = (): Promise<unknown> =>
      collections.mobileMoney(collectionRequest).catch((error: unknown) => error);
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    const [first, joined] = await Promise.all([pay(), pay()]);
    const again = await pay();
    for (const error of [first, joined, again]) {
      expect(error).toMatchObject({ name: 'PaymentOutcomeUnknownError' });
    }
    const { idempotencyKey } = first as { idempotencyKey: string };
    const unknown: PaymentsEvents['payment.unknown'] = {
      account: 'default',
      family: 'collection',
      operation: 'collection.mobile-money',
      reference: 'order-1',
      idempotencyKey,
      evidence: 'no-answer',
    };
    expect(heard).toEqual([['unknown', unknown, 'default']]);
  });

  it.each([
    ['that throws at once', 'payment.success', (): never => fail()],
    ['that rejects', 'payment.success', () => Promise.reject(new Error('the listener fails'))],
    ['that throws and does not hide it', 'payment.failed', (): never => fail()],
    [
      'that rejects and does not hide it',
      'payment.failed',
      () => Promise.reject(new Error('the listener fails')),
    ],
  ] as const)('by a listener %s, which is logged and changes nothing', async (_what, name, listener) => {
    await start();
    const logged = new Promise<string>((resolve) => {
      vi.spyOn(Logger.prototype, 'error').mockImplementation((message: unknown) => {
        resolve(String(message));
      });
    });
    listening = listener;
    expect(await send(paymentEvent(name, { reference: 'order-1' }))).toBe(200);
    expect(await logged).toContain('the listener fails');
    expect(heard).toHaveLength(1);
  });

  it('a listener that throws at once is logged and changes nothing', async () => {
    await start();
    running!.app.get(EventEmitter2).on('payment.cancelled', fail);
    expect(await send(paymentEvent('payment.cancelled'))).toBe(200);
    expect(running!.logs.of('error')).toEqual([
      expect.stringContaining('A listener of payment.cancelled failed: the listener fails'),
    ]);
  });

  it('the events go to the emitter of the application, even if it has others too', async () => {
    const other = new EventEmitter2();
    const heardByOther: unknown[] = [];
    other.onAny((name) => heardByOther.push(name));
    running = await startWebhookApp('express', {
      imports: [
        { module: Bus, providers: [{ provide: 'BUS', useValue: other }] },
        EventEmitterModule.forRoot(),
      ],
      controllers: [WebhooksController],
      providers: [Listeners],
    });
    expect(await send(paymentEvent('payment.success'))).toBe(200);
    expect(names()).toEqual(['success']);
    expect(heardByOther).toEqual([]);
  });

  it('no event is emitted if the application has no emitter or no listener', async () => {
    await start([]);
    expect(await send(paymentEvent('payment.success', { reference: 'order-1' }))).toBe(200);
    await running!.app.close();
    await start();
    expect(await send(paymentEvent('payment.cancelled', { reference: 'order-1' }))).toBe(200);
    expect(heard).toEqual([]);
    expect(running!.logs.of('error')).toEqual([]);
  });
});

function fail(): never {
  throw new Error('the listener fails');
}

function gatewayOf(sandbox: PaymentsSandbox): Omit<PaymentsModuleOptions, 'webhooks'> {
  const { webhooks: _webhooks, ...gateway } = sandbox.moduleOptions();
  return gateway;
}
