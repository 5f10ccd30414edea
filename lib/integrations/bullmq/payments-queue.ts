import { type Job } from 'bullmq';
import { PaymentsError } from '../../errors/payments-errors.js';
import { type QueuedDelivery } from '../../webhooks/delivery/delivery-queue.js';
import { type DeliveryStore } from './delivery.store.js';

/**
 * A webhook whose handlers failed in every attempt. Whom the payment is from is not in it:
 * `PaymentsJournal.get` knows the payment by its reference.
 *
 * @publicApi
 */
export interface FailedWebhook {
  /** What `PaymentsQueue.retry` takes. */
  readonly id: string;
  /** Name of the merchant account. */
  readonly account: string;
  /** Event name, for example `payment.success`. */
  readonly event: string;
  /** The merchant's reference. */
  readonly reference: string;
  /** How often the handlers ran. */
  readonly attempts: number;
  /** When the gateway delivered it. */
  readonly deliveredAt: Date;
  /** When the last attempt failed. */
  readonly failedAt: Date;
  /**
   * Why the last attempt failed, in the words of the package or of BullMQ; the handler's own error is in the
   * worker's log.
   */
  readonly reason: string;
}

/**
 * The webhooks that wait in Redis for a worker: what finally failed, and how to run it again.
 *
 * @hideconstructor
 * @publicApi
 */
export class PaymentsQueue {
  /** In a closure: whoever prints an object that leads here does not print the password of Redis. */
  private readonly store: () => DeliveryStore;

  constructor(store: DeliveryStore) {
    this.store = () => store;
  }

  /**
   * What finally failed, the latest first; at most `limit`, which is 100 where it is left out. It stays until
   * it is run again and succeeds.
   *
   * @throws PaymentsStorageError if Redis does not answer.
   */
  async failed({ limit = 100 }: { readonly limit?: number } = {}): Promise<readonly FailedWebhook[]> {
    if (limit < 1) return [];
    const jobs = await this.store().inTime(() => this.store().queue.getFailed(0, limit - 1));
    return jobs.map(failedWebhook);
  }

  /**
   * Lets the handlers of a failed webhook run again, with all their attempts.
   *
   * @throws PaymentsError with the code `FAILED_WEBHOOK_NOT_FOUND`; PaymentsStorageError where Redis does not answer.
   */
  async retry(id: string): Promise<void> {
    if (await this.store().inTime(() => this.rerun(id))) return;
    throw new PaymentsError('FAILED_WEBHOOK_NOT_FOUND', 'No webhook with this id is among the failed ones.');
  }

  /**
   * Lets the handlers of everything that has finally failed until now run again.
   *
   * @returns How many webhooks begin again.
   * @throws PaymentsStorageError if Redis does not answer; those that began before that stay begun.
   */
  async retryAll(): Promise<number> {
    const ids = await this.store().inTime(() => this.store().queue.getRanges(['failed'], 0, -1, true));
    let begun = 0;
    for (const id of ids) if (await this.store().inTime(() => this.rerun(id))) begun += 1;
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
