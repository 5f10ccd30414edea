import { type BulkJobOptions, Queue } from 'bullmq';
import { performance } from 'node:perf_hooks';
import { type BatchJob, jobId } from '../../batches/engine/batch-engine.js';
import { inTime, withDeadline } from '../../common/timing.js';
import { failureLabel, isPaymentsError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { type EngineSettings } from './engine-settings.js';
import { type OutageLog } from './outage.log.js';
import { ignoreLateErrors } from './queue-connection.js';

/** A thousand jobs at once take a part of a second. */
const TAKES_WITHIN_MS = 5_000;
const ANSWERS_WITHIN_MS = 1_500;
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
      await inTime(this.queue.waitUntilReady(), deadline, late);
      await inTime(this.queue.addBulk(jobs.map((job) => bulkJob(job, delayMs))), deadline, late);
    } catch (failure) {
      throw isPaymentsError(failure) ? failure : this.problem(failureLabel(failure));
    }
  }

  /** Whether the place of the jobs answers. Never rejects. */
  answers(): Promise<boolean> {
    return succeeds(this.queue.isPaused());
  }

  /** Never rejects, and does not wait for an absent Redis. */
  async close(): Promise<void> {
    const closing = this.queue.close().finally(() => {
      ignoreLateErrors(this.queue);
    });
    if (await succeeds(closing)) return;
    // Not awaited: a reconnecting client never resolves, although it stops at once.
    this.queue.disconnect().catch(() => undefined);
  }

  private problem(reason: string): PaymentsStorageError {
    return new PaymentsStorageError(`The queue of batches did not take the work: ${reason}.`, {
      hint: `Check ${this.place}, then do it again: what was taken before is kept once.`,
    });
  }
}

/** Whether it succeeds in time. */
async function succeeds(work: Promise<unknown>): Promise<boolean> {
  const done = work.then(
    () => true,
    () => false,
  );
  const waited = await withDeadline(done, performance.now() + ANSWERS_WITHIN_MS);
  return waited.ended === 'done' && waited.value;
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
      attempts: FOR_EVER,
      backoff: { type: 'custom' },
      removeOnComplete: true,
      // A job may fail for as long as an outage lasts: only its last failure is kept.
      stackTraceLimit: 1,
    },
  };
}
