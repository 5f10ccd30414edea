import { DelayedError, type Job, Worker } from 'bullmq';
import { performance } from 'node:perf_hooks';
import { SafeLogger } from '../../common/safe-logger.js';
import { isPaymentsError } from '../../errors/payments-errors.js';
import { withDeadline } from '../../common/timing.js';
import { type QueuedDelivery } from '../../webhooks/delivery/delivery-queue.js';
import { describeEvent, type WebhookAnswer } from '../../webhooks/delivery/webhook-answer.js';
import { closeWorker, pauseWorker } from './closing.js';
import { retryDelayMs } from './delivery-job.js';
import { OutageLog } from './outage.log.js';
import { workerConnection } from './queue-connection.js';
import { type ResolvedQueueOptions, type ResolvedWorkerOptions } from './resolve-queue-options.js';

/** Takes jobs and handles their deliveries until `stop()`. */
export class DeliveryWorker {
  private readonly logger = new SafeLogger('PaymentsQueue');
  private readonly worker: Worker<QueuedDelivery>;
  private readonly running = new Set<Promise<WebhookAnswer>>();
  private stopped = false;

  /** @param work Handles a delivery; rejects if this process cannot. */
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
      // A job survives the death of its worker, but a job that kills every worker must end.
      maxStalledCount: retry.maxAttempts,
      settings: { backoffStrategy: (attemptsMade) => retryDelayMs(attemptsMade, retry, Math.random()) },
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
   * Takes no more jobs, waits for the running ones and closes the connections. Never rejects.
   *
   * @param redisAnswers Whether Redis can record the end of the last jobs.
   */
  async stop(redisAnswers: () => Promise<boolean>): Promise<void> {
    this.stopped = true;
    pauseWorker(this.worker);
    const limit = performance.now() + this.options.shutdownTimeoutMs;
    const { ended } = await withDeadline(Promise.allSettled(this.running), limit);
    if (ended !== 'done') {
      this.logger.warn(
        `${this.running.size} webhooks are still being handled after ${this.options.shutdownTimeoutMs} ms ` +
          '(shutdownTimeoutMs); another worker handles them again once their locks and leases run out.',
      );
    }
    const force = ended !== 'done' || !(await redisAnswers());
    await closeWorker(this.worker, force);
  }

  private async process(job: Job<QueuedDelivery>, token: string | undefined): Promise<void> {
    // The worker took this job while it stopped: leave it to another one.
    if (this.stopped) return putOff(job, token, 0);
    const work = this.work(job.data);
    this.running.add(work);
    try {
      const answer = await work;
      // Only a failed handler uses up an attempt; a busy or absent storage does not.
      if (answer.status === 503) await putOff(job, token, answer.retryAfterSeconds * 1_000);
      if (answer.status === 500)
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

/** Delays a job without using up an attempt. */
async function putOff(job: Job<QueuedDelivery>, token: string | undefined, afterMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + afterMs, token);
  throw new DelayedError();
}
