import { randomUUID } from 'node:crypto';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { isPaymentsError, PaymentOutcomeUnknownError, PaymentsAccounts } from 'nestjs-payments';
import { Pool } from 'pg';
import { MerchantsTable } from '../merchants/merchants.table.js';
import { type PlaceOrderDto } from './place-order.dto.js';

export interface Order {
  readonly merchant: string;
  readonly reference: string;
  readonly amount: string;
  /** `review`: somebody looks at it, because another amount was paid. */
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
    const reference = `order-${randomUUID()}`;
    // Before the money is asked for: the webhook must find the order.
    await this.pool.query('INSERT INTO orders VALUES ($1, $2, $3, $4)', [
      merchantId,
      reference,
      request.amount,
      'waiting',
    ]);
    await this.collect(merchantId, reference, request);
    return this.find(merchantId, reference);
  }

  async find(merchantId: string, reference: string): Promise<Order> {
    const found = await this.pool.query<Order>(
      'SELECT * FROM orders WHERE merchant = $1 AND reference = $2',
      [merchantId, reference],
    );
    const [order] = found.rows;
    if (!order) throw new NotFoundException(`There is no order ${reference}.`);
    return order;
  }

  private async collect(
    merchantId: string,
    reference: string,
    { amount, phone, name, email }: PlaceOrderDto,
  ): Promise<void> {
    try {
      const payment = { reference, amount, phone, customer_name: name, customer_email: email };
      // A visitor waits for the answer, so there is no time for a probe. The webhook brings the outcome.
      await this.payments.for(merchantId).collections.mobileMoney(payment, { deadlineMs: 10_000 });
    } catch (error) {
      if (isPaymentsError(error) && !error.mayHaveBeenProcessed) {
        await this.pool.query(
          `UPDATE orders SET status = 'not-paid' WHERE merchant = $1 AND reference = $2 AND status = 'waiting'`,
          [merchantId, reference],
        );
        throw error;
      }
      // The customer may have been asked: the order waits for the webhook.
      if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
    }
  }
}
