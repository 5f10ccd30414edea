import { allowManyListeners, signalProblem } from '../common/abort-signal.js';
import { waitProblem } from '../common/milliseconds.js';
import { type PaymentsOperation } from '../common/operations.js';
import { performance } from 'node:perf_hooks';
import { type ResolvedPaymentsOptions, type ResolvedRetryOptions } from '../config/resolved-options.js';
import { type SendLimits } from './http/http-transport.js';
import { SHORTEST_TRY_MS } from './wait-before-try.js';
import { insteadOf, wrongRequest } from './validation/wrong-request.js';

/**
 * Options of one call.
 *
 * @publicApi
 */
export interface CallOptions {
  /**
   * Sent as `Idempotency-Key` instead of the package's own key: 1 to 255 visible ASCII characters. Use it
   * only if another system has already given the payment a key, and leave it out after a final refusal. A read has none.
   * @default a UUID made of account, environment, operation, reference and attempt
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * Number of the attempt: 1 to 2147483647. Raise it by one only after a final refusal of the last attempt:
   * for the gateway another number is another payment. A read has none.
   * @default 1, and the next one after a final refusal: leave it out
   */
  readonly attempt?: number | undefined;
  /** Ends the call: before sending with `signal.reason`; a payment that was sent becomes unknown. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Longest time of one try in milliseconds: 1 to 2147483647.
   * @default the module's `timeoutMs`
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Longest time of the call in milliseconds, all tries and waits included: 1 to 2147483647.
   * @default the module's `deadlineMs`
   */
  readonly deadlineMs?: number | undefined;
  /**
   * `false`: one try only, whatever happens. If the outcome of a payment is unknown then, no other call and no
   * `recover()` sends it again. An enlisted one that was not sent, or turned away, stays planned.
   */
  readonly retry?: false | undefined;
}

/** Databases keep the number in 32 bits. */
export const LARGEST_ATTEMPT = 2 ** 31 - 1;

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

const RULES: Readonly<Record<keyof CallOptions, (value: unknown) => string | undefined>> = {
  idempotencyKey: (value) =>
    typeof value === 'string' && VISIBLE_ASCII.test(value)
      ? undefined
      : 'must be 1 to 255 visible ASCII characters without spaces: leave it out, or write a UUID',
  attempt: (value) =>
    Number.isInteger(value) && Number(value) > 0 && Number(value) <= LARGEST_ATTEMPT
      ? undefined
      : `must be a whole number from 1 to ${LARGEST_ATTEMPT}: leave it out, or write the next one after a final refusal`,
  signal: signalProblem,
  timeoutMs: (value) => waitProblem(value),
  deadlineMs: (value) => waitProblem(value),
  retry: (value) =>
    value === false ? undefined : 'can only be false: leave it out to retry if that is safe',
};

function problemOf(name: string, value: unknown, allowed: readonly string[]): string | undefined {
  if (value === undefined) return undefined;
  if (!allowed.includes(name))
    return `is not a call option: ${insteadOf(name, allowed, 'options.', `use ${allowed.join(', ')}`)}`;
  return RULES[name as keyof CallOptions](value);
}

/**
 * Checks the options of a call.
 *
 * @param allowed The options that the call has.
 * @throws PaymentsValidationError if one is wrong or unknown: to ignore a mistyped name could pay twice.
 */
export function checkCallOptions(
  options: unknown,
  operation: PaymentsOperation,
  allowed: readonly string[] = Object.keys(RULES),
): CallOptions {
  if (options === undefined) return {};
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw wrongRequest(
      { options: ['options must be an object: write { timeoutMs: 10_000 }, or leave them out'] },
      { operation },
    );
  }
  const copy = { ...options };
  const errors: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(copy)) {
    const problem = problemOf(name, value, allowed);
    if (problem !== undefined) errors[name] = [`options.${name} ${problem}`];
  }
  if (Object.keys(errors).length > 0) throw wrongRequest(errors, { operation });
  const checked: CallOptions = copy;
  if (checked.signal) allowManyListeners(checked.signal);
  return checked;
}

/** How long a call may take, and how often it may be tried. */
export interface CallLimits extends SendLimits {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** Latest start of a try that had to wait, by `performance.now()`. A later one would probably end ambiguous. */
  readonly sendBy: number;
  readonly retry: ResolvedRetryOptions;
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
    wallDeadline: Date.now() + wholeMs,
    sendBy: deadline - Math.min(SHORTEST_TRY_MS, wholeMs / 2),
    retry: once ? { ...options.retry, maxAttempts: 1 } : options.retry,
    once,
  };
}
