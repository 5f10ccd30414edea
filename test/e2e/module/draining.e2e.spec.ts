import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Injectable, type NestApplicationOptions, type NestInterceptor, type Provider } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { memoryStorage, OnPayment, PaymentsInbox } from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import { mergeMap } from 'rxjs';
import { type QueuedDelivery, workOn } from '../../support/delivery-queue.js';
import { deliver, paymentsOptions, startWebhookApp, type WebhookApp } from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

let handle: () => unknown;

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(): unknown {
    return handle();
  }

  @OnPayment('payment.success', { account: 'payouts' })
  paidOut(): unknown {
    return handle();
  }
}

/** An interceptor of the application that takes many turns of its own before the answer is sent. */
const unhurried: NestInterceptor = {
  intercept: (_context, next) =>
    next.handle().pipe(
      mergeMap(async (value: unknown) => {
        for (let turn = 0; turn < 1_000; turn += 1) await Promise.resolve();
        return value;
      }),
    ),
};

const event = paymentEvent('payment.success', { reference: 'order-1' });

describe('before its storage is closed', () => {
  let running: WebhookApp;
  let began: Promise<void>;
  let finish: () => void;
  /** What happened, in order. */
  let story: string[];

  async function start(
    webhooks: Parameters<typeof paymentsOptions>[0] = {},
    nest: NestApplicationOptions = {},
    providers: readonly Provider[] = [],
  ): Promise<void> {
    const close = (): Promise<void> => Promise.resolve(void story.push('closed'));
    running = await startWebhookApp('express', {
      controllers: [WebhooksController],
      providers: [Orders, ...providers],
      nest,
      payments: ['default', 'payouts'].map((name) =>
        paymentsOptions(
          { inFlightWaitMs: 0, ...webhooks },
          { name, storage: Object.assign(memoryStorage(), { close }) },
        ),
      ),
    });
  }
  const status = async (): Promise<number> => (await deliver(running.port, event)).status;

  beforeEach(() => {
    story = [];
    let tellBegan = (): void => undefined;
    began = new Promise((resolve) => (tellBegan = resolve));
    const finished = new Promise<void>((resolve) => (finish = resolve));
    handle = async () => {
      tellBegan();
      await finished;
      story.push('handled');
    };
  });
  afterEach(async () => {
    finish();
    await running.app.close();
  });

  it('the application waits for a handler whose delivery was answered long ago', async () => {
    await start({ handlerTimeoutMs: 20 });
    expect(await status()).toBe(503);
    const closed = running.app.close();
    finish();
    await closed;
    expect(story).toEqual(['handled', 'closed', 'closed']);
  });

  it('the application answers what was handled, even if it cuts its connections', async () => {
    await start({}, { forceCloseConnections: true }, [{ provide: APP_INTERCEPTOR, useValue: unhurried }]);
    const answer = status();
    await began;
    const closed = running.app.close();
    finish();
    expect(await answer).toBe(200);
    await closed;
  });

  it('the application waits for what an operator released, and then refuses to release', async () => {
    await start();
    const inbox = running.app.get(PaymentsInbox);
    for (const reference of ['order-1', 'order-2']) {
      await deliver(running.port, paymentEvent('payment.failed', { reference }));
      await deliver(running.port, paymentEvent('payment.success', { reference }));
    }
    const [first, second] = await inbox.conflicts();
    const released = inbox.release(first!.id);
    await began;
    const closed = running.app.close();
    finish();
    await Promise.all([released, closed]);
    expect(story).toEqual(['handled', 'closed', 'closed']);
    handle = () => story.push('handled again');
    await expect(inbox.release(second!.id)).rejects.toMatchObject({ code: 'INBOX_BUSY' });
    expect(story).toHaveLength(3);
  });

  it('the application waits for the workers of a queue, in every account at once', async () => {
    await start();
    const queued = (account: string, name: string): QueuedDelivery => ({
      id: name,
      account,
      environment: 'sandbox',
      event: paymentEvent(name),
      bodyHash: '',
      deliveredAt: Date.now(),
    });
    const worked = workOn(running.app, queued('payouts', 'payment.success'));
    await began;
    const closed = running.app.close();
    // The account beside it is idle, and refuses anyway.
    while ((await workOn(running.app, queued('default', 'payment.failed'))).status !== 503);
    finish();
    expect(await worked).toEqual({ status: 200 });
    await closed;
    expect(story.filter((what) => what !== 'handled')).toEqual(['closed', 'closed']);
    expect(story.indexOf('closed')).toBeGreaterThan(story.lastIndexOf('handled'));
  });

  it('the application refuses nobody who has no right signature otherwise than ever', async () => {
    await start();
    const answer = status();
    await began;
    const closed = running.app.close();
    const headers = { 'x-webhook-signature': 'a'.repeat(64) };
    expect((await deliver(running.port, event, { headers })).status).toBe(401);
    expect(await status()).toBe(503);
    finish();
    expect(await answer).toBe(200);
    await closed;
  });
});
