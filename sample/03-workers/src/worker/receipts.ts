import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentEventContext, type PaymentWebhookEvent } from 'nestjs-payments';
import { type Order } from '../orders/order.js';
import { OrdersStore } from '../orders/orders.store.js';
import { MailClient } from './mail.client.js';

/** The second handler calls another service, so it may fail, hang, or be cut off after its effect. */
@Injectable()
export class Receipts {
  private readonly logger = new Logger(Receipts.name);

  constructor(
    private readonly orders: OrdersStore,
    private readonly mails: MailClient,
  ) {}

  @OnPayment('payment.success')
  async send({ data }: PaymentWebhookEvent, { attempt, signal }: PaymentEventContext): Promise<void> {
    const order = await this.orders.find(data.reference);
    if (order.status !== 'paid') return;
    this.logger.log(`${order.reference}: attempt ${attempt} to send the receipt`);
    await this.mail(order, signal);
  }

  /** A worker may die after the mail and before the record. The key makes the second run harmless. */
  async mail({ reference, email, seats }: Order, signal: AbortSignal): Promise<void> {
    await this.mails.send({ to: email, subject: `Your ${seats} seats` }, `receipt-${reference}`, signal);
    this.logger.log(`${reference}: the receipt is sent`);
  }
}
