import { BadRequestException, Injectable } from '@nestjs/common';
import { CollectionsService, PaymentOutcomeUnknownError, PaymentRejectedError } from 'nestjs-payments';
import { type Order } from './order.js';
import { OrdersService } from './orders.service.js';
import { type PlaceOrderDto } from './place-order.dto.js';
import { PRODUCTS } from './products.js';

@Injectable()
export class CheckoutService {
  constructor(
    private readonly orders: OrdersService,
    private readonly collections: CollectionsService,
  ) {}

  async place(request: PlaceOrderDto): Promise<Order> {
    const product = PRODUCTS.find(({ id }) => id === request.product);
    if (!product) throw new BadRequestException('choose one of the products');
    // Store the order before asking for the money: its webhook must find it.
    const placed = this.orders.open(request, product);
    const { reference, status } = placed;
    // A page sent again. The same call under the same reference joins the first one: it sends nothing, unless the
    // gateway certainly did not take that.
    if (status !== 'asking' && status !== 'awaiting-outcome') return placed;
    try {
      await this.askForMoney(placed, request);
      return this.orders.update(reference, { status: 'awaiting-customer' });
    } catch (error) {
      // Only this proves that no money moved.
      if (error instanceof PaymentRejectedError && error.final) {
        this.orders.update(reference, { status: 'not-paid', reason: error.code });
        throw error;
      }
      // The gateway may have asked the customer. Never call this a failure, never ask again under another
      // reference: the webhook or the journal decides.
      const order = this.orders.update(reference, { status: 'awaiting-outcome' });
      if (error instanceof PaymentOutcomeUnknownError) return order;
      throw error;
    }
  }

  private async askForMoney(order: Order, { name, email, phone }: PlaceOrderDto): Promise<void> {
    const request = {
      reference: order.reference,
      amount: order.amount,
      phone,
      customer_name: name,
      customer_email: email,
      metadata: { product: order.product },
    };
    // A visitor waits for the page, so there is no time for a probe. `RecoveryService` makes it later.
    const options = { deadlineMs: 10_000 };
    if (order.method === 'mobile-money') await this.collections.mobileMoney(request, options);
    else await this.collections.partnerWallet(request, options);
  }
}
