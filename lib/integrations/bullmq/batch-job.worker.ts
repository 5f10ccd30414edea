import { type Job, Worker } from 'bullmq';
import { performance } from 'node:perf_hooks';
import { BACK_OFF, type BatchJob, hasNoBatch } from '../../batches/engine/batch-engine.js';
import { CHUNK_LINES } from '../../batches/loading/chunk-lines.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { backOffMs } from '../../common/timing.js';
import { failureLabel, isPaymentsError } from '../../errors/payments-errors.js';
import { FOR_EVER } from './batch-job.queue.js';
import { closeWorker, pauseWorker } from './closing.js';
import { type EngineSettings } from './engine-settings.js';
import { type OutageLog } from './outage.log.js';

/** In a row; about three quarters of an hour. */
const TRIES_WITHOUT_BATCH = 100;

/** A job as BullMQ keeps it. */
interface KeptJob extends BatchJob {
  /**
   * How many tries in a row were those of processes without the batch. BullMQ counts all tries: an outage would use them up,
   * and the first process without the batch would drop the job.
   */
  readonly strangers?: number;
}

/** Takes the jobs of batches from BullMQ and runs them until `stop()`. */
export class BatchJobWorker {
  private readonly logger = new SafeLogger('PayoutBatches');
  private readonly worker: Worker<KeptJob>;
  private readonly running = new Set<Promise<void>>();
  /** How long nobody begins another job after one began, in milliseconds; undefined without a rate. */
  private readonly turnMs: number | undefined;
  private isStopping = false;

  /**
   * @param run Runs a job, and rejects if it should run again later.
   * @param returnTurn Lets another job begin at once.
   */
  constructor(
    { queueName, jobs, prefix, linesPerSecond, concurrency, lockMs }: EngineSettings,
    outage: OutageLog,
    private readonly run: (job: BatchJob) => Promise<unknown>,
    private readonly returnTurn: () => Promise<void>,
  ) {
    this.turnMs = linesPerSecond && Math.ceil((CHUNK_LINES / linesPerSecond) * 1_000);
    const options = {
      connection: jobs.worker,
      ...(prefix === undefined ? {} : { prefix }),
      concurrency,
      lockDuration: lockMs,
      stalledInterval: lockMs,
      // A chunk that was begun is begun again by another process, as often as it takes: the journal keeps its payments single.
      maxStalledCount: FOR_EVER,
      settings: { backoffStrategy: (attempts: number) => backOffMs(attempts, BACK_OFF) },
      ...(this.turnMs !== undefined && { limiter: { max: 1, duration: this.turnMs } }),
    };
    const work = (job: Job<KeptJob>): Promise<void> => this.process(job);
    this.worker = new Worker<KeptJob>(queueName, work, options, jobs.backend as undefined);
    this.worker.on('error', (failure) => {
      if (!this.isStopping) outage.failed(failure);
    });
  }

  /**
   * Takes no more jobs, waits for the running ones and closes the connections. Never rejects.
   *
   * @param answers Whether the end of the last jobs can be recorded.
   */
  async stop(answers: () => Promise<boolean>): Promise<void> {
    this.isStopping = true;
    pauseWorker(this.worker);
    await Promise.allSettled(this.running);
    await closeWorker(this.worker, !(await answers()));
  }

  private async process(job: Job<KeptJob>): Promise<void> {
    // The worker took this job while it stopped: it stays for another one.
    if (this.isStopping) throw new Error('The application stops.');
    const { strangers = 0, ...batchJob } = job.data;
    const work = this.work(batchJob);
    this.running.add(work);
    await work
      .catch((failure: unknown) => this.failed(job, strangers, failure))
      .finally(() => this.running.delete(work));
  }

  /** BullMQ counts each job at the rate when it begins. Those that had nothing to do would hold back the others for hours. */
  private async work(job: BatchJob): Promise<void> {
    const beganAt = performance.now();
    const hadLines = await this.run(job);
    // Much later, it may be the turn of a job that another process has begun since.
    const isOwnTurn = this.turnMs !== undefined && performance.now() - beganAt < this.turnMs / 2;
    if (hadLines === false && isOwnTurn) await this.returnTurn();
  }

  private async failed(job: Job<KeptJob>, before: number, failure: unknown): Promise<void> {
    const { batch } = job.data;
    const label = failureLabel(failure);
    const strangers = strangersAfter(before, failure);
    if (strangers >= TRIES_WITHOUT_BATCH) {
      this.logger.error(`A chunk of the batch "${batch}" is not tried again: ${label}`);
      return;
    }
    // Nobody else says it: BullMQ only keeps the job, and runs it again.
    if (!this.isStopping) this.logger.warn(`A chunk of the batch "${batch}" is tried again: ${label}`);
    // A count that is lost costs a few more tries.
    if (strangers !== before) await job.updateData({ ...job.data, strangers }).catch(() => undefined);
    // BullMQ keeps the message and the stack, and those of another library may repeat a name or a number.
    throw new Error(label);
  }
}

/** What a try says that never came to look for its batch. */
const LOOKED_FOR_NO_BATCH: readonly string[] = ['ACCOUNT_UNKNOWN', 'STOPPING'];

function strangersAfter(before: number, failure: unknown): number {
  if (hasNoBatch(failure)) return before + 1;
  return isPaymentsError(failure) && LOOKED_FOR_NO_BATCH.includes(failure.code) ? before : 0;
}
