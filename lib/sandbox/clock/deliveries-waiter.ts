import { setTimeout as passed } from 'node:timers/promises';

/** Real time without a delivery that ends: then a handler may wait for the clock itself. */
const SILENCE_MS = 200;

type Tries = Iterable<Promise<unknown>>;

/**
 * Returns a function that waits until all tries to deliver have finished, except for the known ones. While a handler
 * may wait for the clock, it waits for a try until nothing ends for a short time: the clock and the handler would
 * otherwise wait for each other until the webhook times out.
 */
export function deliveriesWaiter(
  running: () => Tries,
  known: ReadonlySet<Promise<unknown>>,
  mayWaitForClock: () => boolean,
): () => Promise<void> {
  const silent = new Set<Promise<unknown>>();
  const unfinished = (): Promise<unknown>[] =>
    [...running()].filter((one) => !known.has(one) && !(silent.has(one) && mayWaitForClock()));
  return async () => {
    for (let tries = unfinished(); tries.length > 0; tries = unfinished()) {
      const couldWait = mayWaitForClock();
      await Promise.race([Promise.all(tries), passed(SILENCE_MS, undefined, { ref: false })]);
      const left = new Set(running());
      if (couldWait && tries.every((one) => left.has(one))) for (const one of tries) silent.add(one);
    }
  };
}
