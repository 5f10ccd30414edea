import { setTimeout as delay } from 'node:timers/promises';

/** More turns of the event loop, timers included, than any work takes that waits for nothing from outside. */
const TURNS = 30;
const SHORTEST_TIMER_MS = 1;

/**
 * How `work` ends, which has to end without an answer from a socket. Counted in turns of the event loop, which a slow machine
 * makes slowly.
 */
export async function atOnce<T>(work: Promise<T>): Promise<T> {
  const late = Symbol();
  const ended = await Promise.race([work, turns().then(() => late)]);
  if (ended === late) throw new Error('It still waits, and nothing more may be waited for.');
  return ended as T;
}

/**
 * How the work ends that is started here and has to end by then. Measured with a timer of the same length and not with a
 * clock: a machine that stands still delays both.
 */
export async function endedAfter<T>(ms: number, start: () => Promise<T>): Promise<T> {
  const work = start();
  await Promise.race([work.catch(() => undefined), delay(ms)]);
  return atOnce(work);
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await delay(SHORTEST_TIMER_MS);
}
