import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { paymentEvent } from 'nestjs-payments/testing';
import { OvenService } from '../../src/orders/oven.service.js';
import { Bakery, PHONE } from '../support/bakery.js';
import '../support/matchers.js';

describe('a webhook that has a hard way', () => {
  let bakery: Bakery;

  beforeEach(async () => {
    bakery = await Bakery.open();
  });
  afterEach(() => bakery.close());

  it('an order waits for a late webhook', async () => {
    const order = await bakery.ordered({ phone: '255700000009' }); // its first three deliveries are lost
    await bakery.gateway.clock.advance('6m');
    expect(bakery.gateway).toHaveCollection(order.reference, { status: 'success' });
    expect(await bakery.statusOf(order)).toBe('awaiting-customer');
    await bakery.gateway.clock.advance('30m');
    expect(await bakery.statusOf(order)).toBe('paid');
    expect(bakery.gateway).toHaveDelivered('payment.success', { reference: order.reference, attempts: 4 });
  });

  it('a cake is baked once if the webhook comes twice', async () => {
    const order = await bakery.ordered({ phone: '255700000007' });
    await bakery.gateway.clock.advance('2s');
    expect(bakery.gateway).toHaveDelivered('payment.success', { reference: order.reference, attempts: 2 });
    expect(bakery.baked).toEqual([order.reference]);
  });

  it('a paid order stays paid if the webhook overtakes the answer', async () => {
    const { body, status } = await bakery.order({ phone: '255700000008' });
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'paid' } });
  });

  it('an order of which another amount was paid is not baked, and a person looks at it', async () => {
    const { reference } = await bakery.ordered();
    await bakery.deliver(paymentEvent('payment.success', { reference, amount: '1.00' }));
    expect(await bakery.statusOf({ reference })).toBe('in-review');
    expect(bakery.baked).toEqual([]);
  });

  it('an order whose customer was charged twice stays paid, and is baked once', async () => {
    const { reference, amount } = await bakery.ordered();
    await bakery.gateway.customer(PHONE).approve(reference);
    await bakery.deliver(paymentEvent('payment.success', { reference, amount, provider_reference: 'twice' }));
    expect(await bakery.statusOf({ reference })).toBe('paid');
    expect(bakery.baked).toEqual([reference]);
  });

  it('an order that is paid after its payment had failed is not baked, and a person looks at it', async () => {
    const { reference, amount } = await bakery.ordered();
    await bakery.gateway.customer(PHONE).decline(reference);
    await bakery.deliver(paymentEvent('payment.cancelled', { reference, amount }));
    expect(await bakery.statusOf({ reference })).toBe('failed');
    await bakery.deliver(paymentEvent('payment.success', { reference, amount }));
    expect(await bakery.statusOf({ reference })).toBe('in-review');
    expect(bakery.baked).toEqual([]);
  });

  it('a forged webhook does not count, and the genuine one does', async () => {
    const order = await bakery.ordered({ phone: '255700000010' });
    await bakery.gateway.clock.advance('2s');
    const [delivery] = bakery.gateway.deliveries();
    expect(delivery?.attempts).toMatchObject([
      { forged: true, status: 401 },
      { forged: false, status: 200 },
    ]);
    expect(bakery.baked).toEqual([order.reference]);
  });

  it('the gateway delivers a webhook again if its handler fails', async () => {
    const order = await bakery.ordered();
    jest.spyOn(bakery.app.get(OvenService), 'bake').mockImplementationOnce(() => {
      throw new Error('The oven is cold.');
    });
    await bakery.gateway.customer(PHONE).approve(order.reference);
    expect(await bakery.statusOf(order)).toBe('awaiting-customer');
    await bakery.gateway.clock.advance('5s');
    expect(await bakery.statusOf(order)).toBe('paid');
    expect(bakery.baked).toEqual([order.reference]);
    expect(bakery.gateway).toHaveDelivered('payment.success', { reference: order.reference, attempts: 2 });
  });
});
