import { type BatchEngine, type BatchJob } from 'nestjs-payments/batches';

/** Runs each job at once, without its delay, and again as long as it fails. */
export function eagerEngine(): BatchEngine {
  let run: (job: BatchJob) => Promise<unknown>;
  const work = (job: BatchJob): Promise<unknown> => run(job).catch(() => work(job));
  return {
    name: 'eager',
    start: (given) => {
      run = given;
    },
    add: (jobs) => {
      for (const job of jobs) void work(job);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}
