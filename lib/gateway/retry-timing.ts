import { backOffMs } from '../common/timing.js';
import { type ProbeWait } from '../storage/journal-store.js';
import { type ResolvedProbeWaits, type ResolvedRetryOptions } from '../config/resolved-options.js';

/** An attempt with less time than this is more likely to end ambiguous than answered. */
export const SHORTEST_ATTEMPT_MS = 1_000;
/** A call waits no longer than this because the gateway asks. */
export const LONGEST_RETRY_AFTER_MS = 60_000;

/** What the next wait depends on. */
export interface RetryState {
  /** Tries made so far. */
  readonly tries: number;
  /** Left until the call's deadline. */
  readonly remainingMs: number;
  /** What a 429 asked for; undefined where it did not say, or where it was no 429. */
  readonly retryAfterMs: number | undefined;
}

/**
 * How long to wait before the next try, or undefined for no further try: tries used up, a wait that the gateway asks
 * for is too long, or under a second would be left. Without a wish of the gateway: exponential with full jitter.
 */
export function nextWaitMs(
  state: RetryState,
  retry: ResolvedRetryOptions,
  random: () => number = Math.random,
): number | undefined {
  if (state.tries >= retry.maxAttempts) return undefined;
  if (state.retryAfterMs !== undefined && state.retryAfterMs > LONGEST_RETRY_AFTER_MS) return undefined;
  const wait = state.retryAfterMs ?? backOffMs(state.tries, retry, random);
  return state.remainingMs - wait < SHORTEST_ATTEMPT_MS ? undefined : wait;
}

/** Reads a `Retry-After` header, seconds or an HTTP date, as milliseconds from now (RFC 9110 §10.2.3). */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER);
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/**
 * How long to wait before the one further try of a payment that may have been made, or undefined where under a second
 * would be left.
 */
export function probeWaitMs(
  probe: ProbeWait,
  remainingMs: number,
  waits: ResolvedProbeWaits,
): number | undefined {
  const wait = probe === 'after-answer' ? waits.afterAnswerMs : waits.afterSilenceMs;
  return remainingMs - wait < SHORTEST_ATTEMPT_MS ? undefined : wait;
}
