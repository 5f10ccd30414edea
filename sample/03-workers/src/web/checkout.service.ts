import { createHash } from 'node:crypto';
import { ConflictException, Injectable } from '@nestjs/common';
import { CollectionsService, PaymentOutcomeUnknownError, PaymentRejectedError } from 'nestjs-payments';
import { type Order } from '../orders/order.js';
import { OrdersStore } from '../orders/orders.store.js';
import { type PlaceOrderDto } from './place-order.dto.js';

const PRICE_OF_A_SEAT = 25_000;

@Injectable()
export class CheckoutService {
  constructor(
    private readonly orders: OrdersStore,
    private readonly collections: CollectionsService,
  ) {}

  async place({ checkout, seats, phone, name, email }: PlaceOrderDto): Promise<Order> {
    const request = createHash('sha256')
      .update(JSON.stringify([seats, phone, name, email]))
      .digest('hex');
    // Store the order before asking for the money: a worker must find it, even if this process dies now.
    const price = `${seats * PRICE_OF_A_SEAT}.00`;
    const order = { reference: `ticket-${checkout}`, seats, amount: price, email, request };
    const placed = await this.orders.open(order);
    const { reference, amount, status } = placed;
    // Nobody may believe that a corrected phone was asked, or that more seats are booked.
    if (placed.request !== request)
      throw new ConflictException(
        'this order was placed with other details: load the page again for another order',
      );
    // A page sent again. The same call under the same reference joins the first one: it sends nothing, unless the
    // gateway certainly did not take that.
    if (status !== 'asking' && status !== 'awaiting-outcome') return placed;
    try {
      await this.collections.mobileMoney(
        { reference, amount, phone, customer_name: name, customer_email: email },
        // A visitor waits for the page, so there is no time for a probe. A worker makes it later: `Upkeep`.
        { deadlineMs: 10_000 },
      );
      await this.orders.asked(reference, 'awaiting-customer');
    } catch (error) {
      // Only this proves that no money moved.
      const refused = error instanceof PaymentRejectedError && error.final;
      await this.orders.asked(reference, refused ? 'refused' : 'awaiting-outcome');
      // The gateway may have asked the customer: this is not a failure, the webhook or the journal decides.
      if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
    }
    return this.orders.find(reference);
  }
}
