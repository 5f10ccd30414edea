import { isDeepStrictEqual } from 'node:util';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { OnPayment, type PaymentWebhookEvent } from 'nestjs-payments';
import { type Order, type OrderStatus } from './order.js';
import { OvenService } from './oven.service.js';
import { type PlaceOrderDto } from './place-order.dto.js';

const PRICE_OF_A_CAKE = 18_000;
const OPEN: readonly OrderStatus[] = ['asking', 'awaiting-customer', 'awaiting-outcome'];

/** The bakery's orders. In memory here; in a real one, a table with a unique `reference`. */
@Injectable()
export class OrdersService {
  private readonly orders = new Map<string, Order>();
  /** What the page sent for each order. Nobody else sees it. */
  private readonly requests = new Map<string, PlaceOrderDto>();

  constructor(private readonly oven: OvenService) {}

  /** One order for one `checkout`, however often the page sends it. */
  open(request: PlaceOrderDto): Order {
    const reference = `cake-${request.checkout}`;
    const placed = this.orders.get(reference);
    // Nobody may believe that a corrected phone was asked, or that more cakes are on their way.
    if (placed && !isDeepStrictEqual(this.requests.get(reference), request))
      throw new ConflictException(
        'this order was placed with other details: load the page again for another order',
      );
    if (placed) return placed;
    this.requests.set(reference, request);
    const { cakes } = request;
    return this.save({ reference, cakes, amount: `${cakes * PRICE_OF_A_CAKE}.00`, status: 'asking' });
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
    this.notPaid(data.reference, 'failed');
  }

  @OnPayment('payment.cancelled')
  cancelled({ data }: PaymentWebhookEvent): void {
    this.notPaid(data.reference, 'cancelled');
  }

  @OnPayment('payment.expired')
  expired({ data }: PaymentWebhookEvent): void {
    this.notPaid(data.reference, 'expired');
  }

  /** The package has set the webhook aside. Another amount was paid, or money came after a failure: a person decides. */
  @OnPayment('payment.mismatch')
  @OnPayment('payment.conflict')
  contradicted({ event, data }: PaymentWebhookEvent): void {
    const order = this.find(data.reference);
    if (event === 'payment.success' && order.status !== 'paid') this.save({ ...order, status: 'in-review' });
  }

  /** Changes no order of which money has come: one order may have several outcomes. */
  private notPaid(reference: string, status: 'failed' | 'cancelled' | 'expired'): void {
    const order = this.find(reference);
    if (order.status !== 'paid' && order.status !== 'in-review') this.save({ ...order, status });
  }

  private save(order: Order): Order {
    this.orders.set(order.reference, order);
    return order;
  }
}
