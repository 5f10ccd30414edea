import { type Job } from 'bullmq';
import { PaymentsError } from '../../errors/payments-errors.js';
import { type QueuedDelivery } from '../../webhooks/delivery/delivery-queue.js';
import { type DeliveryStore } from './delivery.store.js';

/**
 * A webhook whose handlers failed in every attempt. It does not name the customer: `PaymentsJournal.get`
 * returns the payment of its reference.
 *
 * @publicApi
 */
export interface FailedWebhook {
  /** The id for `PaymentsQueue.retry`. */
  readonly id: string;
  /** Name of the merchant account. */
  readonly account: string;
  /** Event name, for example `payment.success`. */
  readonly event: string;
  /** The merchant's reference. */
  readonly reference: string;
  /** Number of runs of the handlers. */
  readonly attempts: number;
  /** When the gateway delivered it. */
  readonly deliveredAt: Date;
  /** When the last attempt failed. */
  readonly failedAt: Date;
  /**
   * Why the last attempt failed, in the words of the package or of BullMQ. The worker's log has the handler's
   * own error.
   */
  readonly reason: string;
}

/**
 * Lists the webhooks that finally failed, and runs them again.
 *
 * @hideconstructor
 * @publicApi
 */
export class PaymentsQueue {
  /** A closure keeps the password of Redis out of logs. */
  private readonly store: () => DeliveryStore;

  /** @internal */
  constructor(store: DeliveryStore) {
    this.store = () => store;
  }

  /**
   * Lists finally failed webhooks, the latest first, at most `limit` (default: 100). A webhook stays until a
   * further run succeeds.
   *
   * @throws PaymentsStorageError if Redis does not answer.
   */
  async failed({ limit = 100 }: { readonly limit?: number } = {}): Promise<readonly FailedWebhook[]> {
    if (limit < 1) return [];
    const jobs = await this.store().run(() => this.store().queue.getFailed(0, limit - 1));
    return jobs.map(failedWebhook);
  }

  /**
   * Runs the handlers of a failed webhook again, with all their attempts.
   *
   * @throws PaymentsError with the code `FAILED_WEBHOOK_NOT_FOUND`; PaymentsStorageError if Redis does not
   * answer.
   */
  async retry(id: string): Promise<void> {
    if (await this.store().run(() => this.rerun(id))) return;
    throw new PaymentsError('FAILED_WEBHOOK_NOT_FOUND', 'No webhook with this id is among the failed ones.');
  }

  /**
   * Runs the handlers of all finally failed webhooks again.
   *
   * @returns The number of restarted webhooks.
   * @throws PaymentsStorageError if Redis does not answer; webhooks that it restarted before that stay
   * restarted.
   */
  async retryAll(): Promise<number> {
    const ids = await this.store().run(() => this.store().queue.getRanges(['failed'], 0, -1, true));
    let begun = 0;
    for (const id of ids) if (await this.store().run(() => this.rerun(id))) begun += 1;
    return begun;
  }

  private async rerun(id: string): Promise<boolean> {
    const job = await this.store().queue.getJob(id);
    return job ? this.store().rerun(job) : false;
  }
}

function failedWebhook({
  id,
  data,
  attemptsMade,
  finishedOn,
  failedReason,
}: Job<QueuedDelivery>): FailedWebhook {
  const { account, event, deliveredAt } = data;
  return {
    id: id ?? '',
    account,
    event: event.event,
    reference: event.data.reference,
    attempts: attemptsMade,
    deliveredAt: new Date(deliveredAt),
    failedAt: new Date(finishedOn ?? 0),
    reason: failedReason,
  };
}
