import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { Database } from '../database/database.js';
import { inTransaction } from '../database/in-transaction.js';
import { mayChangePhone, mayPay, type Order, type OrderState, type Setback } from './order.js';
import { newOrderNumber, referenceOf } from './order-number.js';
import { type PlaceOrderDto } from './place-order.dto.js';

const ORDER =
  'SELECT number, product, amount, customer_name, phone, email, state, reason, ask_again_at, version FROM orders';

/** An order whose turn it is, with the reference to ask under. */
export interface ReadyToAsk {
  readonly order: Order;
  readonly reference: string;
}

@Injectable()
export class OrdersRepository {
  constructor(private readonly database: Database) {}

  /** Stores the order of this checkout once and returns its number; undefined for an unknown product. */
  async place({ checkout, product, name, phone, email }: PlaceOrderDto): Promise<string | undefined> {
    const { pool } = this.database;
    await pool.query(
      `INSERT INTO orders (number, checkout, product, amount, customer_name, phone, email)
       SELECT $1, $2, id, price, $4, $5, $6 FROM products WHERE id = $3
       ON CONFLICT (checkout) DO NOTHING`,
      [newOrderNumber(), checkout, product, name, phone, email],
    );
    const { rows } = await pool.query<Pick<Order, 'number'>>(
      'SELECT number FROM orders WHERE checkout = $1',
      [checkout],
    );
    return rows[0]?.number;
  }

  async find(number: string): Promise<Order | undefined> {
    const { rows } = await this.database.pool.query<Order>(`${ORDER} WHERE number = $1`, [number]);
    return rows[0];
  }

  /** Takes the turn to ask for an order's money. Of two simultaneous presses, one gets it. */
  takeTurn(number: string, phone: string | undefined): Promise<ReadyToAsk | undefined> {
    return inTransaction(this.database.pool, async (client) => {
      const { rows } = await client.query<Order>(`${ORDER} WHERE number = $1 FOR UPDATE OF orders`, [number]);
      const [order] = rows;
      if (!order || !mayPay(order)) return undefined;
      const reference = await this.openReference(client, number);
      const to = phone !== undefined && mayChangePhone(order) ? phone : order.phone;
      await client.query(
        `UPDATE orders SET state = 'asking', reason = NULL, ask_again_at = NULL, phone = $2 WHERE number = $1`,
        [number, to],
      );
      return { order: { ...order, phone: to }, reference };
    });
  }

  /** Stores the result of asking. Does not change a state that a faster webhook has set. */
  async asked(number: string, state: OrderState, { reason = null, waitMs = 0 }: Setback = {}): Promise<void> {
    await this.database.pool.query(
      `UPDATE orders SET state = $2, reason = $3, ask_again_at = now() + $4 * interval '1 millisecond'
       WHERE number = $1 AND state = 'asking'`,
      [number, state, reason, waitMs > 0 ? waitMs : null],
    );
  }

  /** An open payment keeps its reference: the package knows it, and never asks twice. */
  private async openReference(client: PoolClient, number: string): Promise<string> {
    const { rows } = await client.query<{ readonly reference: string; readonly outcome: string | null }>(
      'SELECT reference, outcome FROM order_payments WHERE order_number = $1 ORDER BY nr',
      [number],
    );
    const open = rows.find(({ outcome }) => outcome === null);
    if (open) return open.reference;
    const nr = rows.length + 1;
    const reference = referenceOf(number, nr);
    await client.query('INSERT INTO order_payments (reference, order_number, nr) VALUES ($1, $2, $3)', [
      reference,
      number,
      nr,
    ]);
    return reference;
  }
}
