import { Injectable } from '@nestjs/common';
import { PaymentsJournal } from 'nestjs-payments';
import { type PoolClient } from 'pg';
import { Database } from '../database/database.js';
import { inTransaction } from '../database/in-transaction.js';
import { journalVerdict, type JournalVerdict } from './journal-verdict.js';
import { settleOrder } from './settle-order.js';

/** Longer than any call takes: no instance works on an older order. */
const LEFT_ALONE = '2 minutes';
/** How long an operator may still settle a payment whose request was refused. */
const SETTLED_LATE = '30 days';
const PAGE = 500;

interface LeftOrder {
  readonly number: string;
  readonly reference: string;
  readonly version: number;
}

/** Reconciles orders with the journal after a crash or an operator's `settle()`. */
@Injectable()
export class OrdersReconciler {
  constructor(
    private readonly database: Database,
    private readonly journal: PaymentsJournal,
  ) {}

  async reconcile(): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: readonly LeftOrder[] = await this.leftOrders(after);
      for (const order of page) await this.reconcileOne(order);
      after = page.at(-1)?.number;
    }
  }

  private async reconcileOne(order: LeftOrder): Promise<void> {
    const verdict = journalVerdict(await this.journal.get('collection', order.reference));
    await inTransaction(this.database.pool, (client) => this.apply(client, order, verdict));
  }

  /** @param after The number of the last order of the page before. */
  private async leftOrders(after: string): Promise<readonly LeftOrder[]> {
    const { rows } = await this.database.pool.query<LeftOrder>(
      `SELECT number, reference, version FROM orders JOIN order_payments ON order_number = number
       WHERE state IN ('asking', 'waiting', 'unknown', 'stale', 'failed') AND outcome IS NULL
         AND changed_at < now() - interval '${LEFT_ALONE}'
         AND (state <> 'failed' OR changed_at > now() - interval '${SETTLED_LATE}') AND number > $1 ORDER BY number LIMIT ${PAGE}`,
      [after],
    );
    return rows;
  }

  /** An outcome is final. Any other result skips an order that has changed since. */
  private async apply(client: PoolClient, order: LeftOrder, verdict: JournalVerdict): Promise<void> {
    const { number, reference, version } = order;
    if (verdict.kind === 'ended') {
      await settleOrder(client, reference, verdict.outcome);
    } else if (verdict.kind === 'not-asked') {
      await client.query(
        `UPDATE orders SET state = 'failed', reason = $3 WHERE number = $1 AND version = $2 AND state <> 'failed'`,
        [number, version, verdict.reason],
      );
    } else {
      // A waiting or stale order stays so.
      await client.query(
        `UPDATE orders SET state = $3 WHERE number = $1 AND version = $2
           AND state IN ('asking', 'unknown') AND state <> $3`,
        [number, version, verdict.state],
      );
    }
  }
}
