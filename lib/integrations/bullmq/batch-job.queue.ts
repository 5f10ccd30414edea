import { type BulkJobOptions, Queue } from 'bullmq';
import { performance } from 'node:perf_hooks';
import { type BatchJob, jobId } from '../../batches/engine/batch-engine.js';
import { withTimeout } from '../../common/timing.js';
import { failureLabel, isPaymentsError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { closeQueue, succeedsInTime } from './closing.js';
import { type EngineSettings } from './engine-settings.js';
import { type OutageLog } from './outage.log.js';

/** A thousand jobs at once take a part of a second. */
const TAKES_WITHIN_MS = 5_000;
/** The largest integer of a column in PostgreSQL. */
export const FOR_EVER = 2 ** 31 - 1;

/** Gives the jobs of batches to BullMQ. */
export class BatchJobQueue {
  private readonly queue: Queue<BatchJob>;
  private readonly place: string;

  constructor({ queueName, jobs, prefix }: EngineSettings, outage: OutageLog) {
    const options = {
      connection: jobs.producer,
      ...(prefix === undefined ? {} : { prefix }),
      skipVersionCheck: true,
    };
    this.place = jobs.name;
    this.queue = new Queue<BatchJob>(queueName, options, jobs.backend as undefined);
    this.queue.on('error', (failure) => {
      outage.failed(failure);
    });
  }

  /**
   * Keeps jobs until they have run, in any state of the connection.
   *
   * @throws PaymentsStorageError
   */
  async add(jobs: readonly BatchJob[], delayMs: number): Promise<void> {
    const deadline = performance.now() + TAKES_WITHIN_MS;
    const late = (): Error => this.problem(`${this.place} did not answer within ${TAKES_WITHIN_MS} ms`);
    try {
      // Wait for the connection first: otherwise jobs would pile up during an outage after their callers gave up.
      await withTimeout(this.queue.waitUntilReady(), deadline, late);
      await withTimeout(this.queue.addBulk(jobs.map((job) => bulkJob(job, delayMs))), deadline, late);
    } catch (failure) {
      throw isPaymentsError(failure) ? failure : this.problem(failureLabel(failure));
    }
  }

  /** Lets the next job begin at once, also if the rate would hold it back. Never rejects. */
  async returnTurn(): Promise<void> {
    await succeedsInTime(this.queue.removeRateLimitKey());
  }

  /** Whether the place of the jobs answers. Never rejects. */
  answers(): Promise<boolean> {
    return succeedsInTime(this.queue.isPaused());
  }

  /** Never rejects, and does not wait for an absent Redis. */
  async close(): Promise<void> {
    await closeQueue(this.queue);
  }

  private problem(reason: string): PaymentsStorageError {
    return new PaymentsStorageError(`The queue of batches did not take the work: ${reason}.`, {
      hint: `Check ${this.place}, then do it again: what was taken before is kept once.`,
    });
  }
}

function bulkJob(
  data: BatchJob,
  delay: number,
): { readonly name: string; readonly data: BatchJob; readonly opts: BulkJobOptions } {
  return {
    name: data.kind,
    data,
    opts: {
      jobId: jobId(data),
      delay,
      // Jobs without a priority come first: a batch that may continue does not wait behind the chunks of others.
      ...(data.kind !== 'wake' && { priority: 1 }),
      attempts: FOR_EVER,
      backoff: { type: 'custom' },
      removeOnComplete: true,
      // A job may fail for as long as an outage lasts: only its last failure is kept.
      stackTraceLimit: 1,
    },
  };
}
