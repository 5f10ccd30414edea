import { afterEach, expect, it, vi } from 'vitest';
import { Injectable } from '@nestjs/common';
import { memoryStorage, OnPayment } from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import { deliver, paymentsOptions, startWebhookApp, type WebhookApp } from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

let handled = 0;

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(): void {
    handled += 1;
  }
}

let running: WebhookApp;

afterEach(async () => {
  vi.useRealTimers();
  await running.app.close();
});

it.each(['inbox.claim', 'journal.get'] as const)(
  'a webhook is answered 503 after five seconds while the storage hangs in %s',
  async (where) => {
    handled = 0;
    // A copy is not known to answer at once, as the package's own is.
    const storage = { ...memoryStorage() };
    let hangs = (): void => undefined;
    const hanging = new Promise<void>((resolve) => (hangs = resolve));
    const forever = (): Promise<never> => {
      hangs();
      return new Promise(() => undefined);
    };
    const broken =
      where === 'inbox.claim'
        ? vi.spyOn(storage.inbox, 'claim').mockImplementation(forever)
        : vi.spyOn(storage.journal, 'get').mockImplementation(forever);
    running = await startWebhookApp('express', {
      controllers: [WebhooksController],
      providers: [Orders],
      payments: [paymentsOptions({}, { storage })],
    });
    // Nothing else in this process may see the clock turn.
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'clearInterval'],
    });
    const event = paymentEvent('payment.success', { reference: 'order-1' });
    const answer = deliver(running.port, event);
    await hanging;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(handled).toBe(0);
    broken.mockRestore();
    vi.useRealTimers();
    expect((await deliver(running.port, event)).status).toBe(200);
    expect(handled).toBe(1);
  },
);
