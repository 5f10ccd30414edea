import { Injectable, Logger, NotFoundException } from '@nestjs/common';
import { CollectionsService, isPaymentsError, PaymentOutcomeUnknownError } from 'nestjs-payments';
import { type Order } from './order.js';
import { OrdersRepository, type ReadyToAsk } from './orders.repository.js';
import { type PlaceOrderDto } from './place-order.dto.js';
import { setbackOf } from './setback.js';
import { wrongFields } from './wrong-fields.js';

@Injectable()
export class CheckoutService {
  private readonly logger = new Logger(CheckoutService.name);

  constructor(
    private readonly orders: OrdersRepository,
    private readonly collections: CollectionsService,
  ) {}

  /** Stores the order before asking for the money: its webhook must find it. */
  async place(request: PlaceOrderDto): Promise<Order> {
    const number = await this.orders.place(request);
    if (number === undefined)
      throw wrongFields([{ property: 'product', constraints: { known: 'choose one of the products' } }]);
    const order = await this.find(number);
    // A page sent again after a failed payment shows the failure: the customer decides whether to try again.
    return order.state === 'placed' ? this.pay(number) : order;
  }

  /** Asks for the money of a new or a failed order. Does nothing in every other state. */
  async pay(number: string, phone?: string): Promise<Order> {
    const ready = await this.orders.takeTurn(number, phone);
    if (ready) await this.ask(ready);
    return this.find(number);
  }

  async find(number: string): Promise<Order> {
    const order = await this.orders.find(number);
    if (!order) throw new NotFoundException('There is no such order.');
    return order;
  }

  private async ask({ order, reference }: ReadyToAsk): Promise<void> {
    const { number, amount, phone, customer_name, email: customer_email } = order;
    try {
      await this.collections.mobileMoney(
        { reference, amount, phone, customer_name, customer_email },
        // A visitor waits for the page, so there is no time for a probe. `recover()` makes it later.
        { deadlineMs: 10_000 },
      );
    } catch (error) {
      await this.notAccepted(number, error);
      return;
    }
    await this.orders.asked(number, 'waiting');
  }

  private async notAccepted(number: string, error: unknown): Promise<void> {
    if (isPaymentsError(error) && !error.mayHaveBeenProcessed) {
      this.logger.warn(`${number} was not asked for: ${error.message}`);
      await this.orders.asked(number, 'failed', setbackOf(error));
      return;
    }
    // The gateway may have asked the customer. Never call this a failure, never ask again: the webhook
    // decides.
    await this.orders.asked(number, 'unknown');
    if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
  }
}
