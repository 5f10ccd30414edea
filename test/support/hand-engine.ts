import { type BatchEngine, type BatchJob } from 'nestjs-payments/batches';

/** Keeps jobs until a test runs them; some kinds of jobs run at once. */
export class HandEngine implements BatchEngine {
  readonly name = 'by hand';
  private readonly kept: BatchJob[] = [];
  private given: (job: BatchJob) => Promise<unknown> = () => Promise.resolve();

  constructor(private readonly atOnce: readonly BatchJob['kind'][] = []) {}

  start(run: (job: BatchJob) => Promise<unknown>): void {
    this.given = run;
  }

  async add(jobs: readonly BatchJob[]): Promise<void> {
    for (const job of jobs) {
      if (this.atOnce.includes(job.kind)) await this.run(job);
      else this.kept.push(job);
    }
  }

  run(job: BatchJob): Promise<unknown> {
    return this.given(job);
  }

  /** The job that was given last. */
  get last(): BatchJob {
    const job = this.kept.at(-1);
    if (!job) throw new Error('The engine was given no job.');
    return job;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
