import { performance } from 'node:perf_hooks';
import { type ResolvedPaymentsOptions, type ResolvedRetryOptions } from '../config/resolved-options.js';
import { type CallOptions } from './call-options.js';
import { SHORTEST_ATTEMPT_MS } from './retry-timing.js';

/** How long a call may take, and how often it may be tried. */
export interface CallLimits {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** By `performance.now()`. */
  readonly deadline: number;
  /** When the first attempt must have begun, by `performance.now()`: a later one would more likely end ambiguous. */
  readonly sendBy: number;
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
  const wholeMs = deadlineMs ?? options.deadlineMs;
  const deadline = performance.now() + wholeMs;
  return {
    signal,
    timeoutMs: timeoutMs ?? options.timeoutMs,
    deadline,
    sendBy: deadline - Math.min(SHORTEST_ATTEMPT_MS, wholeMs / 2),
    retry: once ? { ...options.retry, maxAttempts: 1 } : options.retry,
    once,
  };
}
