import { performance } from 'node:perf_hooks';
import { type ResolvedPaymentsOptions, type ResolvedRetryOptions } from '../config/resolved-options.js';
import { type CallOptions } from './call-options.js';

/** How long a call may take, and how often it may be tried. */
export interface CallLimits {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** By `performance.now()`. */
  readonly deadline: number;
  readonly retry: ResolvedRetryOptions;
  /** One attempt only, whatever happens. */
  readonly once: boolean;
}

/** The limits of a call that begins now. */
export function callLimits(
  options: Pick<ResolvedPaymentsOptions, 'timeoutMs' | 'deadlineMs' | 'retry'>,
  { signal, timeoutMs, deadlineMs, retry }: CallOptions = {},
): CallLimits {
  const once = retry === false;
  return {
    signal,
    timeoutMs: timeoutMs ?? options.timeoutMs,
    deadline: performance.now() + (deadlineMs ?? options.deadlineMs),
    retry: once ? { ...options.retry, maxAttempts: 1 } : options.retry,
    once,
  };
}
