import { milliseconds, type Duration } from './duration.js';

/** The clock as the core and the deliveries see it. */
export interface TimeSource {
  /** Milliseconds since 1970. */
  now(): number;
  schedule(delayMs: number, task: () => void): void;
}

interface WaitingTask {
  readonly due: number;
  readonly run: () => void;
}

/** A manual clock starts here, so that the same seed gives the same run on any day. */
const MANUAL_START = Date.UTC(2026, 0, 1, 9);
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

// No `implements TimeSource`: the published declarations omit `schedule`.
/**
 * The emulator's time: expiry, redelivery and automatic outcomes follow it. A manual clock moves only
 * when you advance it. A real clock runs, and you may advance it as well. Signature timestamps never follow it.
 *
 * @publicApi
 */
export class SandboxClock {
  private waiting: WaitingTask[] = [];
  private skew = 0;
  private stoppedAt: number | undefined;
  private alarm: NodeJS.Timeout | undefined;
  private advancing: Promise<void> = Promise.resolve();

  /** @internal */
  constructor(
    /** A manual clock moves only when you advance it. */
    readonly kind: 'real' | 'manual',
    private readonly settled: () => Promise<void> = () => Promise.resolve(),
    private readonly changed: () => void = () => {},
  ) {}

  /** Milliseconds since 1970, by this clock. */
  now(): number {
    return this.stoppedAt ?? this.underlying() + this.skew;
  }

  /** Whether time stands still until you advance it: always true for a manual clock. */
  get frozen(): boolean {
    return this.kind === 'manual' || this.stoppedAt !== undefined;
  }

  /** Stops a real clock; `advance` still moves it. */
  freeze(): void {
    if (this.frozen) return;
    this.stoppedAt = this.now();
    clearTimeout(this.alarm);
    this.changed();
  }

  /** Lets a frozen real clock run on. Does nothing to a manual clock. */
  unfreeze(): void {
    if (this.stoppedAt === undefined) return;
    this.skew = this.stoppedAt - this.underlying();
    this.stoppedAt = undefined;
    this.setAlarm();
    this.changed();
  }

  /**
   * Moves time forward and runs every timer that falls due, in order. Resolves when the timers and the
   * webhook deliveries that they caused have finished.
   *
   * @throws PaymentsConfigError if the duration is invalid.
   * @example
   * ```ts
   * await sandbox.clock.advance('15m');
   * ```
   */
  advance(duration: Duration): Promise<void> {
    const span = milliseconds(duration);
    this.advancing = this.advancing.then(() => this.travel(this.now() + span));
    return this.advancing;
  }

  /** @internal */
  schedule(delayMs: number, task: () => void): void {
    const entry: WaitingTask = { due: this.now() + delayMs, run: task };
    const after = this.waiting.findIndex(({ due }) => due > entry.due);
    this.waiting.splice(after === -1 ? this.waiting.length : after, 0, entry);
    this.setAlarm();
  }

  /** @internal The number of waiting timers. */
  get waitingTasks(): number {
    return this.waiting.length;
  }

  /** @internal Forgets every timer. */
  clear(): void {
    this.waiting = [];
    clearTimeout(this.alarm);
  }

  private async travel(target: number): Promise<void> {
    await this.settled();
    for (let next = this.takeDue(target); next; next = this.takeDue(target)) {
      this.jumpTo(next.due);
      next.run();
      await this.settled();
    }
    this.jumpTo(target);
    this.setAlarm();
    this.changed();
  }

  private underlying(): number {
    return this.kind === 'real' ? Date.now() : MANUAL_START;
  }

  private takeDue(moment: number): WaitingTask | undefined {
    const [first] = this.waiting;
    return first && first.due <= moment ? this.waiting.shift() : undefined;
  }

  private jumpTo(moment: number): void {
    const ahead = Math.max(0, moment - this.now());
    if (this.stoppedAt === undefined) this.skew += ahead;
    else this.stoppedAt += ahead;
  }

  private setAlarm(): void {
    clearTimeout(this.alarm);
    const [first] = this.waiting;
    if (this.frozen || !first) return;
    const wait = Math.min(Math.max(0, first.due - this.now()), LONGEST_TIMEOUT_MS);
    this.alarm = setTimeout(() => {
      this.runDue();
    }, wait);
    this.alarm.unref();
  }

  private runDue(): void {
    for (let next = this.takeDue(this.now()); next; next = this.takeDue(this.now())) next.run();
    this.setAlarm();
  }
}
