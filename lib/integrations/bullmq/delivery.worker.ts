import { DelayedError, type Job, Worker } from 'bullmq';
import { performance } from 'node:perf_hooks';
import { SafeLogger } from '../../common/safe-logger.js';
import { isPaymentsError } from '../../errors/payments-errors.js';
import { withDeadline } from '../../common/with-deadline.js';
import { type QueuedDelivery } from '../../webhooks/delivery/delivery-queue.js';
import { describeEvent, type WebhookAnswer } from '../../webhooks/delivery/webhook-answer.js';
import { backoffMs, endOfJob } from './delivery-job.js';
import { OutageLog } from './outage.log.js';
import { ignoreLateErrors, workerConnection } from './queue-connection.js';
import { type ResolvedQueueOptions, type ResolvedWorkerOptions } from './resolve-queue-options.js';

/** After the last job ended, its end is written down and the connections are closed within this time. */
const CLOSES_WITHIN_MS = 2_000;

/** Takes jobs and has their deliveries worked on, until it is told to stop. */
export class DeliveryWorker {
  private readonly logger = new SafeLogger('PaymentsQueue');
  private readonly worker: Worker<QueuedDelivery>;
  private readonly running = new Set<Promise<WebhookAnswer>>();
  private stopped = false;

  /** @param work What does the work; rejects where this process cannot do it. */
  constructor(
    private readonly options: ResolvedQueueOptions,
    { concurrency, lockMs }: ResolvedWorkerOptions,
    private readonly work: (delivery: QueuedDelivery) => Promise<WebhookAnswer>,
  ) {
    const { queueName, connection, prefix, retry } = options;
    this.worker = new Worker<QueuedDelivery>(queueName, (job, token) => this.process(job, token), {
      connection: workerConnection(connection),
      ...(prefix === undefined ? {} : { prefix }),
      concurrency,
      lockDuration: lockMs,
      stalledInterval: lockMs,
      // A job whose worker died is not lost for that, but one that kills every worker must end.
      maxStalledCount: retry.maxAttempts,
      settings: { backoffStrategy: (attemptsMade) => backoffMs(attemptsMade, retry, Math.random()) },
    });
    const outage = new OutageLog('stored webhooks wait');
    this.worker.on('error', (error) => {
      if (!this.stopped) outage.failed(error);
    });
    this.worker.on('failed', (job, error) => {
      if (isPaymentsError(error)) this.logger.error(error.message);
      if (job?.finishedOn !== undefined) this.reportFinalFailure(job);
    });
  }

  /**
   * Takes no more jobs, waits for those that run, closes the connections. Never rejects.
   *
   * @param redisAnswers Whether Redis is there to write down how the last jobs ended.
   */
  async stop(redisAnswers: () => Promise<boolean>): Promise<void> {
    this.stopped = true;
    // BullMQ 5 may begin another pause between two looks for stalled jobs after it was closed, and keep the
    // process up for it.
    this.worker.opts.stalledInterval = 1;
    this.worker.pause(true).catch(() => undefined);
    const limit = performance.now() + this.options.shutdownTimeoutMs;
    const { ended } = await withDeadline(Promise.allSettled(this.running), limit);
    if (ended !== 'done') {
      this.logger.warn(
        `${this.running.size} webhooks are still being handled after ${this.options.shutdownTimeoutMs} ms ` +
          '(shutdownTimeoutMs); another worker handles them again once their locks and leases run out.',
      );
    }
    const force = ended !== 'done' || !(await redisAnswers());
    const closing = this.worker
      .close(force)
      .catch(() => undefined)
      .finally(() => {
        ignoreLateErrors(this.worker);
      });
    await withDeadline(closing, performance.now() + CLOSES_WITHIN_MS);
  }

  private async process(job: Job<QueuedDelivery>, token: string | undefined): Promise<void> {
    // Taken at the very moment when the worker was told to stop: for another one.
    if (this.stopped) return putOff(job, token, 0);
    const work = this.work(job.data);
    this.running.add(work);
    try {
      const end = endOfJob(await work);
      if (end.end === 'later') await putOff(job, token, end.afterMs);
      if (end.end === 'failed')
        throw new Error('A handler failed: the log of the worker says which one and why.');
    } finally {
      this.running.delete(work);
    }
  }

  private reportFinalFailure(job: Job<QueuedDelivery>): void {
    this.logger.error(
      `${describeEvent(job.data.event)} finally failed after ${job.attemptsMade} attempts and stays in the queue: ` +
        `see PaymentsQueue.failed(), and run it again with PaymentsQueue.retry('${job.id ?? ''}').`,
    );
  }
}

/** Without using up an attempt. */
async function putOff(job: Job<QueuedDelivery>, token: string | undefined, afterMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + afterMs, token);
  throw new DelayedError();
}
