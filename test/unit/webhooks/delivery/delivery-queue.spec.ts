import { describe, expect, it } from 'vitest';
import { type PaymentWebhookEvent } from '../../../../lib/common/events.js';
import { type InboxScope } from '../../../../lib/common/vocabulary.js';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { queuedDelivery } from '../../../../lib/webhooks/delivery/delivery-queue.js';

const scope: InboxScope = { account: 'default', environment: 'sandbox' };
const event = paymentEvent('payment.success', { reference: 'order-1', amount: '1180.50' });

function idOf(
  change: Partial<PaymentWebhookEvent> = {},
  from: Partial<InboxScope> = {},
  bodyHash = 'b1',
): string {
  const webhook = { event: { ...event, ...change }, bodyHash: () => bodyHash, deliveredAt: new Date() };
  return queuedDelivery({ ...scope, ...from }, webhook).id;
}

describe('a delivery for a queue', () => {
  it('survives JSON', () => {
    const deliveredAt = new Date(1_800_000_000_123);
    const delivery = queuedDelivery(scope, { event, bodyHash: () => 'b1', deliveredAt });
    expect(delivery).toEqual({
      id: idOf(),
      account: 'default',
      environment: 'sandbox',
      event,
      bodyHash: 'b1',
      deliveredAt: 1_800_000_000_123,
    });
    expect(JSON.parse(JSON.stringify(delivery))).toEqual(delivery);
    expect(delivery.id).toMatch(/^[\da-f]{64}$/);
  });

  it('has one id, whenever the outcome was generated and delivered', () => {
    expect(idOf({ created_at: new Date(0).toISOString() }, {}, 'b2')).toBe(idOf());
  });

  it.each<[string, Parameters<typeof idOf>]>([
    ['event', [{ event: 'payment.failed', data: { ...event.data, status: 'failed' } }]],
    ['reference', [{ data: { ...event.data, reference: 'order-2' } }]],
    ['amount', [{ data: { ...event.data, amount: '1180.51' } }]],
    ['provider reference', [{ data: { ...event.data, provider_reference: 'another' } }]],
    ['account', [{}, { account: 'payouts' }]],
    ['environment', [{}, { environment: 'production' }]],
  ])('has another id for another %s', (_what, [change, from]) => {
    expect(idOf(change, from)).not.toBe(idOf());
  });

  it('is identified by its body if the event is not in the specification', () => {
    const unknown = { event: 'payment.refunded' };
    expect(idOf(unknown, {}, 'b1')).toBe(idOf(unknown, {}, 'b1'));
    expect(idOf(unknown, {}, 'b2')).not.toBe(idOf(unknown, {}, 'b1'));
  });
});
