import { EventEmitter, once } from 'node:events';
import { type BatchEngine, type BatchJob } from 'nestjs-payments/batches';

/** A job that comes twice is kept once. */
const keyOf = (job: BatchJob): string => JSON.stringify(job);

/** The jobs of all processes, which outlive each of them; a story says which one runs when. */
export class JobQueue {
  private readonly jobs = new Map<string, BatchJob>();
  private readonly news = new EventEmitter();

  get waiting(): readonly BatchJob[] {
    return [...this.jobs.values()];
  }

  add(jobs: readonly BatchJob[]): void {
    for (const job of jobs) this.jobs.set(keyOf(job), job);
    this.news.emit('added');
  }

  remove(job: BatchJob): void {
    this.jobs.delete(keyOf(job));
  }

  clear(): void {
    this.jobs.clear();
  }

  async added(signal: AbortSignal): Promise<void> {
    await once(this.news, 'added', { signal }).catch(() => undefined);
  }
}

/** The engine of one process: it begins nothing by itself. */
export class DrivenEngine implements BatchEngine {
  readonly name = 'driven';
  private work: ((job: BatchJob) => Promise<void>) | undefined;

  constructor(private readonly queue: JobQueue) {}

  start(run: (job: BatchJob) => Promise<void>): void {
    this.work = run;
  }

  /** Delays are left out: a story may run every job at any time. */
  add(jobs: readonly BatchJob[]): Promise<void> {
    this.queue.add(jobs);
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Whether it ended; a job that failed is to run again. */
  async run(job: BatchJob): Promise<boolean> {
    if (!this.work) throw new Error('The application has not started.');
    return this.work(job).then(
      () => true,
      () => false,
    );
  }
}
