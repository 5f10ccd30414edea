import { type Job, Queue } from 'bullmq';
import { performance } from 'node:perf_hooks';
import { failureLabel, isPaymentsError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { withTimeout } from '../../common/timing.js';
import { type DeliveryQueue, type QueuedDelivery } from '../../webhooks/delivery/delivery-queue.js';
import { closeQueue, succeedsInTime } from './closing.js';
import { JOB_NAME, jobOptions } from './delivery-job.js';
import { OutageLog } from './outage.log.js';
import { producerConnection } from './queue-connection.js';
import { type ResolvedQueueOptions } from './resolve-queue-options.js';

/**
 * The gateway waits: if Redis does not answer within this time, the package answers the delivery with 503.
 */
const ANSWERS_WITHIN_MS = 1_500;

/** The jobs in Redis. */
export class DeliveryStore implements DeliveryQueue {
  readonly queue: Queue<QueuedDelivery>;
  private readonly ready: Promise<unknown>;

  constructor(private readonly options: ResolvedQueueOptions) {
    const { queueName, connection, prefix } = options;
    this.queue = new Queue(queueName, {
      connection: producerConnection(connection),
      ...(prefix === undefined ? {} : { prefix }),
      // The check is a command: if the connection broke during it, this queue would never recover. Workers
      // make the check.
      skipVersionCheck: true,
    });
    const outage = new OutageLog('webhooks are answered 503');
    this.queue.on('error', (error) => {
      outage.failed(error);
    });
    this.ready = this.queue.waitUntilReady();
    this.ready.catch(() => undefined);
  }

  /** Stores a delivery once. If its job has finally failed, a repeated delivery runs it again. */
  add(delivery: QueuedDelivery): Promise<void> {
    return this.run(async () => {
      const job = await this.queue.add(JOB_NAME, delivery, jobOptions(delivery.id, this.options));
      if (await job.isFailed()) await this.rerun(job);
    });
  }

  /** Restarts a finally failed job with all its attempts. Returns false if the job is not failed any more. */
  async rerun(job: Job<QueuedDelivery>): Promise<boolean> {
    try {
      await job.retry('failed', { resetAttemptsMade: true });
      return true;
    } catch (error) {
      if (await job.isFailed()) throw error;
      return false;
    }
  }

  /**
   * Runs commands with a time limit, in any state of the connection.
   *
   * @throws PaymentsStorageError
   */
  async run<T>(commands: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + ANSWERS_WITHIN_MS;
    // Wait for the connection first: otherwise commands would pile up during an outage after their callers
    // gave up.
    await answered(this.ready, deadline);
    return answered(commands(), deadline);
  }

  /** Whether Redis answers. Never rejects. */
  answers(): Promise<boolean> {
    return succeedsInTime(this.run(() => this.queue.isPaused()));
  }

  /** Never rejects, and does not wait for an absent Redis. */
  async close(): Promise<void> {
    await closeQueue(this.queue);
  }
}

function answered<T>(work: Promise<T>, deadline: number): Promise<T> {
  const late = (): Error => new PaymentsStorageError(`Redis did not answer within ${ANSWERS_WITHIN_MS} ms.`);
  return withTimeout(work, deadline, late).catch((error: unknown) => {
    if (isPaymentsError(error)) throw error;
    throw new PaymentsStorageError(`Redis did not do its work: ${failureLabel(error)}.`);
  });
}
