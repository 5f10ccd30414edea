import { Injectable, NotFoundException } from '@nestjs/common';
import { OnPayment, type PaymentWebhookEvent } from 'nestjs-payments';
import { type Order, type OrderStatus } from './order.js';
import { OvenService } from './oven.service.js';

const PRICE_OF_A_CAKE = 18_000;
const OPEN: readonly OrderStatus[] = ['asking', 'awaiting-customer', 'awaiting-outcome'];

/** The bakery's orders. In memory here; in a real one, a table with a unique `reference`. */
@Injectable()
export class OrdersService {
  private readonly orders = new Map<string, Order>();

  constructor(private readonly oven: OvenService) {}

  /** One order for one `checkout`, however often the page sends it. */
  open(checkout: string, cakes: number): Order {
    const reference = `cake-${checkout}`;
    const amount = `${cakes * PRICE_OF_A_CAKE}.00`;
    return this.orders.get(reference) ?? this.save({ reference, cakes, amount, status: 'asking' });
  }

  find(reference: string): Order {
    const order = this.orders.get(reference);
    if (!order) throw new NotFoundException(`There is no order ${reference}.`);
    return order;
  }

  /** Stores the gateway's answer. The webhook may be faster: then its outcome stays. */
  asked(reference: string, status: 'awaiting-customer' | 'awaiting-outcome' | 'refused'): Order {
    const order = this.find(reference);
    return OPEN.includes(order.status) ? this.save({ ...order, status }) : order;
  }

  /** May run again for a paid order, for example if a person releases a second charge. */
  @OnPayment('payment.success')
  paid({ data }: PaymentWebhookEvent): void {
    const order = this.find(data.reference);
    if (order.status === 'paid') return;
    if (data.amount !== order.amount) {
      this.save({ ...order, status: 'in-review' });
      return;
    }
    this.oven.bake(order.reference);
    this.save({ ...order, status: 'paid' });
  }

  @OnPayment('payment.failed')
  failed({ data }: PaymentWebhookEvent): void {
    this.save({ ...this.find(data.reference), status: 'failed' });
  }

  @OnPayment('payment.cancelled')
  cancelled({ data }: PaymentWebhookEvent): void {
    this.save({ ...this.find(data.reference), status: 'cancelled' });
  }

  @OnPayment('payment.expired')
  expired({ data }: PaymentWebhookEvent): void {
    this.save({ ...this.find(data.reference), status: 'expired' });
  }

  private save(order: Order): Order {
    this.orders.set(order.reference, order);
    return order;
  }
}
