import { type BatchEngine, type BatchJob, inProcess } from 'nestjs-payments/batches';

/** Works in the process, and keeps what is to happen later until a test lets it happen. */
export class PatientEngine implements BatchEngine {
  readonly name = 'patient';
  private readonly engine = inProcess();
  /** A job that comes twice is kept once. */
  private readonly later = new Map<string, BatchJob>();

  start(run: (job: BatchJob) => Promise<void>): Promise<void> | void {
    return this.engine.start(run);
  }

  add(jobs: readonly BatchJob[], delayMs = 0): Promise<void> {
    if (delayMs === 0) return this.engine.add(jobs);
    for (const job of jobs) this.later.set(JSON.stringify(job), job);
    return Promise.resolve();
  }

  /** How many jobs are to run later. */
  get waiting(): number {
    return this.later.size;
  }

  /** Lets everything happen that waits. */
  pass(): Promise<void> {
    const jobs = [...this.later.values()];
    this.later.clear();
    return this.engine.add(jobs);
  }

  close(): Promise<void> {
    return this.engine.close();
  }
}
