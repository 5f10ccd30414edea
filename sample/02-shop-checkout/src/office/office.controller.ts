import { ConflictException, Controller, Get, Header, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import {
  type InboxConflict,
  isPaymentsError,
  PaymentsInbox,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { Database } from '../database/database.js';
import { type Order } from '../orders/order.js';
import { OfficeGuard } from './office.guard.js';
import { ReviewsService } from './reviews.service.js';

/** A webhook that was set aside, without the customer's data. */
export interface Contradiction extends Pick<InboxConflict, 'id' | 'kind' | 'event' | 'reference'> {
  readonly amount: string;
}

/** The current payment of an order. */
export interface OpenPayment extends Pick<Order, 'amount' | 'state'> {
  readonly reference: string;
}

export interface Office {
  readonly contradictions: readonly Contradiction[];
  /** Orders without an outcome for too long, or for a person to decide. */
  readonly open: readonly OpenPayment[];
  /** Numbers of orders that were charged more than once: refund the rest. */
  readonly paidTwice: readonly string[];
}

@Controller('api/office')
@UseGuards(OfficeGuard)
export class OfficeController {
  constructor(
    private readonly inbox: PaymentsInbox,
    private readonly reviews: ReviewsService,
    private readonly database: Database,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  async show(): Promise<Office> {
    const contradictions = (await this.inbox.conflicts()).map(({ id, kind, event, reference, payload }) => {
      const { amount } = (JSON.parse(payload) as PaymentWebhookEvent).data;
      return { id, kind, event, reference, amount };
    });
    const { rows: open } = await this.database.pool.query<OpenPayment>(
      `SELECT DISTINCT ON (number) reference, amount, state FROM orders JOIN order_payments ON order_number = number
       WHERE state IN ('unknown', 'stale', 'review') ORDER BY number, nr DESC`,
    );
    const { rows: twice } = await this.database.pool.query<{ readonly order_number: string }>(
      `SELECT order_number FROM order_payments WHERE outcome = 'success' GROUP BY order_number HAVING count(*) > 1
       UNION SELECT order_number FROM order_payments JOIN further_charges USING (reference) ORDER BY order_number`,
    );
    return { contradictions, open, paidTwice: twice.map(({ order_number }) => order_number) };
  }

  /** Accepts the money: releases the event, which pays its order. */
  @Post('contradictions/:id/accept')
  @HttpCode(204)
  async accept(@Param('id') id: string): Promise<void> {
    await this.reviews.accept(id).catch((error: unknown) => {
      throw isPaymentsError(error) ? new ConflictException(error.message) : error;
    });
  }

  /** Discards the event. Its order continues without it. */
  @Post('contradictions/:id/dismiss')
  @HttpCode(204)
  async dismiss(@Param('id') id: string): Promise<void> {
    await this.reviews.dismiss(id);
  }
}
