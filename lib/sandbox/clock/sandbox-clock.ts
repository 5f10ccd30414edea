import { setImmediate as nextTurn } from 'node:timers/promises';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { baseOf, type ClockState, LAST_NOW, momentOf } from './clock-state.js';
import { deliveriesWaiter } from './deliveries-waiter.js';
import { milliseconds, type Duration } from './duration.js';

/** The clock as the core and the deliveries see it. */
export interface TimeSource {
  /** Milliseconds since 1970. */
  now(): number;
  /** @param describe What the task would do now. Undefined: nothing, now and later, so that it may be dropped. */
  schedule(delayMs: number, task: () => void, describe?: () => DueEvent | undefined): void;
}

/** The clock as answers that a fault delays see it. */
export interface HoldingClock extends Pick<TimeSource, 'now'> {
  /** @param isAwaited Whether somebody still waits for the answer. */
  hold(
    delayMs: number,
    task: () => void,
    isAwaited: () => boolean,
    describe?: () => DueEvent | undefined,
  ): void;
}

/** What a timer does. */
export interface DueEvent {
  /** What changes: an `answer` is one that a fault delays. */
  readonly what: 'payment' | 'payout' | 'delivery' | 'answer';
  /** Null: the emulator refused the keys of the call. */
  readonly merchant: string | null;
  readonly reference: string | null;
  /** The next status of the payment or payout, or the name of the webhook's event; null for an answer. */
  readonly to: string | null;
}

/** A timer's event with its time. */
export interface TimedEvent extends DueEvent {
  /** Milliseconds since 1970, by the clock. */
  readonly due: number;
}

interface WaitingTask {
  readonly due: number;
  readonly run: () => void;
  readonly describe: (() => DueEvent | undefined) | undefined;
}

