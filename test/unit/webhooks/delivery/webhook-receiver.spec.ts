import { afterEach, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { InFlight } from '../../../../lib/common/in-flight.js';
import { onPaymentsDiagnostics, type PaymentsDiagnostics } from '../../../../lib/common/diagnostics.js';
import {
  WEBHOOK_END_CHANNEL,
  WEBHOOK_HANDLER_END_CHANNEL,
  WEBHOOK_HANDLER_START_CHANNEL,
  WEBHOOK_START_CHANNEL,
} from '../../../../lib/common/webhook-diagnostics.js';
import { type ResolvedWebhookOptions } from '../../../../lib/config/resolved-options.js';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { type DeliveryDispatcher } from '../../../../lib/webhooks/delivery/delivery-dispatcher.js';
import { RunningWork } from '../../../../lib/webhooks/delivery/handler-runner.js';
import { queuedDelivery } from '../../../../lib/webhooks/delivery/delivery-queue.js';
import { DONE, type WebhookAnswer } from '../../../../lib/webhooks/delivery/webhook-answer.js';
import { type TracedWebhook } from '../../../../lib/webhooks/delivery/webhook-trace.js';
import { WebhookReceiver } from '../../../../lib/webhooks/delivery/webhook-receiver.js';

const SCOPE = { account: 'default', environment: 'sandbox' } as const;
const OPTIONS = { scheme: { name: 'own' }, keys: [] } as unknown as ResolvedWebhookOptions;

afterEach(() => {
  vi.restoreAllMocks();
});

it('says which delivery still runs when nobody waits any longer, and takes no other meanwhile', async () => {
  const warnings = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  let finish: (answer: WebhookAnswer) => void = () => undefined;
  const dispatch = vi.fn(() => new Promise<WebhookAnswer>((resolve) => (finish = resolve)));
  const options = { ...OPTIONS, handlerTimeoutMs: 5 };
  const dispatcher = { dispatch } as unknown as DeliveryDispatcher;
  const receiver = new WebhookReceiver(
    SCOPE,
    options,
    dispatcher,
    new RunningWork(),
    new InFlight(1),
    'memory',
  );
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

it.each([
  ['conflict', 'releaseInstead'],
  ['mismatch', 'releaseInstead'],
  ['unrecognized', 'dispatch'],
  ['unknown-reference', 'dispatch'],
] as const)('releases a %s as what it was when it came first', async (kind, how) => {
  const work = vi.fn((_webhook: TracedWebhook) => Promise.resolve(DONE));
  const dispatcher = { [how]: work } as unknown as DeliveryDispatcher;
  const receiver = new WebhookReceiver(
    SCOPE,
    OPTIONS,
    dispatcher,
    new RunningWork(),
    new InFlight(1),
    'memory',
  );
  const event = paymentEvent('payment.success', { reference: 'order-1' });
  const payload = JSON.stringify(event);
  const firstSeenAt = 1_800_000_000_123;
  const conflict = {
    ...SCOPE,
    id: '1',
    kind,
    fingerprint: 'f',
    event: event.event,
    reference: 'order-1',
    payload,
  };

  receiver.open();
  expect(await receiver.release({ ...conflict, seen: 2, firstSeenAt })).toEqual(DONE);
  expect(work.mock.calls[0]?.[0]).toMatchObject({ event, deliveredAt: new Date(firstSeenAt) });
  expect(work.mock.calls[0]?.[0].bodyHash()).toBe('f');
});

it('releases nothing after it was closed', async () => {
  const releaseInstead = vi.fn(() => Promise.resolve(DONE));
  const dispatcher = { releaseInstead } as unknown as DeliveryDispatcher;
  const receiver = new WebhookReceiver(
    SCOPE,
    OPTIONS,
    dispatcher,
    new RunningWork(),
    new InFlight(1),
    'memory',
  );
  const event = paymentEvent('payment.success', { reference: 'order-1' });
  const conflict = {
    ...SCOPE,
    id: '1',
    kind: 'conflict' as const,
    fingerprint: 'f',
    event: event.event,
    reference: 'order-1',
    payload: JSON.stringify(event),
    seen: 1,
    firstSeenAt: 0,
  };

  receiver.open();
  await receiver.close();
  expect(await receiver.release(conflict)).toEqual({ status: 503, retryAfterSeconds: 5 });
  expect(releaseInstead).not.toHaveBeenCalled();
});

it('works on a delivery of a queue as it was when it came', async () => {
  const dispatch = vi.fn((_webhook: TracedWebhook) => Promise.resolve(DONE));
  const receiver = new WebhookReceiver(
    SCOPE,
    OPTIONS,
    { dispatch } as unknown as DeliveryDispatcher,
    new RunningWork(),
    new InFlight(1),
    'memory',
  );
  const event = paymentEvent('payment.refunded', { reference: 'order-1' });
  const deliveredAt = new Date(1_800_000_000_123);
  const queued = await queuedDelivery(SCOPE, { event, bodyHash: () => 'the hash of its bytes', deliveredAt });

  expect(await receiver.work(queued)).toEqual(DONE);
  expect(dispatch.mock.calls[0]?.[0]).toMatchObject({ event, deliveredAt });
  expect(dispatch.mock.calls[0]?.[0].bodyHash()).toBe('the hash of its bytes');
});

it.each<keyof PaymentsDiagnostics | undefined>([
  undefined,
  WEBHOOK_START_CHANNEL,
  WEBHOOK_HANDLER_START_CHANNEL,
  WEBHOOK_HANDLER_END_CHANNEL,
  WEBHOOK_END_CHANNEL,
])('traces a delivery if a channel has a listener when it begins, for example %s', async (channel) => {
  const stop = channel && onPaymentsDiagnostics(channel, () => {});
  const dispatch = vi.fn((_webhook: TracedWebhook) => Promise.resolve(DONE));
  const dispatcher = { dispatch } as unknown as DeliveryDispatcher;
  const receiver = new WebhookReceiver(
    SCOPE,
    OPTIONS,
    dispatcher,
    new RunningWork(),
    new InFlight(1),
    'memory',
  );
  receiver.open();
  const event = paymentEvent('payment.success');
  await receiver.receive({ event, bodyHash: () => '', deliveredAt: new Date() });
  stop?.();
  expect(dispatch.mock.calls[0]?.[0].trace !== undefined).toBe(channel !== undefined);
});

it('refuses a new delivery if there is no place, but nothing that a queue or an operator brings', async () => {
  vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const places = new InFlight(1);
  const dispatch = vi.fn((_webhook: TracedWebhook) => Promise.resolve(DONE));
  const dispatcher = { dispatch } as unknown as DeliveryDispatcher;
  const receiver = new WebhookReceiver(SCOPE, OPTIONS, dispatcher, new RunningWork(), places, 'memory');
  receiver.open();
  const webhook = { event: paymentEvent('payment.success'), bodyHash: () => '', deliveredAt: new Date() };
  let end = (): void => undefined;
  const full = places.hold(new Promise<void>((resolve) => (end = resolve)));
  expect(await receiver.receive(webhook)).toEqual({ status: 503, retryAfterSeconds: 5 });
  expect(dispatch).not.toHaveBeenCalled();
  expect(await receiver.work(await queuedDelivery(SCOPE, webhook))).toEqual(DONE);
  const payload = JSON.stringify(webhook.event);
  const setAside = { ...SCOPE, id: '1', kind: 'unrecognized' as const, fingerprint: 'f', payload, seen: 1 };
  const released = { ...setAside, event: 'payment.success', reference: 'order-1', firstSeenAt: 0 };
  expect(await receiver.release(released)).toEqual(DONE);
  end();
  await full;
  expect(await receiver.receive(webhook)).toEqual(DONE);
});
