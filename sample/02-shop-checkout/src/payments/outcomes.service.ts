import { Injectable, Logger } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import {
  OnPayment,
  type PaymentEventContext,
  type PaymentsEvents,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { type PoolClient } from 'pg';
import { Database } from '../database/database.js';
import { type CollectionOutcome, review, settleOrder } from './settle-order.js';

/** Applies the gateway's webhooks to orders. */
@Injectable()
export class OutcomesService {
  private readonly logger = new Logger(OutcomesService.name);

  constructor(private readonly database: Database) {}

  /**
   * Writes in the transaction in which the package records the webhook: both are committed, or neither, and
   * then the gateway delivers again.
   */
  @OnPayment('*')
  async ended({ event, data }: PaymentWebhookEvent, { transaction }: PaymentEventContext): Promise<void> {
    const outcome = event.replace('payment.', '') as CollectionOutcome;
    const effect = await settleOrder(transaction as PoolClient, data.reference, outcome, data.amount);
    if (effect === 'paid twice')
      this.logger.error(`${data.reference}: its order was paid already, give it back.`);
    if (effect === 'other amount')
      this.logger.error(`${data.reference}: ${data.amount} is not the amount of its order.`);
    if (effect === 'no such payment') this.logger.error(`${data.reference} is none of this shop's payments.`);
  }

  /** The amount differs, or money arrived for a failed payment: a person decides, see /office.html. */
  @OnPayment('payment.mismatch')
  @OnPayment('payment.conflict')
  async contradicted(
    { event, data }: PaymentWebhookEvent,
    { transaction }: PaymentEventContext,
  ): Promise<void> {
    if (event === 'payment.success') await review(transaction as PoolClient, data.reference);
  }

  /** `PaymentsJournal.recover()` emits it. Not a failure: the money may still arrive. */
  @OnEvent('payment.stale')
  async stale({ reference }: PaymentsEvents['payment.stale']): Promise<void> {
    await this.database.pool.query(
      `UPDATE orders SET state = 'stale' FROM order_payments
       WHERE reference = $1 AND number = order_number AND state IN ('asking', 'waiting', 'unknown')`,
      [reference],
    );
  }
}
