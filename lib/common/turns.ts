import { performance } from 'node:perf_hooks';

/** Lets a number of calls run at once, and a number begin in a second. */
export class Turns {
  private running = 0;
  private readonly line = new Set<(hasTurn: boolean) => void>();
  private left: number;
  private countedAt = performance.now();
  private isClosed = false;

  constructor(
    private readonly atOnce: number,
    private readonly perSecond = Infinity,
  ) {
    this.left = perSecond;
  }

  /** Whether one more call may begin in this second. If so, it counts. */
  isWithinRate(): boolean {
    // Otherwise, Infinity calls in 0 ms would be NaN.
    if (this.perSecond === Infinity) return true;
    const now = performance.now();
    this.left = Math.min(this.perSecond, this.left + ((now - this.countedAt) / 1_000) * this.perSecond);
    this.countedAt = now;
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }

  /** Begins a call, which ends with `end`. Waits its turn; false if none came in time, or before `close`. */
  begin(timeoutMs: number): boolean | Promise<boolean> {
    if (this.isClosed) return false;
    if (this.running >= this.atOnce) return this.waitInLine(timeoutMs);
    this.running += 1;
    return true;
  }

  /** Ends a call. Its turn goes to the one that waits longest. */
  end(): void {
    const [next] = this.line;
    if (next) next(true);
    else this.running -= 1;
  }

  /** From now on no call begins, and none waits any longer. */
  close(): void {
    this.isClosed = true;
    for (const leave of this.line) leave(false);
  }

  private waitInLine(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = (hasTurn: boolean): void => {
        clearTimeout(timer);
        this.line.delete(leave);
        resolve(hasTurn);
      };
      const timer = setTimeout(leave, timeoutMs, false);
      this.line.add(leave);
    });
  }
}
