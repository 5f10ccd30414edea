import { Injectable, Logger } from '@nestjs/common';
import {
  type JournalEntry,
  OnPayment,
  type PaymentEventContext,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { type EntityManager } from 'typeorm';
import { Order } from './order.entity.js';
import { returnGoods, takeGoods } from './stock.js';

/**
 * Brings outcomes into the shop's tables. Everything that a method writes through `transaction` commits with the record
 * that it ran: it is written once, whatever throws or crashes, and however often the gateway delivers.
 */
@Injectable()
export class OutcomesService {
  private readonly logger = new Logger(OutcomesService.name);

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
    await this.notPaid(data.reference, context.transaction);
  }

  @OnPayment('payment.cancelled')
  async cancelled({ data }: PaymentWebhookEvent, context: PaymentEventContext<EntityManager>): Promise<void> {
    await this.notPaid(data.reference, context.transaction);
  }

  @OnPayment('payment.expired')
  async expired({ data }: PaymentWebhookEvent, context: PaymentEventContext<EntityManager>): Promise<void> {
    await this.notPaid(data.reference, context.transaction);
  }

  /** Does what the handlers do, for a payment that ended without a webhook. */
  async ended(
    { reference, amount, state, outcome, final }: JournalEntry,
    transaction: EntityManager,
  ): Promise<void> {
    if (outcome === 'success') await this.pay(reference, amount, transaction);
    else if (outcome !== undefined || (state === 'rejected' && final))
      await this.notPaid(reference, transaction);
  }

  /**
   * The goods of a waiting order return to the stock. One that was paid stays so.
   *
   * @param askedBefore Only if nobody has begun to ask for the money since then.
   */
  async notPaid(reference: string, transaction: EntityManager, askedBefore?: Date): Promise<void> {
    const order = await locked(reference, transaction);
    // One that is not the shop's has nothing to end, and its webhook needs not to come again.
    if (order?.status !== 'waiting') return;
    if (askedBefore && order.askedAt >= askedBefore) return;
    await transaction.update(Order, { reference }, { status: 'not-paid' });
    await returnGoods(order, transaction);
  }

  /** Returns false if the order was paid already, with whatever amount. */
  private async pay(reference: string, amount: string, transaction: EntityManager): Promise<boolean> {
    const order = await locked(reference, transaction);
    // Somebody paid: the webhook comes again, and fails loudly, until a person knows whose order that is.
    if (!order) throw new Error(`${reference} was paid, and is no order of the shop.`);
    if (order.status === 'paid' || order.status === 'review') return false;
    // The goods of an order that was called not paid have returned, and may be sold.
    const hasGoods = order.status === 'waiting' || (await takeGoods(order, transaction));
    const isPaid = hasGoods && amount === order.amount;
    if (!isPaid) this.logger.error(`${reference}: paid ${amount} of ${order.amount}; goods: ${hasGoods}`);
    const end = isPaid ? ({ status: 'paid', receiptDue: true } as const) : ({ status: 'review' } as const);
    await transaction.update(Order, { reference }, end);
    return true;
  }
}

/** Of two that end an order at the same time, the second one sees what the first one wrote. */
function locked(reference: string, transaction: EntityManager): Promise<Order | null> {
  return transaction.findOne(Order, { where: { reference }, lock: { mode: 'pessimistic_write' } });
}
