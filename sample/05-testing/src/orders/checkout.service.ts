import { Injectable } from '@nestjs/common';
import { CollectionsService, PaymentOutcomeUnknownError, PaymentRejectedError } from 'nestjs-payments';
import { type Order } from './order.js';
import { OrdersService } from './orders.service.js';
import { type PlaceOrderDto } from './place-order.dto.js';

@Injectable()
export class CheckoutService {
  constructor(
    private readonly orders: OrdersService,
    private readonly collections: CollectionsService,
  ) {}

  async place(request: PlaceOrderDto): Promise<Order> {
    const placed = this.orders.open(request);
    const { phone, name, email } = request;
    const { reference, amount, status } = placed;
    // A page sent again. The same call under the same reference joins the first one: it sends nothing, unless the
    // gateway certainly did not take that.
    if (status !== 'asking' && status !== 'awaiting-outcome') return placed;
    try {
      await this.collections.mobileMoney(
        { reference, amount, phone, customer_name: name, customer_email: email },
        // A visitor waits for the page, so there is no time for a probe. In production `recover()` makes it later.
        { deadlineMs: 10_000 },
      );
      return this.orders.asked(reference, 'awaiting-customer');
    } catch (error) {
      // Only this proves that no money moved.
      const refused = error instanceof PaymentRejectedError && error.final;
      const order = this.orders.asked(reference, refused ? 'refused' : 'awaiting-outcome');
      // The gateway may have asked the customer: this is not a failure, the webhook decides.
      if (error instanceof PaymentOutcomeUnknownError) return order;
      throw error;
    }
  }
}
