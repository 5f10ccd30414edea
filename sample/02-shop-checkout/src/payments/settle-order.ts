import { type PoolClient } from 'pg';

export type CollectionOutcome = 'success' | 'failed' | 'cancelled' | 'expired';

/**
 * The effect of a payment's outcome on its order. `nothing`: it was known, or another payment of the order
 * counts.
 */
export type SettleEffect = 'paid' | 'failed' | 'nothing' | 'paid twice' | 'other amount' | 'no such payment';

interface StoredPayment {
  readonly order_number: string;
  readonly outcome: string | null;
  readonly may_pay: boolean;
}

/**
 * Stores a payment's outcome, in the caller's transaction.
 *
 * @param paid The amount that a webhook names. The package has compared it only if the journal still has the request.
 */
export async function settleOrder(
  client: PoolClient,
  reference: string,
  outcome: CollectionOutcome,
  paid?: string,
): Promise<SettleEffect> {
  const { rows } = await client.query<StoredPayment>(
    `SELECT order_number, outcome, state = 'paid' OR amount = coalesce($2, amount) AS may_pay
     FROM order_payments JOIN orders ON number = order_number WHERE reference = $1 FOR UPDATE`,
    [reference, paid],
  );
  const [payment] = rows;
  if (!payment) return 'no such payment';
  if (payment.outcome === outcome) return 'nothing';
  if (outcome === 'success' && !payment.may_pay) {
    await review(client, reference);
    return 'other amount';
  }
  await client.query('UPDATE order_payments SET outcome = $2 WHERE reference = $1', [reference, outcome]);
  const { order_number: number } = payment;
  return outcome === 'success' ? pay(client, number) : fail(client, number, reference, outcome);
}

/** A person decides about the order, unless it is paid. */
export async function review(client: PoolClient, reference: string): Promise<void> {
  await client.query(
    `UPDATE orders SET state = 'review', reason = NULL FROM order_payments
     WHERE reference = $1 AND number = order_number AND state <> 'paid'`,
    [reference],
  );
}

async function pay(client: PoolClient, number: string): Promise<SettleEffect> {
  const { rows } = await client.query<{ readonly product: string }>(
    `UPDATE orders SET state = 'paid', reason = NULL WHERE number = $1 AND state <> 'paid' RETURNING product`,
    [number],
  );
  const product = rows[0]?.product;
  if (product === undefined) return 'paid twice';
  await client.query('UPDATE products SET sold = sold + 1 WHERE id = $1', [product]);
  return 'paid';
}

/** Only the order's latest payment can fail it: an earlier one says nothing about later requests. */
async function fail(
  client: PoolClient,
  number: string,
  reference: string,
  outcome: CollectionOutcome,
): Promise<SettleEffect> {
  const { rowCount } = await client.query(
    `UPDATE orders SET state = 'failed', reason = $3 WHERE number = $1 AND state NOT IN ('paid', 'failed', 'review')
       AND $2 = (SELECT reference FROM order_payments WHERE order_number = $1 ORDER BY nr DESC LIMIT 1)`,
    [number, reference, outcome],
  );
  return rowCount === 1 ? 'failed' : 'nothing';
}
