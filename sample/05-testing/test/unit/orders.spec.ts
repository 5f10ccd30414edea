import { beforeEach, describe, expect, it } from '@jest/globals';
import { paymentEvent } from 'nestjs-payments/testing';
import { OrdersService } from '../../src/orders/orders.service.js';
import { OvenService } from '../../src/orders/oven.service.js';
import { BUYER } from '../support/buyer.js';

// Handlers are methods: called with an event, without Nest, without HTTP.
describe('an order', () => {
  let oven: OvenService;
  let orders: OrdersService;

  beforeEach(() => {
    oven = new OvenService();
    orders = new OrdersService(oven);
  });

  it('an order is paid and baked when its payment succeeds', () => {
    const { reference, amount } = orders.open(BUYER);
    orders.paid(paymentEvent('payment.success', { reference, amount }));
    expect(orders.find(reference)).toMatchObject({ status: 'paid', amount: '36000.00' });
    expect(oven.baked).toEqual([reference]);
  });

  it('an order is baked once, however often its success is handled', () => {
    const { reference, amount } = orders.open(BUYER);
    const success = paymentEvent('payment.success', { reference, amount });
    orders.paid(success);
    orders.paid(success);
    expect(oven.baked).toEqual([reference]);
  });

  it('an order is not baked if another amount was paid', () => {
    const { reference } = orders.open(BUYER);
    orders.paid(paymentEvent('payment.success', { reference, amount: '1.00' }));
    expect(orders.find(reference).status).toBe('in-review');
    expect(oven.baked).toEqual([]);
  });

  it.each(['failed', 'cancelled', 'expired'] as const)(
    'an order is not baked if its payment %s',
    (outcome) => {
      const { reference } = orders.open(BUYER);
      orders[outcome](paymentEvent(`payment.${outcome}`, { reference }));
      expect(orders.find(reference).status).toBe(outcome);
      expect(oven.baked).toEqual([]);
    },
  );

  it.each(['failed', 'cancelled', 'expired'] as const)(
    'an order that is paid stays so if its payment %s later, and is not baked again',
    (outcome) => {
      const { reference, amount } = orders.open(BUYER);
      const success = paymentEvent('payment.success', { reference, amount });
      orders.paid(success);
      orders[outcome](paymentEvent(`payment.${outcome}`, { reference }));
      expect(orders.find(reference).status).toBe('paid');
      orders.paid(success);
      expect(oven.baked).toEqual([reference]);
    },
  );

  it('an order of which another amount was paid stays with the person who looks at it', () => {
    const { reference } = orders.open(BUYER);
    orders.paid(paymentEvent('payment.success', { reference, amount: '1.00' }));
    orders.failed(paymentEvent('payment.failed', { reference }));
    expect(orders.find(reference).status).toBe('in-review');
  });

  it.each([{ cakes: 3 }, { phone: '255754000111' }, { name: 'Neema Mushi' }, { email: 'neema@example.com' }])(
    'an order that is sent again with %j is refused, and stays as it was',
    (change) => {
      const placed = orders.open(BUYER);
      expect(() => orders.open({ ...BUYER, ...change })).toThrow('with other details');
      expect(orders.open({ ...BUYER })).toBe(placed);
    },
  );

  it('an event of an order that nobody placed is refused, so that it comes again', () => {
    expect(() => {
      orders.paid(paymentEvent('payment.success', { reference: 'cake-of-somebody-else' }));
    }).toThrow('There is no order cake-of-somebody-else.');
  });
});
