import { Injectable, Logger } from '@nestjs/common';
import { type JournalEntry, PaymentsJournal } from 'nestjs-payments';
import { OrdersStore } from '../orders/orders.store.js';
import { outcomeOf } from './order.outcomes.js';
import { Receipts } from './receipts.js';

const MAIL_MS = 5_000;
/** A worker may be handling the webhook of what has changed since then. */
const LEFT_ALONE_MS = 300_000;

/**
 * Does for undecided orders what the handlers do. A status answer, the answer of a probe and `settle()` end a payment
 * without a webhook, and so without a handler.
 */
@Injectable()
export class OrdersReconciler {
  private readonly logger = new Logger(OrdersReconciler.name);

  constructor(
    private readonly journal: PaymentsJournal,
    private readonly orders: OrdersStore,
    private readonly receipts: Receipts,
  ) {}

  /** Two workers may run it at the same time, also beside a webhook: a repetition writes and mails the same. */
  async reconcile(): Promise<void> {
    for (const reference of await this.orders.undecided()) {
      try {
        const payment = await this.journal.get('collection', reference);
        if (payment && Date.now() - payment.updatedAt.getTime() > LEFT_ALONE_MS) await this.apply(payment);
      } catch (error) {
        this.logger.error(`${reference} is looked at again later`, error);
      }
    }
  }

  /** Mails first: an order without its receipt stays undecided, and is looked at again. */
  private async apply({ reference, amount, state, outcome, final }: JournalEntry): Promise<void> {
    if (outcome === undefined) {
      if (state === 'rejected' && final) await this.orders.asked(reference, 'refused');
      return;
    }
    const order = await this.orders.find(reference);
    const decided = outcomeOf(order, outcome, amount);
    if (decided === 'paid') await this.receipts.mail(order, AbortSignal.timeout(MAIL_MS));
    const counts = await this.orders.decided(reference, decided);
    this.logger.log(`${reference} is ${counts}: the journal says ${decided}`);
  }
}
