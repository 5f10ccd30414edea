import { afterEach, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { type ResolvedWebhookOptions } from '../../../../lib/config/resolved-options.js';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { type DeliveryDispatcher } from '../../../../lib/webhooks/delivery/delivery-dispatcher.js';
import { RunningWork } from '../../../../lib/webhooks/delivery/handler-runner.js';
import { DONE, type WebhookAnswer } from '../../../../lib/webhooks/delivery/webhook-answer.js';
import { WebhookReceiver } from '../../../../lib/webhooks/delivery/webhook-receiver.js';

afterEach(() => {
  vi.restoreAllMocks();
});

it('says which delivery still runs when nobody waits any longer, and takes no other meanwhile', async () => {
  const warnings = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  let finish: (answer: WebhookAnswer) => void = () => undefined;
  const dispatch = vi.fn(() => new Promise<WebhookAnswer>((resolve) => (finish = resolve)));
  const options = { scheme: { name: 'own' }, handlerTimeoutMs: 5 } as ResolvedWebhookOptions;
  const scope = { account: 'default', environment: 'sandbox' } as const;
  const dispatcher = { dispatch } as unknown as DeliveryDispatcher;
  const receiver = new WebhookReceiver(scope, options, dispatcher, new RunningWork(), 'memory');
  const event = paymentEvent('payment.success', { reference: 'order-1' });
  const webhook = { event, bodyHash: () => '', deliveredAt: new Date() };

  receiver.open();
  const answer = receiver.receive(webhook);
  await receiver.close();
  expect(warnings.mock.calls.map(([line]) => line as string)).toEqual([
    '"payment.success" for the reference "order-1" still runs 5 ms after the application began to stop; nobody waits any longer.',
  ]);
  expect(await receiver.receive(webhook)).toEqual({ status: 503, retryAfterSeconds: 5 });
  expect(dispatch).toHaveBeenCalledTimes(1);
  finish(DONE);
  expect(await answer).toEqual({ status: 200 });
});
