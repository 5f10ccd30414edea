import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentEventContext, type PaymentWebhookEvent } from 'nestjs-payments';
import { type EntityManager } from 'typeorm';
import { Order, type OrderStatus } from './order.entity.js';
import { Product } from './product.entity.js';
import { ReceiptPrinter } from './receipt.printer.js';

/**
 * Brings outcomes into the shop's tables. Everything that a method writes through `transaction` commits with the record
 * that it ran: it is written once, whatever throws or crashes, and however often the gateway delivers.
 */
@Injectable()
export class OutcomesService {
  private readonly logger = new Logger(OutcomesService.name);

  constructor(private readonly printer: ReceiptPrinter) {}

  @OnPayment('payment.success')
  async paid(
    { data }: PaymentWebhookEvent,
    { transaction }: PaymentEventContext<EntityManager>,
  ): Promise<void> {
    const { reference, amount } = data;
    const order = await transaction.findOneByOrFail(Order, { reference });
    if (amount !== order.amount) {
      this.logger.error(`${reference}: paid ${amount} instead of ${order.amount}`);
      await this.end(reference, 'review', transaction);
      return;
    }
    await this.end(reference, 'paid', transaction);
    // Counting down is an effect that must not be made twice.
    await transaction.decrement(Product, { code: order.product }, 'stock', order.quantity);
    this.printer.print(reference);
  }

  @OnPayment('payment.failed')
  async failed({ data }: PaymentWebhookEvent, context: PaymentEventContext<EntityManager>): Promise<void> {
    await this.end(data.reference, 'not-paid', context.transaction);
  }

  @OnPayment('payment.cancelled')
  async cancelled({ data }: PaymentWebhookEvent, context: PaymentEventContext<EntityManager>): Promise<void> {
    await this.end(data.reference, 'not-paid', context.transaction);
  }

  @OnPayment('payment.expired')
  async expired({ data }: PaymentWebhookEvent, context: PaymentEventContext<EntityManager>): Promise<void> {
    await this.end(data.reference, 'not-paid', context.transaction);
  }

  private async end(reference: string, status: OrderStatus, transaction: EntityManager): Promise<void> {
    await transaction.update(Order, { reference }, { status });
  }
}
