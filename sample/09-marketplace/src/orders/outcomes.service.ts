import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentEventContext, type PaymentWebhookEvent } from 'nestjs-payments';
import { type PoolClient } from 'pg';
import { type Order } from './orders.service.js';

/** Brings outcomes into the orders of their merchant, in the transaction in which the package records the webhook. */
@Injectable()
export class OutcomesService {
  private readonly logger = new Logger(OutcomesService.name);

  @OnPayment('*')
  async ended(
    { event, data: { reference, amount } }: PaymentWebhookEvent,
    { account, transaction }: PaymentEventContext<PoolClient>,
  ): Promise<void> {
    // The account comes from the path, and its secret has signed the webhook: nobody pays the order of another merchant.
    const found = await transaction.query<Order>(
      'SELECT * FROM orders WHERE merchant = $1 AND reference = $2 FOR UPDATE',
      [account, reference],
    );
    const [order] = found.rows;
    if (!order) {
      this.logger.error(`${reference} is no order of ${account}.`);
      return;
    }
    if (event === 'payment.success' && amount !== order.amount)
      this.logger.error(`${reference}: paid ${amount} instead of ${order.amount}.`);
    await transaction.query('UPDATE orders SET status = $3 WHERE merchant = $1 AND reference = $2', [
      account,
      reference,
      statusAfter(event, amount, order),
    ]);
  }

  /** The package has set the webhook aside. Another amount was paid, or money came after a failure: a person decides. */
  @OnPayment('payment.mismatch')
  @OnPayment('payment.conflict')
  async contradicted(
    { event, data: { reference } }: PaymentWebhookEvent,
    { account, transaction }: PaymentEventContext<PoolClient>,
  ): Promise<void> {
    if (event !== 'payment.success') return;
    await transaction.query(
      `UPDATE orders SET status = 'review' WHERE merchant = $1 AND reference = $2 AND status <> 'paid'`,
      [account, reference],
    );
  }
}

/** One order may have several outcomes. One that is paid stays so, and a failure ends only one that waits. */
function statusAfter(event: string, paid: string, { status, amount }: Order): Order['status'] {
  if (event !== 'payment.success') return status === 'waiting' ? 'not-paid' : status;
  return status === 'paid' || paid === amount ? 'paid' : 'review';
}
