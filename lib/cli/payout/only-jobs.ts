import { type BatchEngine, type BatchJob } from '../../batches/engine/batch-engine.js';

/** An engine that works when it is told to. */
export interface HeldEngine extends BatchEngine {
  /** Begins to run jobs. */
  readonly begin: () => Promise<void>;
}

/**
 * An engine that takes only what this command was asked for: a report of a batch that a killed process left must not pay it, and
 * paying one batch must not pay another one beside it. It begins when the command does: nothing is paid before the file was
 * compared.
 */
export function onlyJobs(engine: BatchEngine, isAsked: (job: BatchJob) => boolean): HeldEngine {
  let run: Parameters<BatchEngine['start']>[0] | undefined;
  return {
    name: engine.name,
    start: (given) => {
      run = given;
    },
    begin: async () => {
      if (run) await engine.start(run);
    },
    add: (jobs, delayMs) => engine.add(jobs.filter(isAsked), delayMs),
    close: () => engine.close(),
  };
}
