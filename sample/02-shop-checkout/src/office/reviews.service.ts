import { Injectable } from '@nestjs/common';
import { type InboxConflict, PaymentsInbox, type PaymentWebhookEvent } from 'nestjs-payments';
import { Database } from '../database/database.js';

interface ReviewedOrder {
  readonly number: string;
  readonly version: number;
  readonly references: readonly string[];
}

/** Decides about webhooks that were set aside, and ends the review of orders. */
@Injectable()
export class ReviewsService {
  constructor(
    private readonly inbox: PaymentsInbox,
    private readonly database: Database,
  ) {}

  /** Releases an event, which pays its order. */
  async accept(id: string): Promise<void> {
    const contradiction = await this.inbox.conflict(id);
    if (contradiction?.event === 'payment.success') await this.acceptMoney(contradiction);
    await this.inbox.release(id);
  }

  /** Discards an event. Its order continues without it, unless another event of it is set aside too. */
  async dismiss(id: string): Promise<void> {
    const contradiction = await this.inbox.conflict(id);
    if (!contradiction) return;
    const order = await this.reviewedOrder(contradiction.reference);
    // Before the discard: after an interruption here, the office still shows the event.
    if (order && !(await this.isContradictedElse(order, id))) await this.endReview(order);
    await this.inbox.discard(id);
  }

  /** Before the release, which pays the order only if the money is its amount. */
  private async acceptMoney({ id, reference, payload }: InboxConflict): Promise<void> {
    const { amount } = (JSON.parse(payload) as PaymentWebhookEvent).data;
    await this.database.pool.query(
      `UPDATE orders SET amount = $2 FROM order_payments
       WHERE reference = $1 AND number = order_number AND state = 'review'`,
      [reference, amount],
    );
    // The release changes no outcome of a paid order, so nothing else would show that the customer paid once more.
    await this.database.pool.query(
      `INSERT INTO further_charges SELECT $1, reference FROM order_payments
       WHERE reference = $2 AND outcome = 'success' ON CONFLICT DO NOTHING`,
      [id, reference],
    );
  }

  private async reviewedOrder(reference: string): Promise<ReviewedOrder | undefined> {
    const { rows } = await this.database.pool.query<ReviewedOrder>(
      `SELECT number, version, array_agg(reference) AS references FROM orders JOIN order_payments ON order_number = number
       WHERE state = 'review' AND number = (SELECT order_number FROM order_payments WHERE reference = $1) GROUP BY number`,
      [reference],
    );
    return rows[0];
  }

  private async isContradictedElse({ references }: ReviewedOrder, id: string): Promise<boolean> {
    let after: string | undefined;
    for (;;) {
      const page = await this.inbox.conflicts({ after });
      if (page.some((each) => each.id !== id && references.includes(each.reference))) return true;
      if (page.length === 0) return false;
      after = page.at(-1)?.id;
    }
  }

  /**
   * The order takes the outcome of its latest payment. The upkeep finds the outcome of an open one. An order
   * that has changed since is under review for another reason.
   */
  private async endReview({ number, version }: ReviewedOrder): Promise<void> {
    await this.database.pool.query(
      `UPDATE orders SET state = CASE WHEN outcome IS NULL THEN 'unknown' ELSE 'failed' END, reason = outcome
       FROM (SELECT outcome FROM order_payments WHERE order_number = $1 ORDER BY nr DESC LIMIT 1) AS latest
       WHERE number = $1 AND version = $2 AND state = 'review'`,
      [number, version],
    );
  }
}
