import { isDeepStrictEqual } from 'node:util';
import {
  ConflictException,
  Injectable,
  Logger,
  NotFoundException,
  type OnModuleDestroy,
} from '@nestjs/common';
import { formatTzs, type JournalEntry, OnPayment, type PaymentWebhookEvent } from 'nestjs-payments';
import { concat, defer, filter, type Observable, of, Subject, takeWhile } from 'rxjs';
import { isOpen, type Order } from './order.js';
import { type PlaceOrderDto } from './place-order.dto.js';
import { type Product } from './products.js';

/** How long a customer may press Pay again. Longer than a call, which may still be running. */
const HOLD_MS = 300_000;

/** The shop's orders. In memory here; in a real shop, a table with a unique `reference`. */
@Injectable()
export class OrdersService implements OnModuleDestroy {
  private readonly logger = new Logger(OrdersService.name);
  private readonly orders = new Map<string, Order>();
  /** What the page sent for each order. Nobody else sees it. */
  private readonly requests = new Map<string, PlaceOrderDto>();
  /** When somebody last began to ask for the money of each order. */
  private readonly askedAt = new Map<string, number>();
  private readonly changes = new Subject<Order>();
  private receipts = 0;

  /** Ends the pages' streams, which would hold the HTTP server open. */
  onModuleDestroy(): void {
    this.changes.complete();
  }

  /** One order for one `checkout`, however often the page sends it. */
  open(request: PlaceOrderDto, { id, price }: Product): Order {
    const reference = `order-${request.checkout}`;
    const placed = this.orders.get(reference);
    // Nobody may believe that a corrected phone was asked, or that another product is on its way.
    if (placed && !isDeepStrictEqual(this.requests.get(reference), request))
      throw new ConflictException(
        'this order was placed with other details: load the page again for another order',
      );
    this.askedAt.set(reference, Date.now());
    if (placed) return placed;
    this.requests.set(reference, request);
    const amount = { amount: price, amountText: formatTzs(price) };
    return this.save({ reference, product: id, ...amount, method: request.method, status: 'asking' });
  }

  find(reference: string): Order {
    const order = this.orders.get(reference);
    if (!order) throw new NotFoundException(`There is no order ${reference}.`);
    return order;
  }

  /** The orders without an outcome. */
  unsettled(): readonly Order[] {
    return [...this.orders.values()].filter(isOpen);
  }

  /** Emits the order now and at each change, until it ends. */
  follow(reference: string): Observable<Order> {
    this.find(reference);
    const later = this.changes.pipe(filter((order) => order.reference === reference));
    return concat(
      defer(() => of(this.find(reference))),
      later,
    ).pipe(takeWhile(isOpen, true));
  }

  /** Changes an open order. The webhook may be faster than the gateway's answer: then its outcome stays. */
  update(reference: string, change: Pick<Order, 'status' | 'reason'>): Order {
    const order = this.find(reference);
    return isOpen(order) ? this.save({ ...order, ...change }) : order;
  }

  /** Does what the handlers do, for a payment that ended without a webhook. */
  ended({ reference, amount, state, outcome, final }: JournalEntry): void {
    if (outcome === 'success') this.pay(reference, amount);
    else if (outcome !== undefined) this.update(reference, { status: 'not-paid', reason: outcome });
    else if (state === 'rejected' && final) this.update(reference, { status: 'not-paid', reason: 'refused' });
  }

  /** Ends an order that the journal does not know: nothing was sent for it. */
  notAsked(reference: string): void {
    if (Date.now() - this.askedAt.get(reference)! > HOLD_MS)
      this.update(reference, { status: 'not-paid', reason: 'not-asked' });
  }

  @OnPayment('payment.success')
  paid({ data }: PaymentWebhookEvent): void {
    this.pay(data.reference, data.amount);
  }

  @OnPayment('payment.failed')
  failed({ data }: PaymentWebhookEvent): void {
    this.update(data.reference, { status: 'not-paid', reason: 'failed' });
  }

  @OnPayment('payment.cancelled')
  cancelled({ data }: PaymentWebhookEvent): void {
    this.update(data.reference, { status: 'not-paid', reason: 'cancelled' });
  }

  @OnPayment('payment.expired')
  expired({ data }: PaymentWebhookEvent): void {
    this.update(data.reference, { status: 'not-paid', reason: 'expired' });
  }

  /** May be called again for the same payment: one order has one receipt. */
  private pay(reference: string, amount: string): void {
    const order = this.find(reference);
    if (order.receipt !== undefined) return;
    if (amount !== order.amount) {
      this.logger.error(`${reference}: paid ${amount} instead of ${order.amount}`);
      this.save({ ...order, status: 'in-review' });
      return;
    }
    this.receipts += 1;
    this.save({ ...order, status: 'paid', receipt: `R-${String(this.receipts).padStart(4, '0')}` });
  }

  private save(order: Order): Order {
    this.orders.set(order.reference, order);
    this.changes.next(order);
    return order;
  }
}
