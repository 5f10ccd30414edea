import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Bakery, PHONE } from '../support/bakery.js';
import '../support/matchers.js';

describe('a payment on the phone', () => {
  let bakery: Bakery;

  beforeEach(async () => {
    bakery = await Bakery.open();
  });
  afterEach(() => bakery.close());

  it('an order is paid and baked once after the customer approves', async () => {
    const order = await bakery.ordered({ cakes: 2 });
    expect(order).toMatchObject({ status: 'awaiting-customer', amount: '36000.00' });
    await bakery.gateway.customer(PHONE).approve(order.reference); // resolves when the webhook was answered
    expect(await bakery.statusOf(order)).toBe('paid');
    expect(bakery.baked).toEqual([order.reference]);
    expect(bakery.gateway).toHaveCollection(order.reference, { status: 'success', amount: '36000.00' });
    expect(bakery.gateway).toHavePaidOnce(order.reference);
    expect(bakery.gateway).toHaveNoFailedDeliveries();
  });

  it.each([
    ['decline', 'failed'],
    ['cancel', 'cancelled'],
  ] as const)('an order is not baked after %s', async (what, status) => {
    const order = await bakery.ordered();
    await bakery.gateway.customer(PHONE)[what](order.reference);
    expect(await bakery.statusOf(order)).toBe(status);
    expect(bakery.baked).toEqual([]);
  });

  it('a payment expires if the customer does not decide within 15 minutes', async () => {
    const order = await bakery.ordered();
    await bakery.gateway.clock.advance('14m');
    expect(await bakery.statusOf(order)).toBe('awaiting-customer');
    await bakery.gateway.clock.advance('1m');
    expect(await bakery.statusOf(order)).toBe('expired');
    expect(bakery.gateway).toHaveDelivered('payment.expired', { reference: order.reference, attempts: 1 });
  });

  it('the last four digits of the phone choose the outcome', async () => {
    const order = await bakery.ordered({ phone: '255700000003' }); // declined after two seconds
    await bakery.gateway.clock.advance('2s');
    expect(await bakery.statusOf(order)).toBe('cancelled');
  });
});
