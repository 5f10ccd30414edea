import { createHash } from 'node:crypto';
import { BadRequestException, ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import {
  type JournalEntry,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  PaymentsAccounts,
} from 'nestjs-payments';
import { Pool } from 'pg';
import { MerchantsTable } from '../merchants/merchants.table.js';
import { type PlaceOrderDto } from './place-order.dto.js';

export interface Order {
  readonly merchant: string;
  readonly reference: string;
  readonly product: string;
  /** The price of the product when it was ordered. */
  readonly amount: string;
  /** `review`: somebody looks at it, because another amount was paid, or money came after a failure. */
  readonly status: 'waiting' | 'paid' | 'not-paid' | 'review';
}

@Injectable()
export class OrdersService {
  constructor(
    private readonly pool: Pool,
    private readonly merchants: MerchantsTable,
    private readonly payments: PaymentsAccounts,
  ) {}

  /** Writes the order down, and asks the customer's phone for the money, on the merchant's own account. */
  async place(merchantId: string, request: PlaceOrderDto): Promise<Order> {
    const merchant = await this.merchants.find(merchantId);
    if (!merchant) throw new NotFoundException(`There is no merchant ${merchantId}.`);
    // It sells nothing more, and still receives the webhooks of what it has sold.
    if (merchant.disabled) throw new ConflictException(`${merchant.name} sells nothing at the moment.`);
    // Before the money is asked for: the webhook must find the order.
    const order = await this.store(merchantId, request);
    if (await this.mayAsk(order)) await this.collect(order, request);
    return this.find(merchantId, order.reference);
  }

  async find(merchantId: string, reference: string): Promise<Order> {
    const order = await this.stored(merchantId, reference);
    if (!order) throw new NotFoundException(`There is no order ${reference}.`);
    return order;
  }

  /** The orders of all merchants that have no outcome. */
  async waiting(): Promise<readonly Order[]> {
    const { rows } = await this.pool.query<Order>(`SELECT * FROM orders WHERE status = 'waiting'`);
    return rows;
  }

  /** Does what the handler does, for a payment that ended without a webhook. */
  async ended({ merchant, reference, amount }: Order, payment: JournalEntry): Promise<void> {
    if (payment.outcome === 'success') {
      await this.end(merchant, reference, payment.amount === amount ? 'paid' : 'review');
    } else if (payment.outcome !== undefined || (payment.state === 'rejected' && payment.final)) {
      await this.end(merchant, reference, 'not-paid');
    }
  }

  /**
   * The journal does not know the payment, so nothing was sent: a process died before, or the package refused the
   * request. The order waits five minutes for a page that sends it again. That is longer than a call.
   */
  async nothingSent({ merchant, reference }: Order): Promise<void> {
    await this.pool.query(
      `UPDATE orders SET status = 'not-paid' WHERE merchant = $1 AND reference = $2 AND status = 'waiting'
         AND asked_at < now() - interval '5 minutes'`,
      [merchant, reference],
    );
  }

  /** Once for one `checkout`. The price comes from the table, whatever the browser says. */
  private async store(
    merchant: string,
    { checkout, product, phone, name, email }: PlaceOrderDto,
  ): Promise<Order> {
    const reference = `order-${checkout}`;
    const request = createHash('sha256')
      .update(JSON.stringify([product, phone, name, email]))
      .digest('hex');
    await this.pool.query(
      `INSERT INTO orders (merchant, reference, product, amount, status, request)
       SELECT merchant, $2, id, price, 'waiting', $4 FROM products WHERE merchant = $1 AND id = $3
       ON CONFLICT (merchant, reference) DO NOTHING`,
      [merchant, reference, product, request],
    );
    const order = await this.stored(merchant, reference);
    if (!order) throw new BadRequestException('choose one of the products');
    // Nobody may believe that a corrected phone was asked, or that another product is on its way.
    const { rowCount } = await this.pool.query(
      `SELECT FROM orders WHERE merchant = $1 AND reference = $2 AND request IN ($3, '')`,
      [merchant, reference, request],
    );
    if (rowCount === 0)
      throw new ConflictException(
        'this order was placed with other details: load the page again for another order',
      );
    return order;
  }

  /** Returns false if the order has ended: nobody is asked to pay it. Otherwise it does not end as "nothing sent" now. */
  private async mayAsk({ merchant, reference }: Order): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE orders SET asked_at = now() WHERE merchant = $1 AND reference = $2 AND status = 'waiting'`,
      [merchant, reference],
    );
    return rowCount === 1;
  }

  private async stored(merchant: string, reference: string): Promise<Order | undefined> {
    const found = await this.pool.query<Order>(
      'SELECT merchant, reference, product, amount, status FROM orders WHERE merchant = $1 AND reference = $2',
      [merchant, reference],
    );
    return found.rows[0];
  }

  /** An outcome that a webhook has brought stays. */
  private async end(merchant: string, reference: string, status: Order['status']): Promise<void> {
    await this.pool.query(
      `UPDATE orders SET status = $3 WHERE merchant = $1 AND reference = $2 AND status = 'waiting'`,
      [merchant, reference, status],
    );
  }

  /** Of a page that is sent again, the same call joins the first one: it sends nothing, unless that was not taken. */
  private async collect(
    { merchant, reference, amount }: Order,
    { phone, name, email }: PlaceOrderDto,
  ): Promise<void> {
    try {
      const payment = { reference, amount, phone, customer_name: name, customer_email: email };
      // A visitor waits for the answer, so there is no time for a probe. `RecoveryService` makes it later.
      await this.payments.for(merchant).collections.mobileMoney(payment, { deadlineMs: 10_000 });
    } catch (error) {
      // Only this proves that no money moved.
      if (error instanceof PaymentRejectedError && error.final) {
        await this.end(merchant, reference, 'not-paid');
        throw error;
      }
      // The customer may have been asked: the order waits for its outcome.
      if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
    }
  }
}
