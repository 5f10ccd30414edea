import { Injectable } from '@nestjs/common';
import {
  CollectionsService,
  NameLookupService,
  OnPayment,
  type CollectionPayment,
  type MobileMoneyCollectionDto,
  type NameLookupDto,
  type NameLookupResult,
  type PaymentEventContext,
  type PaymentWebhookEvent,
} from 'nestjs-payments';

export interface Order {
  readonly reference: string;
  /** How often the handler of `payment.success` ran. */
  readonly timesPaid: number;
  /** What the webhook route was handed, in order. */
  readonly events: readonly string[];
}

@Injectable()
export class OrdersService {
  private readonly orders = new Map<string, Order>();

  constructor(
    private readonly collections: CollectionsService,
    private readonly names: NameLookupService,
  ) {}

  collect(request: MobileMoneyCollectionDto): Promise<CollectionPayment> {
    return this.collections.mobileMoney(request);
  }

  recipient(request: NameLookupDto): Promise<NameLookupResult> {
    return this.names.lookup(request);
  }

  find(reference: string): Order {
    return this.orders.get(reference) ?? { reference, timesPaid: 0, events: [] };
  }

  @OnPayment('payment.success')
  async paid({ data }: PaymentWebhookEvent, { signal }: PaymentEventContext): Promise<void> {
    signal.throwIfAborted();
    const order = this.find(data.reference);
    this.orders.set(data.reference, { ...order, timesPaid: order.timesPaid + 1 });
  }

  note({ event, data }: PaymentWebhookEvent): void {
    const order = this.find(data.reference);
    this.orders.set(data.reference, { ...order, events: [...order.events, event] });
  }
}
