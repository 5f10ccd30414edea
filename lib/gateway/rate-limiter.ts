import { performance } from 'node:perf_hooks';
import { type ResolvedRateOptions } from '../config/resolved-options.js';
import { LONGEST_RETRY_AFTER_MS } from './wait-before-try.js';

/** Whether a try may start, or why it must not. */
export type Permit =
  | { readonly permit: 'granted' }
  | { readonly permit: 'aborted' }
  /** The call's time was up before it got its permit. */
  | { readonly permit: 'late' }
  /** The gateway asks to wait longer than the call can. */
  | { readonly permit: 'held-back'; readonly retryAfterMs: number };

interface LimiterClock {
  /** Milliseconds that only ever rise. */
  readonly now: () => number;
  /** Runs something later. Returns a function that cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
}

interface Waiter {
  readonly latest: number;
  readonly settle: (permit: Permit) => void;
}

const REAL_CLOCK: LimiterClock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.ceil(ms));
    return () => {
      clearTimeout(timer);
    };
  },
};

/**
 * Every try of an account waits here for its permit, in order of arrival: as long as the `rate` option says,
 * and after a 429 as long as the gateway says.
 *
 * Not a library: none that is maintained and runs under Nest 11's Jest lets a waiting call leave at its abort
 * or deadline, or stops all calls for a while.
 */
export class RateLimiter {
  private readonly rules: RateWindow;
  private readonly queue = new Set<Waiter>();
  private cancelNext: (() => void) | undefined;

  constructor(
    rate: ResolvedRateOptions,
    private readonly clock: LimiterClock = REAL_CLOCK,
  ) {
    this.rules = new RateWindow(rate);
  }

  /**
   * Asks for a permit. Call `release` at its end. Returns no promise if there is nothing to wait for.
   *
   * @param latest Latest start of the try after a wait, by `performance.now()`.
   */
  acquire(latest: number, signal: AbortSignal | undefined): Permit | Promise<Permit> {
    if (signal?.aborted) return { permit: 'aborted' };
    const now = this.clock.now();
    const retryAfterMs = this.rules.tooLongMs(now, latest);
    if (retryAfterMs !== undefined) return { permit: 'held-back', retryAfterMs };
    if (this.queue.size === 0 && this.rules.waitMs(now) === 0) return this.grant(now);
    return latest <= now ? { permit: 'late' } : this.wait(latest - now, latest, signal);
  }

  /**
   * How long the account is paused after a 429. 0 if it is not, or if a call that must start by `latest` cannot wait that
   * long: its try is then held back.
   */
  pausedMs(latest: number): number {
    const now = this.clock.now();
    return this.rules.tooLongMs(now, latest) === undefined ? this.rules.closedMs(now) : 0;
  }

  /** Returns the permit of a try that has ended. */
  release(): void {
    this.rules.end();
    this.serve();
  }

  /** Starts nothing for a while, after a 429. */
  pauseFor(askedMs: number): void {
    const now = this.clock.now();
    this.rules.close(now, askedMs);
    for (const { latest, settle } of this.queue) {
      const retryAfterMs = this.rules.tooLongMs(now, latest);
      if (retryAfterMs !== undefined) settle({ permit: 'held-back', retryAfterMs });
    }
    this.serve();
  }

  private wait(ms: number, latest: number, signal: AbortSignal | undefined): Promise<Permit> {
    return new Promise((resolve) => {
      const onAbort = (): void => {
        waiter.settle({ permit: 'aborted' });
      };
      const waiter: Waiter = {
        latest,
        settle: (permit) => {
          this.queue.delete(waiter);
          if (this.queue.size === 0) this.cancelNext?.();
          cancelLate();
          signal?.removeEventListener('abort', onAbort);
          resolve(permit);
        },
      };
      const cancelLate = this.clock.after(ms, () => {
        waiter.settle({ permit: 'late' });
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      this.queue.add(waiter);
      this.serve();
    });
  }

  /** Starts all that may start now, and sets a timer for the next one. */
  private serve(): void {
    this.cancelNext?.();
    for (const { settle } of this.queue) {
      const now = this.clock.now();
      const waitMs = this.rules.waitMs(now);
      if (waitMs > 0) {
        if (waitMs < Infinity) this.cancelNext = this.clock.after(waitMs, this.onTime);
        return;
      }
      settle(this.grant(now));
    }
  }

  private readonly onTime = (): void => {
    this.serve();
  };

  private grant(now: number): Permit {
    this.rules.start(now);
    return { permit: 'granted' };
  }
}

const WINDOW_MS = 1_000;

/** Calculates when the next try of an account may start. Has no timer and no clock. */
class RateWindow {
  private running = 0;
  /** The last `perSecond` starts, the oldest first. */
  private readonly starts: number[] = [];
  private opensAt = -Infinity;
  private askedUntil = -Infinity;

  constructor(private readonly rate: ResolvedRateOptions) {}

  /** Milliseconds until a try may start; `Infinity` if a running one must end first. */
  waitMs(now: number): number {
    const { perSecond = Infinity, concurrency = Infinity } = this.rate;
    if (this.running >= concurrency) return Infinity;
    const [oldest = -Infinity] = this.starts;
    const nextInWindow = this.starts.length < perSecond ? -Infinity : oldest + WINDOW_MS;
    return Math.max(this.closedMs(now), nextInWindow - now);
  }

  /** Milliseconds until the pause after a 429 is over. */
  closedMs(now: number): number {
    return Math.max(0, this.opensAt - now);
  }

  start(now: number): void {
    this.running += 1;
    if (this.rate.perSecond === undefined) return;
    this.starts.push(now);
    if (this.starts.length > this.rate.perSecond) this.starts.shift();
  }

  end(): void {
    this.running -= 1;
  }

  /**
   * Starts nothing for as long as the gateway asks, but for a minute at most: a wrong header or clock must
   * not stop the account's payments for hours.
   */
  close(now: number, askedMs: number): void {
    if (now >= this.opensAt) this.askedUntil = -Infinity;
    this.opensAt = Math.max(this.opensAt, now + Math.min(askedMs, LONGEST_RETRY_AFTER_MS));
    this.askedUntil = Math.max(this.askedUntil, now + askedMs);
  }

  /** How long the gateway asks to wait, in whole milliseconds, if a call that must start by `latest` cannot wait that long. */
  tooLongMs(now: number, latest: number): number | undefined {
    if (now >= this.opensAt || this.askedUntil <= Math.min(this.opensAt, latest)) return undefined;
    return Math.ceil(this.askedUntil - now);
  }
}
