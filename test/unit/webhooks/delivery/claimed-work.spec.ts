import { afterEach, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { type InboxClaim } from '../../../../lib/common/storage-port.js';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { ClaimedWork, RunningWork } from '../../../../lib/webhooks/delivery/handler-runner.js';
import { WebhookTrace } from '../../../../lib/webhooks/delivery/webhook-trace.js';

const event = paymentEvent('payment.success', { reference: 'order-1' });

afterEach(() => {
  vi.restoreAllMocks();
});

it('logs that the end of handlers that ran on could not be recorded, without what the storage said', async () => {
  let tell = (): void => {};
  const told = new Promise<void>((resolve) => (tell = resolve));
  const lines: string[] = [];
  vi.spyOn(Logger.prototype, 'error').mockImplementation((line: unknown) => {
    if (lines.push(String(line)) === 2) tell();
  });
  let finishHandler = (): void => {};
  const handled = new Promise<void>((resolve) => (finishHandler = resolve));
  const claim: InboxClaim = {
    attempt: 1,
    finished: [],
    // In a transaction the end is not tried again.
    transaction: {},
    mark: () => Promise.resolve(true),
    finish: () => Promise.reject(new Error('secret of order-1')),
    fail: () => Promise.resolve(),
    withdraw: () => Promise.resolve(),
  };
  const running = new RunningWork();
  const work = new ClaimedWork('default', { handlerTimeoutMs: 5, leaseMs: 61_005 }, running);

  const answer = await work.run(
    claim,
    { known: true, handlers: [{ name: 'Orders.paid', run: () => handled }], done: () => {} },
    {
      event,
      bodyHash: () => '',
      deliveredAt: new Date(),
      trace: new WebhookTrace('default', event, 'request'),
    },
  );

  expect(answer).toEqual({ status: 503, retryAfterSeconds: 61 });
  const subject = '"payment.success" for the reference "order-1"';
  expect(lines).toEqual([`Orders.paid takes longer than 5 ms for ${subject} and runs on; answered 503.`]);
  finishHandler();
  await told;
  expect(lines[1]).toBe(`The end of ${subject} could not be recorded: Error`);
  expect(await running.idle(1_000)).toEqual([]);
});
