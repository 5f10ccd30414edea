import { backOffMs } from '../common/timing.js';
import { type ProbeWait } from '../common/vocabulary.js';
import { type ResolvedProbeWaits, type ResolvedRetryOptions } from '../config/resolved-options.js';

/** A try with less time would probably end ambiguous. */
export const SHORTEST_TRY_MS = 1_000;
/** If the gateway asks for a longer wait, the call fails instead. */
export const LONGEST_RETRY_AFTER_MS = 60_000;

interface RetryState {
  /** Tries made so far. */
  readonly tries: number;
  /** Left until the call's deadline. */
  readonly remainingMs: number;
  /** The wait that a 429 asked for, if any. */
  readonly retryAfterMs: number | undefined;
}

/**
 * The wait before the next try. Undefined, for no further try, if the tries are used up, the gateway asks for
 * too long a wait, or less than a second would be left.
 */
export function nextWaitMs(
  state: RetryState,
  retry: ResolvedRetryOptions,
  random: () => number = Math.random,
): number | undefined {
  if (state.tries >= retry.maxAttempts) return undefined;
  if ((state.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS) return undefined;
  const wait = state.retryAfterMs ?? backOffMs(state.tries, retry, random);
  return state.remainingMs - wait < SHORTEST_TRY_MS ? undefined : wait;
}

/** The headers that say how long to wait. */
export interface WaitHeaders {
  readonly retryAfter?: string | undefined;
  /** When the gateway answered, by its own clock. */
  readonly date?: string | undefined;
}

/**
 * Reads a `Retry-After` header, seconds or an HTTP date, as milliseconds from now (RFC 9110 §10.2.3). A date is by the
 * gateway's clock, which the answer's own `Date` tells. Undefined if the header names no wait, or a date that is over.
 */
export function parseRetryAfter({ retryAfter = '', date }: WaitHeaders, nowMs: number): number | undefined {
  const text = retryAfter.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER);
  const until = parseDate(text);
  if (until === undefined) return undefined;
  const waitMs = until - (parseDate(date) ?? nowMs);
  return waitMs > 0 ? waitMs : undefined;
}

/** The asctime form names no zone: `Sun Nov  6 08:49:37 1994` is GMT, as every date of HTTP. */
function parseDate(text = ''): number | undefined {
  const zoned = /:\d\d \d{4}$/.test(text) ? `${text} GMT` : text;
  const date = /[a-z]/i.test(text) ? Date.parse(zoned) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

/** The wait before a probe; undefined if less than a second would be left. */
export function probeWaitMs(
  probe: ProbeWait,
  remainingMs: number,
  waits: ResolvedProbeWaits,
): number | undefined {
  const wait = probe === 'after-answer' ? waits.afterAnswerMs : waits.afterSilenceMs;
  return remainingMs - wait < SHORTEST_TRY_MS ? undefined : wait;
}
