import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OvenService } from '../../src/orders/oven.service.js';
import { Bakery, PHONE } from '../support/bakery.js';
import '../support/matchers.js';

describe('a webhook that has a hard way', () => {
  let bakery: Bakery;

  beforeEach(async () => {
    bakery = await Bakery.open();
  });
  afterEach(() => bakery.close());

  it('comes late: the order waits as long as it takes', async () => {
    const order = await bakery.ordered({ phone: '255700000009' }); // its first three deliveries are lost
    await bakery.gateway.clock.advance('6m');
    expect(bakery.gateway).toHaveCollection(order.reference, { status: 'success' });
    expect(await bakery.statusOf(order)).toBe('awaiting-customer');
    await bakery.gateway.clock.advance('30m');
    expect(await bakery.statusOf(order)).toBe('paid');
    expect(bakery.gateway).toHaveDelivered('payment.success', { reference: order.reference, attempts: 4 });
  });

  it('comes twice: the cake is baked once', async () => {
    const order = await bakery.ordered({ phone: '255700000007' });
    await bakery.gateway.clock.advance('2s');
    expect(bakery.gateway).toHaveDelivered('payment.success', { reference: order.reference, attempts: 2 });
    expect(bakery.baked).toEqual([order.reference]);
  });

  it('overtakes the answer: the answer does not turn a paid order back', async () => {
    const { body, status } = await bakery.order({ phone: '255700000008' });
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'paid' } });
  });

  it('is forged first: only the right one counts', async () => {
    const order = await bakery.ordered({ phone: '255700000010' });
    await bakery.gateway.clock.advance('2s');
    const [delivery] = bakery.gateway.deliveries();
    expect(delivery?.attempts).toMatchObject([
      { forged: true, status: 401 },
      { forged: false, status: 200 },
    ]);
    expect(bakery.baked).toEqual([order.reference]);
  });

  it('meets a handler that fails: the gateway delivers it again', async () => {
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
