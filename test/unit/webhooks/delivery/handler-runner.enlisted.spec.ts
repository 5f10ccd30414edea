import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { HandlerEnlistments } from '../../../../lib/journal/payment/handler-enlistments.js';
import { type InboxClaim } from '../../../../lib/storage/inbox-store.js';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { HandlerRunner, RunningWork } from '../../../../lib/webhooks/delivery/handler-runner.js';
import { WebhookTrace } from '../../../../lib/webhooks/delivery/webhook-trace.js';

const event = paymentEvent('payment.success', { reference: 'order-1' });

beforeAll(() => {
  HandlerEnlistments.expect();
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Runs a handler that enlists a payment, and gives what happened in its order. */
async function handle(end: 'committed' | 'lost its claim' | 'nobody knows' | 'thrown'): Promise<string[]> {
  vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
  const order: string[] = [];
  const claim: InboxClaim = {
    attempt: 1,
    finished: [],
    transaction: {},
    mark: () => Promise.resolve(true),
    finish: async () => {
      await Promise.resolve();
      order.push('the end of the claim');
      if (end === 'nobody knows') throw new Error('the answer to COMMIT is lost');
      return end === 'committed';
    },
    fail: () => Promise.resolve(),
    withdraw: () => Promise.resolve(),
  };
  const pay = async (): Promise<void> => {
    await Promise.resolve();
    HandlerEnlistments.add(() => Promise.resolve(void order.push('the payment is sent')));
    if (end === 'thrown') throw new Error('no stock');
  };
  const webhook = {
    event,
    bodyHash: () => '',
    deliveredAt: new Date(),
    trace: new WebhookTrace('default', event, 'request'),
  };
  const runner = new HandlerRunner(
    'default',
    { handlerTimeoutMs: 1_000, leaseMs: 60_000 },
    new RunningWork(),
  );
  await runner
    .run(claim, { known: true, handlers: [{ name: 'Orders.paid', run: pay }], done: () => {} }, webhook)
    .catch(() => undefined);
  return order;
}

it('sends what handlers enlisted after the end of their claim', async () => {
  expect(await handle('committed')).toEqual(['the end of the claim', 'the payment is sent']);
});

it.each(['lost its claim', 'nobody knows', 'thrown'] as const)(
  'sends nothing that handlers enlisted if their run is not recorded: %s',
  async (end) => {
    expect(await handle(end)).not.toContain('the payment is sent');
  },
);
