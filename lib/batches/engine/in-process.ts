import { inspect } from 'node:util';
import { isRecord } from '../../common/json-object.js';
import { backOffMs, pause, stopController } from '../../common/timing.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { count, readOptions } from '../../config/option.js';
import { type OptionError, refuseUnknown } from '../../errors/option-errors.js';
import { PaymentsConfigError, failureLabel } from '../../errors/payments-errors.js';
import { BACK_OFF, type BatchEngine, type BatchJob, failsAlone, hasNoBatch, jobId } from './batch-engine.js';

/**
 * Options of `inProcess`.
 *
 * @publicApi
 */
export interface InProcessOptions {
  /** How many chunks are worked on at once: 1 to 100. @default 1 */
  readonly concurrency?: number;
}

const NUMBERS = { concurrency: count({ min: 1, max: 100, default: 1 }) };

const error: OptionError = (option, problem) =>
  new PaymentsConfigError(`inProcess option \`${option}\` ${problem}`);

/**
 * Runs the jobs of batches in the application's own process, for one machine. Jobs are in memory: when the application starts
 * again, it continues with every batch that was being checked or paid.
 *
 * @throws PaymentsConfigError if an option is unknown, or `concurrency` is not a whole number from 1 to 100.
 *
 * @example
 * ```ts
 * PayoutBatchesModule.forRoot({ engine: inProcess() })
 * ```
 *
 * @publicApi
 */
export function inProcess(options: InProcessOptions = {}): BatchEngine {
  if (!isRecord(options))
    throw error('options', 'must be an object: write { concurrency: 1 }, or leave it out.');
  refuseUnknown(options, Object.keys(NUMBERS), error);
  return new InProcessEngine(readOptions(NUMBERS, { ...options }, '', error).concurrency);
}

class InProcessEngine implements BatchEngine {
  readonly name = 'in-process';
  private readonly logger = new SafeLogger('PayoutBatches');
  private closing = stopController();
  /** In the order in which they came. */
  private readonly waiting = new Map<string, BatchJob>();
  private readonly delayed = new Map<string, Promise<void>>();
  private readonly workers = new Set<Promise<void>>();
  /**
   * What failed and has not succeeded since, and waits before its next try. A job that failed because of its own
   * lines is here by its id; a batch of which a job failed otherwise, by its load. Nothing else waits for them.
   */
  private readonly failing = new Map<string, { readonly failures: number; isHeld: boolean }>();
  private run: ((job: BatchJob) => Promise<unknown>) | undefined;

  constructor(private readonly concurrency: number) {}

  start(run: (job: BatchJob) => Promise<unknown>): void {
    // The options of a module are made once, and its application may be started again in the same process, as tests do.
    if (this.closing.signal.aborted) {
      this.closing = stopController();
      this.waiting.clear();
      this.failing.clear();
    }
    this.run = run;
    this.work();
  }

  add(jobs: readonly BatchJob[], delayMs = 0): Promise<void> {
    if (delayMs > 0) for (const job of jobs) this.later(job, delayMs);
    else this.put(jobs);
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all([...this.workers, ...this.delayed.values()]);
  }

  [inspect.custom](): string {
    return `InProcessEngine { ${this.waiting.size} jobs }`;
  }

  private put(jobs: readonly BatchJob[]): void {
    for (const job of jobs) this.waiting.set(jobId(job), job);
    this.work();
  }

  private later(job: BatchJob, delayMs: number): void {
    const id = jobId(job);
    if (this.delayed.has(id)) return;
    const waited = pause(delayMs, this.closing.signal).then(() => {
      this.delayed.delete(id);
      if (this.closing.signal.aborted) return;
      // Before what waits for a worker: a look for one batch must not wait behind the chunks of another.
      const others = [...this.waiting.values()];
      this.waiting.clear();
      this.put([job, ...others]);
    });
    this.delayed.set(id, waited);
  }

  private work(): void {
    while (this.run && this.workers.size < this.concurrency) {
      const job = this.take();
      if (!job) return;
      const worker = this.workOn(job, this.run).finally(() => {
        this.workers.delete(worker);
        this.work();
      });
      this.workers.add(worker);
    }
  }

  private async workOn(job: BatchJob, run: (job: BatchJob) => Promise<unknown>): Promise<void> {
    const { batch, load } = job;
    const id = jobId(job);
    try {
      await run(job);
      this.succeeded(id, load);
    } catch (error) {
      // Jobs come from this process: the batch was purged.
      if (hasNoBatch(error)) {
        this.logger.warn(`A chunk of the batch "${batch}" is not tried again: ${failureLabel(error)}`);
        this.succeeded(id, load);
        return;
      }
      if (this.closing.signal.aborted) return;
      this.logger.warn(`A chunk of the batch "${batch}" is tried again: ${failureLabel(error)}`);
      this.waiting.set(id, job);
      this.hold(failsAlone(error) ? id : load);
    }
  }

  private succeeded(id: string, load: string): void {
    this.failing.delete(id);
    this.failing.delete(load);
  }

  /** Lets a job wait, or a batch. Several chunks that fail at once are one failure of their batch. */
  private hold(failing: string): void {
    const before = this.failing.get(failing);
    if (before?.isHeld) return;
    const held = { failures: (before?.failures ?? 0) + 1, isHeld: true };
    this.failing.set(failing, held);
    void pause(backOffMs(held.failures, BACK_OFF), this.closing.signal).then(() => {
      held.isHeld = false;
      this.work();
    });
  }

  private take(): BatchJob | undefined {
    if (this.closing.signal.aborted) return undefined;
    for (const [id, job] of this.waiting) {
      if (this.failing.get(job.load)?.isHeld || this.failing.get(id)?.isHeld) continue;
      this.waiting.delete(id);
      return job;
    }
    return undefined;
  }
}
