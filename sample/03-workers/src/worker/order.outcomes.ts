import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentWebhookEvent } from 'nestjs-payments';
import { type Outcome } from '../orders/order.js';
import { OrdersStore } from '../orders/orders.store.js';

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  'payment.success': 'paid',
  'payment.failed': 'failed',
  'payment.cancelled': 'cancelled',
  'payment.expired': 'expired',
};

/** The first handler. Once done, no worker repeats it when the next handler fails. */
@Injectable()
export class OrderOutcomes {
  private readonly logger = new Logger(OrderOutcomes.name);

  constructor(private readonly orders: OrdersStore) {}

  @OnPayment('*')
  async decided({ event, data }: PaymentWebhookEvent): Promise<void> {
    const outcome = OUTCOMES[event]!;
    await this.orders.decided(data.reference, outcome);
    this.logger.log(`${data.reference} is ${outcome}`);
  }
}
