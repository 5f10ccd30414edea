import { afterEach, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { type InboxClaim } from '../../../../lib/common/storage-port.js';
import { PaymentsStorageError } from '../../../../lib/errors/payments-errors.js';
import { ChangedMeanwhileError } from '../../../../lib/journal/outcomes/webhook-outcomes.js';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { HandlerRunner, RunningWork } from '../../../../lib/webhooks/delivery/handler-runner.js';
import { type TracedWebhook, WebhookTrace } from '../../../../lib/webhooks/delivery/webhook-trace.js';

const event = paymentEvent('payment.success', { reference: 'order-1' });
const TIMES = { handlerTimeoutMs: 5, leaseMs: 61_005 };
const CHANGED = new ChangedMeanwhileError('settled', 'order-1');
const webhook = (): TracedWebhook => ({
  event,
  bodyHash: () => '',
  deliveredAt: new Date(),
  trace: new WebhookTrace('default', event, 'request'),
});

afterEach(() => {
  vi.restoreAllMocks();
});

it.each<[what: string, error: Error, finished: string[], given: string, answer: object]>([
  [
    'its payment changed before anything was done',
    CHANGED,
    [],
    'withdraw',
    { status: 503, retryAfterSeconds: 5 },
  ],
  [
    'its payment changed after a step',
    CHANGED,
    ['Orders.first'],
    'fail',
    { status: 503, retryAfterSeconds: 5 },
  ],
  ['the storage failed', new PaymentsStorageError('away'), [], 'fail', { status: 503, retryAfterSeconds: 5 }],
  ['a handler failed', new Error('no stock'), [], 'fail', { status: 500 }],
])('gives the claim back where %s', async (_, error, finished, given, expected) => {
  vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
  const ends = { finish: vi.fn(() => Promise.resolve(true)), fail: vi.fn(() => Promise.resolve()) };
  const withdraw = vi.fn(() => Promise.resolve());
  const claim: InboxClaim = { attempt: 2, finished, mark: () => Promise.resolve(true), withdraw, ...ends };
  const handlers = [
    { name: 'Orders.first', run: () => Promise.reject(error) },
    { name: 'Orders.second', run: () => Promise.reject(error) },
  ];
  const answer = await new HandlerRunner('default', TIMES, new RunningWork()).run(
    claim,
    { known: true, handlers, done: () => {} },
    webhook(),
  );
  expect(answer).toEqual(expected);
  const called = Object.entries({ ...ends, withdraw }).filter(([, end]) => end.mock.calls.length > 0);
  expect(called.map(([name]) => name)).toEqual([given]);
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
  const work = new HandlerRunner('default', TIMES, running);

  const answer = await work.run(
    claim,
    { known: true, handlers: [{ name: 'Orders.paid', run: () => handled }], done: () => {} },
    webhook(),
  );

  expect(answer).toEqual({ status: 503, retryAfterSeconds: 61 });
  const subject = '"payment.success" for the reference "order-1"';
  expect(lines).toEqual([`Orders.paid takes longer than 5 ms for ${subject} and runs on; answered 503.`]);
  finishHandler();
  await told;
  expect(lines[1]).toBe(`The end of ${subject} could not be recorded: Error`);
  expect(await running.idle(1_000)).toEqual([]);
});
