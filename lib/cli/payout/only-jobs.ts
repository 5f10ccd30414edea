import { type BatchEngine, type BatchJob } from '../../batches/engine/batch-engine.js';

/**
 * An engine that takes only what this command was asked for: a report of a batch that a killed process left must not pay it,
 * and paying one batch must not pay another one beside it.
 */
export function onlyJobs(engine: BatchEngine, isAsked: (job: BatchJob) => boolean): BatchEngine {
  return {
    name: engine.name,
    start: (run) => engine.start(run),
    add: (jobs, delayMs) => engine.add(jobs.filter(isAsked), delayMs),
    close: () => engine.close(),
  };
}
