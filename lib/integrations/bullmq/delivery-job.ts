import { type JobsOptions } from 'bullmq';
import { type WebhookAnswer } from '../../webhooks/delivery/webhook-answer.js';
import { type ResolvedQueueOptions, type ResolvedQueueRetry } from './resolve-queue-options.js';

/** Name of every job; the event's own name is in its data. */
export const JOB_NAME = 'webhook';

/** The `type` under which a worker is asked for the wait before the next attempt. */
const OWN_BACKOFF = 'payments';

/** One job for one outcome, however often it is delivered. BullMQ refuses ids of digits only. */
export function jobId(deliveryId: string): string {
  return `wh-${deliveryId}`;
}

export function jobOptions(
  deliveryId: string,
  { retry, keepFinishedMs }: Pick<ResolvedQueueOptions, 'retry' | 'keepFinishedMs'>,
): JobsOptions {
  return {
    jobId: jobId(deliveryId),
    attempts: retry.maxAttempts,
    backoff: { type: OWN_BACKOFF },
    removeOnComplete: keepFinishedMs === 0 ? true : { age: Math.ceil(keepFinishedMs / 1_000) },
    removeOnFail: false,
    // Every failure is the same error of the package's own: its stack says nothing.
    stackTraceLimit: 1,
  };
}

/** The wait before the attempt after this one: exponential, between the half and the whole, so that jobs spread. */
export function backoffMs(
  attemptsMade: number,
  { baseDelayMs, maxDelayMs }: Pick<ResolvedQueueRetry, 'baseDelayMs' | 'maxDelayMs'>,
  random: number,
): number {
  const longest = Math.min(baseDelayMs * 2 ** (attemptsMade - 1), maxDelayMs);
  return Math.round(longest * (1 - random / 2));
}

/** What becomes of a job whose work was answered like this. */
export type JobEnd =
  | { readonly end: 'finished' }
  | { readonly end: 'failed' }
  | { readonly end: 'later'; readonly afterMs: number };

/** Only a handler that failed uses up an attempt: a busy or absent storage says nothing of the work. */
export function endOfJob(answer: WebhookAnswer): JobEnd {
  if (answer.status === 200) return { end: 'finished' };
  if (answer.status === 500) return { end: 'failed' };
  return { end: 'later', afterMs: answer.retryAfterSeconds * 1_000 };
}
