import { type Job, Queue } from 'bullmq';
import { performance } from 'node:perf_hooks';
import { failureLabel, isPaymentsError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { withDeadline } from '../../common/with-deadline.js';
import { type DeliveryQueue, type QueuedDelivery } from '../../webhooks/delivery/delivery-queue.js';
import { JOB_NAME, jobOptions } from './delivery-job.js';
import { OutageLog } from './outage.log.js';
import { ignoreLateErrors, producerConnection } from './queue-connection.js';
import { type ResolvedQueueOptions } from './resolve-queue-options.js';

/** The gateway waits meanwhile: Redis answers within this time, or the delivery is answered 503. */
const ANSWERS_WITHIN_MS = 1_500;

/** The jobs in Redis, for whoever stores them or looks at them. */
export class DeliveryStore implements DeliveryQueue {
  readonly queue: Queue<QueuedDelivery>;
  private readonly ready: Promise<unknown>;

  constructor(private readonly options: ResolvedQueueOptions) {
    const { queueName, connection, prefix } = options;
    this.queue = new Queue(queueName, {
      connection: producerConnection(connection),
      ...(prefix === undefined ? {} : { prefix }),
      // The check is a command: were the connection lost just then, this queue would be lost for good.
      // Workers do check.
      skipVersionCheck: true,
    });
    const outage = new OutageLog('webhooks are answered 503');
    this.queue.on('error', (error) => {
      outage.failed(error);
    });
    this.ready = this.queue.waitUntilReady();
    this.ready.catch(() => undefined);
  }

  /** Stores a delivery once. One that comes again after its job finally failed gets another run. */
  add(delivery: QueuedDelivery): Promise<void> {
    return this.inTime(async () => {
      const job = await this.queue.add(JOB_NAME, delivery, jobOptions(delivery.id, this.options));
      if (await job.isFailed()) await this.rerun(job);
    });
  }

  /**
   * Lets a job that finally failed begin again with all its attempts. False: it is not among the failed ones
   * any more.
   */
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
   * Runs commands and waits only so long for Redis, whatever state the connection is in.
   *
   * @throws PaymentsStorageError
   */
  async inTime<T>(commands: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + ANSWERS_WITHIN_MS;
    // Waited for apart: commands that begin only once Redis is back would pile up during an outage, and
    // nobody waits for them.
    await answered(this.ready, deadline);
    return answered(commands(), deadline);
  }

  /** Whether Redis is there. Never rejects. */
  answers(): Promise<boolean> {
    return this.inTime(() => this.queue.isPaused()).then(
      () => true,
      () => false,
    );
  }

  /** Never rejects, and does not wait for a Redis that is away. */
  async close(): Promise<void> {
    const closing = this.queue
      .close()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        ignoreLateErrors(this.queue);
      });
    const closed = await withDeadline(closing, performance.now() + ANSWERS_WITHIN_MS);
    if (closed.ended === 'done' && closed.value) return;
    // Not awaited: of a connection that is just being made again nobody hears the end, but it is given up at once.
    this.queue.disconnect().catch(() => undefined);
  }
}

async function answered<T>(work: Promise<T>, deadline: number): Promise<T> {
  const waited = await withDeadline(work, deadline).catch((error: unknown) => {
    if (isPaymentsError(error)) throw error;
    throw new PaymentsStorageError(`Redis did not do its work: ${failureLabel(error)}.`);
  });
  if (waited.ended === 'done') return waited.value;
  throw new PaymentsStorageError(`Redis did not answer within ${ANSWERS_WITHIN_MS} ms.`);
}