/** Timers that `advance` runs before sockets get a turn: a listener could read nothing during a long advance. */
const TIMERS_PER_TURN = 100;
/** Fewer timers are never searched for idle ones. */
const FEWEST_SWEPT = 1_000;
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
  private sweepAt = FEWEST_SWEPT;
  private skew = 0;
  private stoppedAt: number | undefined;
  private alarm: NodeJS.Timeout | undefined;
  private advancing: Promise<unknown> = Promise.resolve();
  /** How often the clock was cleared: an advance that was called before belongs to a state that is gone. */
  private cleared = 0;
  /** Answers that a fault delays, and that a webhook's handler may wait for. */
  private readonly held = new Map<WaitingTask, () => boolean>();
  /** Advances that wait for their turn, and that a running webhook delivery may wait for. */
  private readonly queued = new Set<object>();

  /** @internal */
  constructor(
    /** A manual clock moves only when you advance it. */
    readonly kind: 'real' | 'manual',
    /** What timers caused and has not finished: tries to deliver webhooks. */
    private readonly running: () => Iterable<Promise<unknown>> = () => [],
    private readonly changed: () => void = () => {},
    private readonly haltedBy: () => Error | undefined = () => undefined,
  ) {}

  /** Milliseconds since 1970, by this clock. */
  now(): number {
    return momentOf(this.state);
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
    this.skew = this.stoppedAt - baseOf(this.kind);
    this.stoppedAt = undefined;
    this.setAlarm();
    this.changed();
  }

  /**
   * Moves time forward and runs every timer that falls due, in order. Resolves when the timers and the
   * webhook deliveries that they caused have finished. `advance(0)` also waits for deliveries that ran before. While an
   * answer is held back or another `advance` waits, a handler may wait for the clock itself: then deliveries are no longer
   * waited for once none of them has ended for 0.2 to 0.4 seconds of real time. A `reset()` of the sandbox, an `import()` and
   * a `stop()` end every `advance` that was called before: it resolves early, and time stays where it is then.
   *
   * @throws PaymentsConfigError if the duration is invalid, or leads beyond the year 275,460, or the sandbox could not
   * keep its state: then time has moved, but nothing happens by itself any more.
   * @example
   * ```ts
   * await sandbox.clock.advance('15m');
   * ```
   */
  async advance(duration: Duration): Promise<void> {
    await this.advanceAndTell(duration);
  }

  /** @internal Like `advance`; resolves to what happened, in order. */
  advanceAndTell(duration: Duration): Promise<readonly TimedEvent[]> {
    const span = milliseconds(duration);
    // The handler of such a try may have called this. Who advances by nothing wants to wait for them.
    const known = new Set(span > 0 ? this.running() : []);
    const turn = {};
    if (known.size > 0) this.queued.add(turn);
    const { cleared } = this;
    const travelled = this.advancing.then(() => {
      this.queued.delete(turn);
      return this.travel(span, known, cleared);
    });
    // An advance that failed keeps nobody from the next one.
    this.advancing = travelled.catch(() => {});
    return travelled.then(async (happened) => {
      this.changed();
      // The change is written meanwhile.
      await deliveriesWaiter(this.runningSince(cleared), known, () => this.isHeld)();
      const reason = this.haltedBy();
      if (reason) throw reason;
      return happened;
    });
  }

  /**
   * @internal Like `advance`, before there are listeners: no change is reported. A report lists what is due, so
   * thousands of them would take quadratic time.
   */
  async pass(spanMs: number): Promise<void> {
    await this.travel(spanMs, new Set(), this.cleared);
  }

  /** @internal Schedules an answer that a fault delays. */
  hold(
    delayMs: number,
    task: () => void,
    isAwaited: () => boolean,
    describe?: () => DueEvent | undefined,
  ): void {
    this.held.set(this.schedule(delayMs, task, describe), isAwaited);
  }

  /** @internal */
  schedule(delayMs: number, task: () => void, describe?: () => DueEvent | undefined): WaitingTask {
    if (this.waiting.length >= this.sweepAt) this.sweep();
    const entry: WaitingTask = { due: this.now() + delayMs, run: task, describe };
    // From the end: most timers are due after those that wait.
    const before = this.waiting.findLastIndex(({ due }) => due <= entry.due);
    this.waiting.splice(before + 1, 0, entry);
    this.setAlarm();
    return entry;
  }

  /** @internal What the waiting timers will do, the next one first. A timer that has nothing left to do is left out. */
  dueEvents(): readonly TimedEvent[] {
    return this.waiting.flatMap(timedEvent);
  }

  /** @internal */
  get state(): ClockState {
    return { kind: this.kind, skew: this.skew, stoppedAt: this.stoppedAt };
  }

  /** @internal Continues from another run. A clock of the other kind continues from the same moment. */
  restore(state: ClockState): void {
    this.skew = state.kind === this.kind ? state.skew : momentOf(state) - baseOf(this.kind);
    this.stoppedAt = this.kind === 'real' ? state.stoppedAt : undefined;
  }

  /** @internal Drops the timers that have nothing left to do: they would keep what was forgotten in memory. */
  sweep(): void {
    // A held answer records how its call ended, also if its caller has gone.
    this.waiting = this.waiting.filter(
      (task) => !task.describe || task.describe() !== undefined || this.held.has(task),
    );
    this.sweepAt = Math.max(FEWEST_SWEPT, 2 * this.waiting.length);
  }

  /** @internal Forgets every timer, and ends every advance where it is. */
  clear(): void {
    this.cleared += 1;
    this.waiting = [];
    this.held.clear();
    clearTimeout(this.alarm);
  }

  /** Whether somebody still waits for an answer that is held. */
  private get isHeld(): boolean {
    return [...this.held.values()].some((isAwaited) => isAwaited());
  }

  /** What the timers caused that an advance runs, as long as nobody clears the clock meanwhile. */
  private runningSince(cleared: number): () => Iterable<Promise<unknown>> {
    return () => (cleared === this.cleared ? this.running() : []);
  }

  private async travel(
    span: number,
    known: Set<Promise<unknown>>,
    cleared: number,
  ): Promise<readonly TimedEvent[]> {
    const running = this.runningSince(cleared);
    const settled = deliveriesWaiter(running, known, () => this.isHeld || this.queued.size > 0);
    const target = this.now() + span;
    if (target > LAST_NOW)
      throw new PaymentsConfigError(
        `The clock ends at ${new Date(LAST_NOW).toISOString()}: advance it less far, or start another sandbox.`,
      );
    const happened: TimedEvent[] = [];
    await settled();
    let ran = 0;
    try {
      while (cleared === this.cleared) {
        const next = this.takeDue(target);
        if (!next) {
          this.jumpTo(target);
          break;
        }
        this.jumpTo(next.due);
        happened.push(...timedEvent(next));
        next.run();
        await settled();
        ran += 1;
        if (ran % TIMERS_PER_TURN === 0) await nextTurn();
      }
    } finally {
      this.setAlarm();
    }
    return happened;
  }

  private takeDue(moment: number): WaitingTask | undefined {
    const [first] = this.waiting;
    if (!first || first.due > moment) return undefined;
    this.waiting.shift();
    this.held.delete(first);
    return first;
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

function timedEvent({ due, describe }: WaitingTask): readonly TimedEvent[] {
  const event = describe?.();
  return event ? [{ due, ...event }] : [];
}
