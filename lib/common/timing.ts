import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** The longest wait that a timer of Node.js can hold. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How a wait ended. */
export type DeadlineResult<T> =
  { readonly ended: 'done'; readonly value: T } | { readonly ended: 'late' } | { readonly ended: 'aborted' };

/**
 * Waits for work no longer than the deadline (by `performance.now()`) and the signal allow; the work itself
 * continues.
 */
export function withDeadline<T>(
  work: Promise<T>,
  deadline: number,
  signal?: AbortSignal,
): Promise<DeadlineResult<T>> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(late);
      signal?.removeEventListener('abort', abort);
    };
    const end = (waited: DeadlineResult<T>): void => {
      stop();
      resolve(waited);
    };
    const abort = (): void => {
      end({ ended: 'aborted' });
    };
    // First, because it throws if the signal is none, and no timer must be left then.
    signal?.addEventListener('abort', abort, { once: true });
    const late = setTimeout(
      () => {
        end({ ended: 'late' });
      },
      Math.min(Math.ceil(deadline - performance.now()), LONGEST_TIMER_MS),
    );
    work.then(
      (value) => {
        end({ ended: 'done', value });
      },
      (error: unknown) => {
        stop();
        // As it came, whatever it is.
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
        reject(error);
      },
    );
    if (signal?.aborted) abort();
  });
}

/** What still runs although nobody waits for it any more, by the error of who waited. */
const stillRunning = new WeakMap<object, Promise<unknown>>();

/** The work that still runs after `withTimeout` gave this error. */
export function leftBehind(error: unknown): Promise<unknown> | undefined {
  return error instanceof Error ? stillRunning.get(error) : undefined;
}

/**
 * Waits for work until the deadline, by `performance.now()`; the work itself continues. The wait alone keeps no
 * process from ending.
 *
 * @param late The error after the deadline.
 */
export async function withTimeout<T>(work: Promise<T>, deadline: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => {
        const error = late();
        stillRunning.set(error, work);
        reject(error);
      },
      Math.min(Math.ceil(deadline - performance.now()), LONGEST_TIMER_MS),
    ).unref();
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** For any number of waits at once: Node warns of a leak above ten listeners, and this signal has no limit. */
export function stopController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** Waits. Resolves to false if the signal fires first. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve(!signal?.aborted);
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}

/** How long to wait after so many tries: exponential, with full jitter. */
export function backOffMs(
  tries: number,
  { baseDelayMs, maxDelayMs }: { readonly baseDelayMs: number; readonly maxDelayMs: number },
  random: () => number = Math.random,
): number {
  return random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (tries - 1));
}

const FIRST_LOOK_AFTER_MS = 20;
const LONGEST_BETWEEN_LOOKS_MS = 250;

/**
 * How long a lease still holds, by three times of one clock; 0 if it has ended. Never longer than the last change of the
 * record granted it: a clock that is set back revives no lease that was ended.
 *
 * @param updatedAt The last change, which also wrote `leaseUntil`.
 */
export function leaseLeftMs(now: number, updatedAt: number, leaseUntil: number): number {
  return Math.max(0, leaseUntil - Math.max(now, updatedAt));
}

/**
 * Looks at a claim again and again until it has ended or the time is up.
 *
 * A message at the end of each claim would need a second connection, and would be lost with it. A look also
 * sees a claim whose holder died.
 *
 * @param leaseLeftMs How long the claim may still hold; 0 when it has ended.
 */
export async function pollRelease(leaseLeftMs: () => Promise<number>, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (let waitMs = FIRST_LOOK_AFTER_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_BETWEEN_LOOKS_MS)) {
    const heldMs = await leaseLeftMs();
    const leftMs = deadline - performance.now();
    if (heldMs === 0 || leftMs <= 0) return;
    await delay(Math.min(waitMs, leftMs, heldMs));
  }
}

const FIRST_WAIT_MS = 50;
const GIVE_UP_AFTER_MS = 1_000;

/**
 * Writes the record of an effect. If the storage fails, tries again for about a second, and at least once: a
 * lost connection or a lost answer must not cost the record, or the effect would happen again.
 */
export async function retryWrite(write: () => Promise<boolean>): Promise<boolean> {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
    try {
      return await write();
    } catch (error) {
      const isFirst = waitMs === FIRST_WAIT_MS;
      if (!isFirst && performance.now() + waitMs > giveUpAt) throw error;
    }
    await delay(waitMs);
  }
}

/** Eight tries in 25 seconds. */
const FIRST_REWRITE_MS = 100;
const LAST_REWRITE_MS = 12_800;

/** Tries failed writes again for a while. Nobody waits for them, and they keep no process from ending. */
export class WriteRetryQueue {
  private readonly waiting = new Set<() => void>();
  private readonly running = new Set<Promise<unknown>>();

  /** Tries the write after a while. */
  add(write: () => Promise<unknown>, afterMs = FIRST_REWRITE_MS): void {
    if (afterMs > LAST_REWRITE_MS) return;
    const tryNow = (): void => {
      clearTimeout(timer);
      this.waiting.delete(tryNow);
      this.begin(write, afterMs * 2);
    };
    const timer = setTimeout(tryNow, afterMs).unref();
    this.waiting.add(tryNow);
  }

  /** Tries the write now, and again if it fails. */
  begin(write: () => Promise<unknown>, againAfterMs = FIRST_REWRITE_MS): void {
    this.hold(
      write().catch(() => {
        this.add(write, againAfterMs);
      }),
    );
  }

  /** Lets `flush` wait for work that nobody else waits for any more. */
  hold(work: Promise<unknown>): void {
    const ended: Promise<unknown> = work.catch(() => undefined).finally(() => this.running.delete(ended));
    this.running.add(ended);
  }

  /** Tries everything that waits once more, without waiting any longer, and waits for what is running. */
  async flush(): Promise<void> {
    for (const tryNow of [...this.waiting]) tryNow();
    // What fails may begin another write, such as a rollback.
    while (this.running.size > 0) await Promise.all(this.running);
  }
}
