import { type JobsOptions } from 'bullmq';
import { backOffMs } from '../../common/timing.js';
import { type ResolvedQueueOptions, type ResolvedQueueRetry } from './resolve-queue-options.js';

/** Name of every job. The event's own name is in its data. */
export const JOB_NAME = 'webhook';

/** The back-off `type` for which BullMQ asks the worker's own strategy. */
const OWN_BACKOFF = 'payments';

export function jobOptions(
  deliveryId: string,
  { retry, keepFinishedMs }: Pick<ResolvedQueueOptions, 'retry' | 'keepFinishedMs'>,
): JobsOptions {
  return {
    // One job for one outcome, however often the gateway delivers it. BullMQ refuses ids of digits only.
    jobId: `wh-${deliveryId}`,
    attempts: retry.maxAttempts,
    backoff: { type: OWN_BACKOFF },
    removeOnComplete: keepFinishedMs === 0 ? true : { age: Math.ceil(keepFinishedMs / 1_000) },
    removeOnFail: false,
    // Every failure is the same error of the package, so its stack is useless.
    stackTraceLimit: 1,
  };
}

/**
 * The wait before the next attempt: exponential, at random between half and all of it, so that jobs spread.
 */
export function retryDelayMs(
  attemptsMade: number,
  retry: Pick<ResolvedQueueRetry, 'baseDelayMs' | 'maxDelayMs'>,
  random: number,
): number {
  return Math.round(backOffMs(attemptsMade, retry, () => 1 - random / 2));
}
