import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Order } from '../../src/orders/order.js';
import { Bakery, PHONE } from '../support/bakery.js';
import '../support/matchers.js';
import { withStory } from '../support/with-story.js';

// What a failing test prints. Here it fails on purpose.
describe('a test that fails', () => {
  let bakery: Bakery;
  let order: Order;

  beforeEach(async () => {
    bakery = await Bakery.open();
    order = await bakery.ordered();
    await bakery.gateway.customer(PHONE).decline(order.reference);
  });
  afterEach(() => bakery.close());

  it('a failed matcher shows the timeline of the payment', () => {
    const failing = (): void => {
      expect(bakery.gateway).toHavePaidOnce(order.reference);
    };
    expect(failing).toThrow('0 payments and payouts that succeeded');
    expect(failing).toThrow(/request {3}POST \/payments\/mobile-money, .* -> 200 PAYMENT_INITIATED/);
    expect(failing).toThrow(/delivery {2}payment\.failed, try 1 .* -> 200/);
  });

  it('`explain` shows the timeline of the payment to any other test', async () => {
    const failing = withStory(bakery.gateway, order.reference, async () => {
      expect(await bakery.statusOf(order)).toBe('paid');
    });
    await expect(failing).rejects.toThrow(/['"]failed/);
    await expect(failing).rejects.toThrow(bakery.gateway.explain(order.reference));
  });
});
