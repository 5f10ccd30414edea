import { describe, expect, it } from 'vitest';
import { type PaymentWebhookEvent } from '../../../../lib/common/events.js';
import { type InboxScope } from '../../../../lib/common/vocabulary.js';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { queuedDelivery } from '../../../../lib/webhooks/delivery/delivery-queue.js';

const scope: InboxScope = { account: 'default', environment: 'sandbox' };
const event = paymentEvent('payment.success', { reference: 'order-1', amount: '1180.50' });

async function idOf(
  change: Partial<PaymentWebhookEvent> = {},
  from: Partial<InboxScope> = {},
  bodyHash = 'b1',
): Promise<string> {
  const webhook = { event: { ...event, ...change }, bodyHash: () => bodyHash, deliveredAt: new Date() };
  return (await queuedDelivery({ ...scope, ...from }, webhook)).id;
}

describe('a delivery for a queue', () => {
  it('survives JSON', async () => {
    const deliveredAt = new Date(1_800_000_000_123);
    const delivery = await queuedDelivery(scope, { event, bodyHash: () => 'b1', deliveredAt });
    expect(delivery).toEqual({
      id: await idOf(),
      account: 'default',
      environment: 'sandbox',
      event,
      bodyHash: 'b1',
      deliveredAt: 1_800_000_000_123,
    });
    expect(JSON.parse(JSON.stringify(delivery))).toEqual(delivery);
    expect(delivery.id).toMatch(/^[\da-f]{64}$/);
  });

  it('has one id, whenever the outcome was generated and delivered', async () => {
    expect(await idOf({ created_at: new Date(0).toISOString() }, {}, 'b2')).toBe(await idOf());
  });

  it.each<[string, Parameters<typeof idOf>]>([
    ['event', [{ event: 'payment.failed', data: { ...event.data, status: 'failed' } }]],
    ['reference', [{ data: { ...event.data, reference: 'order-2' } }]],
    ['amount', [{ data: { ...event.data, amount: '1180.51' } }]],
    ['provider reference', [{ data: { ...event.data, provider_reference: 'another' } }]],
    ['account', [{}, { account: 'payouts' }]],
    ['environment', [{}, { environment: 'production' }]],
  ])('has another id for another %s', async (_what, [change, from]) => {
    expect(await idOf(change, from)).not.toBe(await idOf());
  });

  it('is identified by its body if the event is not in the specification', async () => {
    const unknown = { event: 'payment.refunded' };
    expect(await idOf(unknown, {}, 'b1')).toBe(await idOf(unknown, {}, 'b1'));
    expect(await idOf(unknown, {}, 'b2')).not.toBe(await idOf(unknown, {}, 'b1'));
  });
});
