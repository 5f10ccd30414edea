import { type PaymentsEnvironment } from '../../common/vocabulary.js';
import { isPaymentsError } from '../../errors/payments-errors.js';

/**
 * A piece of work on a batch.
 *
 * - `check`: looks up the recipients of a chunk.
 * - `pay`: sends the lines of a chunk.
 * - `wake`: looks whether a batch may continue that pauses, or that waits for keys of its environment.
 *
 * @publicApi
 */
export interface BatchJob {
  /** What is to be done. */
  readonly kind: 'check' | 'pay' | 'wake';
  /** Name of the merchant account. */
  readonly account: string;
  /** Which environment the account's keys belong to. */
  readonly environment: PaymentsEnvironment;
  /** Name of the batch. */
  readonly batch: string;
  /** Identifies the lines of the batch. */
  readonly load: string;
  /** Number of the run: each start, resume or check has its own. */
  readonly round: number;
  /** Number of the chunk; for `wake`, which tells its looks apart, any number. */
  readonly chunk: number;
}

/**
 * Runs the jobs of batches: `inProcess()` on one machine, `bullmqEngine()` on several. A job may run twice, at once or one
 * after the other, and on any machine: the storage and the journal keep each payment single.
 *
 * @publicApi
 */
export interface BatchEngine {
  /** For messages, for example `in-process`. */
  readonly name: string;
  /**
   * Begins to run jobs. Called once, when the application has started.
   *
   * @param run Runs a job, and rejects if it should run again later: with the code `BATCH_NOT_FOUND` if this process
   * has no such batch. Then the batch was purged, or the job belongs to processes with another storage or of another
   * environment, and the engine may drop it after some tries. It resolves to false if the job did not look at any line, for
   * example because somebody paused the batch: an engine with a rate need not count it.
   */
  start(run: (job: BatchJob) => Promise<unknown>): Promise<void> | void;
  /**
   * Keeps jobs until they have run. A job that it keeps already is kept once.
   *
   * @param delayMs How long they wait at least.
   */
  add(jobs: readonly BatchJob[], delayMs?: number): Promise<void>;
  /** Begins no further job, and waits for those that run. */
  close(): Promise<void>;
}

/** The waits before work on a batch is tried again. */
export const BACK_OFF = { baseDelayMs: 1_000, maxDelayMs: 60_000 };

/** The same text for the same job. */
export function jobId({ kind, account, environment, load, round, chunk }: BatchJob): string {
  return [kind, account, environment, load, round, chunk].join('-');
}

/** Whether a job failed because this process has no such batch. */
export function hasNoBatch(failure: unknown): boolean {
  return isPaymentsError(failure) && failure.code === 'BATCH_NOT_FOUND';
}

const OF_ITS_CHUNK_ALONE: readonly string[] = ['LOOKUP_FAILED', 'CHUNK_OPEN'];

/** Whether a job failed because of lines of its chunk, so that the other chunks of the batch may succeed meanwhile. */
export function failsAlone(failure: unknown): boolean {
  return isPaymentsError(failure) && OF_ITS_CHUNK_ALONE.includes(failure.code);
}
