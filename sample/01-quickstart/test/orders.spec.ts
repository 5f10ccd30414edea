import { beforeEach, describe, expect, it } from 'vitest';
import { Logger } from '@nestjs/common';
import { type PaymentWebhookEvent } from 'nestjs-payments';
import { OrdersService } from '../src/orders/orders.service.js';
import { PRODUCTS } from '../src/orders/products.js';

const REQUEST = {
  checkout: 'checkout-1',
  product: 'coffee',
  method: 'mobile-money',
  phone: '255712345678',
  name: 'Asha Mrema',
  email: 'asha@example.com',
} as const;

let orders: OrdersService;
let reference: string;

beforeEach(() => {
  orders = new OrdersService();
  reference = orders.open(REQUEST, PRODUCTS[0]!).reference;
});

function success(amount = '18000.00'): PaymentWebhookEvent {
  return { event: 'payment.success', data: { reference, amount, currency: 'TZS', status: 'success' } };
}

describe('an order', () => {
  it('stays paid when the answer to its request comes after the webhook', () => {
    orders.paid(success());
    expect(orders.update(reference, { status: 'awaiting-customer' })).toMatchObject({ status: 'paid' });
  });

  it('keeps its receipt when the same event is handled again', () => {
    orders.paid(success());
    orders.paid(success());
    expect(orders.find(reference).receipt).toBe('R-0001');
  });

  it('goes to a person when another amount was paid', () => {
    Logger.overrideLogger(false);
    orders.paid(success('1.00'));
    expect(orders.find(reference)).toMatchObject({ status: 'in-review' });
    expect(orders.find(reference).receipt).toBeUndefined();
  });

  it('is not made up for a reference that the shop never gave out', () => {
    expect(() => orders.find('order-of-somebody-else')).toThrow('There is no order order-of-somebody-else.');
  });
});
