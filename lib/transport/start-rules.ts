import { type ResolvedRateOptions } from '../config/resolved-options.js';
import { LONGEST_RETRY_AFTER_MS } from './retry-timing.js';

const WINDOW_MS = 1_000;

/** When the next try of an account may start: no timers, no queue; every moment is handed in. */
export class StartRules {
  private running = 0;
  /** The last `perSecond` starts, the oldest first. */
  private readonly starts: number[] = [];
  private opensAt = -Infinity;
  private askedUntil = -Infinity;

  constructor(private readonly rate: ResolvedRateOptions) {}

  /** Milliseconds until a try may start; `Infinity`: when one that is under way ends. */
  waitMs(now: number): number {
    const { perSecond = Infinity, concurrency = Infinity } = this.rate;
    if (this.running >= concurrency) return Infinity;
    const [oldest = -Infinity] = this.starts;
    const nextInWindow = this.starts.length < perSecond ? -Infinity : oldest + WINDOW_MS;
    return Math.max(0, this.opensAt - now, nextInWindow - now);
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
   * The gateway said that there were too many requests: nothing starts for as long as it asks. Beyond a minute it is
   * asked again: a wrong header or clock must not stop the account's payments for hours.
   */
  close(now: number, askedMs: number): void {
    if (now >= this.opensAt) this.askedUntil = -Infinity;
    this.opensAt = Math.max(this.opensAt, now + Math.min(askedMs, LONGEST_RETRY_AFTER_MS));
    this.askedUntil = Math.max(this.askedUntil, now + askedMs);
  }

  /** How long the gateway asks to wait, where that is longer than a call may that must start by `latest`. */
  tooLongMs(now: number, latest: number): number | undefined {
    if (now >= this.opensAt || this.askedUntil <= Math.min(this.opensAt, latest)) return undefined;
    return this.askedUntil - now;
  }
}
