import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentWebhookEvent } from 'nestjs-payments';
import { type Order, type Outcome } from '../orders/order.js';
import { OrdersStore } from '../orders/orders.store.js';

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  success: 'paid',
  failed: 'failed',
  cancelled: 'cancelled',
  expired: 'expired',
};

/**
 * What the end of a payment means for its order. The package compares the amount only with payments that its journal
 * knows, so the order compares it, too.
 *
 * @param ended How the payment ended, such as `success`.
 */
export function outcomeOf(order: Pick<Order, 'amount'>, ended: string, amount: string): Outcome {
  return ended === 'success' && amount !== order.amount ? 'in-review' : OUTCOMES[ended]!;
}

/** The first handler. Once done, no worker repeats it when the next handler fails. */
@Injectable()
export class OrderOutcomes {
  private readonly logger = new Logger(OrderOutcomes.name);

  constructor(private readonly orders: OrdersStore) {}

  @OnPayment('*')
  async decided({ event, data: { reference, amount } }: PaymentWebhookEvent): Promise<void> {
    const order = await this.orders.find(reference);
    const outcome = outcomeOf(order, event.replace('payment.', ''), amount);
    if (outcome === 'in-review') this.logger.error(`${reference}: paid ${amount} instead of ${order.amount}`);
    this.logger.log(`${reference} is ${await this.orders.decided(reference, outcome)}`);
  }

  /** The package has set the webhook aside. Another amount was paid, or money came after a failure: a person decides. */
  @OnPayment('payment.mismatch')
  @OnPayment('payment.conflict')
  async contradicted({ event, data: { reference } }: PaymentWebhookEvent): Promise<void> {
    if (event === 'payment.success') await this.orders.decided(reference, 'in-review');
  }
}
