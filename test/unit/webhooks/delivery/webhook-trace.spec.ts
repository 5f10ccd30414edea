import { afterEach, describe, expect, it } from 'vitest';
import { onPaymentsDiagnostics, type PaymentsDiagnostics } from '../../../../lib/common/diagnostics.js';
import {
  WEBHOOK_END_CHANNEL,
  WEBHOOK_HANDLER_END_CHANNEL,
  WEBHOOK_HANDLER_START_CHANNEL,
  WEBHOOK_START_CHANNEL,
} from '../../../../lib/common/webhook-diagnostics.js';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { DONE, type WebhookAnswer } from '../../../../lib/webhooks/delivery/webhook-answer.js';
import { WebhookTrace } from '../../../../lib/webhooks/delivery/webhook-trace.js';

const CHANNELS = [
  WEBHOOK_START_CHANNEL,
  WEBHOOK_HANDLER_START_CHANNEL,
  WEBHOOK_HANDLER_END_CHANNEL,
  WEBHOOK_END_CHANNEL,
] as const;
type Channel = (typeof CHANNELS)[number];

describe('what is reported of a delivery', () => {
  const stops: (() => void)[] = [];
  const hear = (...channels: readonly Channel[]) => {
    const heard: { readonly channel: Channel; readonly event: PaymentsDiagnostics[Channel] }[] = [];
    for (const channel of channels) {
      stops.push(
        onPaymentsDiagnostics(channel, (event) => {
          heard.push({ channel, event });
        }),
      );
    }
    return heard;
  };
  const deliver = (event = paymentEvent('payment.success', { reference: 'order-1' })) => {
    const trace = new WebhookTrace('default', event, 'request');
    return trace.around(async (): Promise<WebhookAnswer> => {
      trace.claimed('outcome', 'claimed');
      return trace.step('Orders.paid', 1, () => Promise.resolve(DONE));
    });
  };

  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  it('has one delivery id from the start to the end, and another one for the next delivery', async () => {
    const heard = hear(...CHANNELS);
    await deliver();
    await deliver();
    expect(heard.map(({ channel }) => channel)).toEqual([...CHANNELS, ...CHANNELS]);
    const ids = heard.map(({ event }) => event.deliveryId);
    expect(new Set(ids.slice(0, 4)).size).toBe(1);
    expect(new Set(ids).size).toBe(2);
  });

  it.each<[what: string, told: (trace: WebhookTrace) => void, end: object]>([
    [
      'handled',
      (trace) => {
        trace.claimed('outcome', 'claimed');
      },
      { kind: 'outcome', result: 'handled' },
    ],
    [
      'repeated',
      (trace) => {
        trace.claimed('outcome', 'done');
      },
      { kind: 'outcome', result: 'repeated' },
    ],
    [
      'forgotten',
      (trace) => {
        trace.claimed('outcome', 'missing');
      },
      { kind: 'outcome', result: 'repeated' },
    ],
    [
      'set aside',
      (trace) => {
        trace.note('handled', 'mismatch');
      },
      { kind: 'mismatch' },
    ],
    [
      'queued',
      (trace) => {
        trace.note('queued');
      },
      { result: 'queued' },
    ],
  ])('ends as what was done with it: %s', async (_, tell, end) => {
    const heard = hear(WEBHOOK_END_CHANNEL);
    const trace = new WebhookTrace('default', paymentEvent('payment.success'), 'request');
    await trace.around(() => {
      tell(trace);
      return Promise.resolve(DONE);
    });
    expect(heard).toMatchObject([{ event: { ...end, status: 200 } }]);
    // What no inbox was asked for is of no kind.
    expect(Object.hasOwn(heard[0]?.event ?? {}, 'kind')).toBe('kind' in end);
  });

  it('says how long the work and each step took', async () => {
    const heard = hear(WEBHOOK_HANDLER_END_CHANNEL, WEBHOOK_END_CHANNEL);
    const startedAt = performance.now();
    await deliver();
    const atMost = Math.ceil(performance.now() - startedAt);
    const times = heard.map(({ event }) => ('durationMs' in event ? event.durationMs : undefined));
    expect(times).toHaveLength(2);
    for (const time of times) {
      expect(time).toBeGreaterThanOrEqual(0);
      expect(time).toBeLessThanOrEqual(atMost);
    }
  });

  it.each([
    ['the class of an error', new RangeError('secret'), { error: 'RangeError' }],
    ['nothing of what is no error', 'secret', {}],
  ])('says that a handler failed, and %s', async (_what, thrown, said) => {
    const heard = hear(WEBHOOK_HANDLER_END_CHANNEL);
    const trace = new WebhookTrace('default', paymentEvent('payment.success'), 'request');
    const step = trace.step('Orders.paid', 2, () => Promise.reject(thrown as Error));
    await expect(step).rejects.toBe(thrown);
    const { deliveryId, durationMs, ...end } = heard[0]
      ?.event as PaymentsDiagnostics[typeof WEBHOOK_HANDLER_END_CHANNEL];
    expect([deliveryId, durationMs]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(end).toEqual({
      account: 'default',
      event: 'payment.success',
      reference: expect.any(String) as unknown,
      handler: 'Orders.paid',
      attempt: 2,
      outcome: 'failed',
      ...said,
    });
  });

  it.each(CHANNELS)('reaches who listens to nothing but %s', async (channel) => {
    const heard = hear(channel);
    await deliver();
    expect(heard).toMatchObject([{ channel, event: { account: 'default', reference: 'order-1' } }]);
  });

  it('reads nothing of the event if no channel has a listener', async () => {
    const unreadable = new Proxy(paymentEvent('payment.success'), {
      get: () => {
        throw new Error('read');
      },
    });
    await expect(deliver(unreadable)).resolves.toBe(DONE);
    hear(WEBHOOK_END_CHANNEL);
    await expect(deliver(unreadable)).rejects.toThrow('read');
  });
});
