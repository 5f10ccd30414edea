import { Injectable, Logger } from '@nestjs/common';
import {
  type JournalEntry,
  OnPayment,
  type PaymentEventContext,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { type EntityManager, Not } from 'typeorm';
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
    const isFirst = await this.pay(data.reference, data.amount, transaction);
    // A person may have released a second charge, or the webhook of a payment that the recovery found comes late.
    if (!isFirst)
      this.logger.error(
        `${data.reference} was paid already: look at the gateway's list whether the customer paid twice.`,
      );
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

  /** Does what the handlers do, for a payment that ended without a webhook. */
  async ended(
    { reference, amount, state, outcome, final }: JournalEntry,
    transaction: EntityManager,
  ): Promise<void> {
    if (outcome === 'success') await this.pay(reference, amount, transaction);
    else if (outcome !== undefined || (state === 'rejected' && final))
      await this.end(reference, 'not-paid', transaction);
  }

  /** Returns false if the order is paid already. Its goods left with the first payment. */
  private async pay(reference: string, amount: string, transaction: EntityManager): Promise<boolean> {
    const order = await transaction.findOneByOrFail(Order, { reference });
    if (amount !== order.amount) {
      this.logger.error(`${reference}: paid ${amount} instead of ${order.amount}`);
      await this.end(reference, 'review', transaction);
      return true;
    }
    if (!(await this.end(reference, 'paid', transaction))) return false;
    await transaction.decrement(Product, { code: order.product }, 'stock', order.quantity);
    this.printer.print(reference);
    return true;
  }

  /** Returns false if the order is paid already: it stays so. */
  private async end(reference: string, status: OrderStatus, transaction: EntityManager): Promise<boolean> {
    const { affected } = await transaction.update(Order, { reference, status: Not('paid') }, { status });
    return affected === 1;
  }
}
