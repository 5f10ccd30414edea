import { performance } from 'node:perf_hooks';
import { type ResolvedRateOptions } from '../config/resolved-options.js';
import { StartRules } from './start-rules.js';

/** Whether a try may start, or why it must not. */
export type Turn =
  | { readonly turn: 'go' }
  | { readonly turn: 'aborted' }
  /** The call's time was up before its turn came. */
  | { readonly turn: 'late' }
  /** The gateway asks to wait longer than the call can. */
  | { readonly turn: 'held-back'; readonly retryAfterMs: number };

/** Time, so that tests can make it pass. */
export interface GateClock {
  /** Milliseconds that only ever rise. */
  readonly now: () => number;
  /** Runs something later; returns how to take that back. */
  readonly after: (ms: number, run: () => void) => () => void;
}

interface Waiter {
  readonly latest: number;
  readonly settle: (turn: Turn) => void;
}

const REAL_CLOCK: GateClock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.ceil(ms));
    return () => {
      clearTimeout(timer);
    };
  },
};

/**
 * The one door through which every try of an account goes: it keeps the `rate` caps, and all calls wait at it after a
 * 429. First come, first served.
 *
 * Of our own because no kept library that runs under Nest 11's Jest lets a queued call go at its abort or deadline, or
 * closes for everybody for a while: those that were read hold only what the few lines here hold as well.
 */
export class AccountGate {
  private readonly rules: StartRules;
  private readonly queue = new Set<Waiter>();
  private cancelNext: (() => void) | undefined;

  constructor(
    rate: ResolvedRateOptions,
    private readonly clock: GateClock = REAL_CLOCK,
  ) {
    this.rules = new StartRules(rate);
  }

  /**
   * Asks for a turn; whoever got one calls `leave` at its end. Without a wait the answer comes at once.
   *
   * @param latest The last moment at which the try may start after a wait, by `performance.now()`.
   */
  enter(latest: number, signal: AbortSignal | undefined): Turn | Promise<Turn> {
    if (signal?.aborted) return { turn: 'aborted' };
    const now = this.clock.now();
    const retryAfterMs = this.rules.tooLongMs(now, latest);
    if (retryAfterMs !== undefined) return { turn: 'held-back', retryAfterMs };
    if (this.queue.size === 0 && this.rules.waitMs(now) === 0) return this.go(now);
    return latest <= now ? { turn: 'late' } : this.wait(latest - now, latest, signal);
  }

  /** Ends a turn. */
  leave(): void {
    this.rules.end();
    this.serve();
  }

  /** Lets nothing start for a while, since the gateway said that there were too many requests. */
  coolDown(askedMs: number): void {
    const now = this.clock.now();
    this.rules.close(now, askedMs);
    for (const { latest, settle } of this.queue) {
      const retryAfterMs = this.rules.tooLongMs(now, latest);
      if (retryAfterMs !== undefined) settle({ turn: 'held-back', retryAfterMs });
    }
    this.serve();
  }

  private wait(ms: number, latest: number, signal: AbortSignal | undefined): Promise<Turn> {
    return new Promise((resolve) => {
      const onAbort = (): void => {
        waiter.settle({ turn: 'aborted' });
      };
      const waiter: Waiter = {
        latest,
        settle: (turn) => {
          this.queue.delete(waiter);
          if (this.queue.size === 0) this.cancelNext?.();
          cancelLate();
          signal?.removeEventListener('abort', onAbort);
          resolve(turn);
        },
      };
      const cancelLate = this.clock.after(ms, () => {
        waiter.settle({ turn: 'late' });
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      this.queue.add(waiter);
      this.serve();
    });
  }

  /** Lets in whoever may start now, and comes back when the next one may. */
  private serve(): void {
    this.cancelNext?.();
    for (const { settle } of this.queue) {
      const now = this.clock.now();
      const waitMs = this.rules.waitMs(now);
      if (waitMs > 0) {
        if (waitMs < Infinity) this.cancelNext = this.clock.after(waitMs, this.onTime);
        return;
      }
      settle(this.go(now));
    }
  }

  private readonly onTime = (): void => {
    this.serve();
  };

  private go(now: number): Turn {
    this.rules.start(now);
    return { turn: 'go' };
  }
}
