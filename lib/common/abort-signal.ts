import EventEmitter, { getMaxListeners, setMaxListeners } from 'node:events';

/** As many as Node's own `fetch` allows. */
const MANY_LISTENERS = 1500;

/** What is wrong with an option `signal`; undefined if nothing is. */
export function signalProblem(value: unknown): string | undefined {
  return value instanceof AbortSignal
    ? undefined
    : 'must be an AbortSignal: write new AbortController().signal';
}

/**
 * Node warns of a leak above ten listeners, and one signal of the application may end many calls: that of its shutdown, for
 * example. Another number than the default is that of the application, and stays.
 */
export function allowManyListeners(signal: AbortSignal): void {
  try {
    if (getMaxListeners(signal) === EventEmitter.defaultMaxListeners) setMaxListeners(MANY_LISTENERS, signal);
  } catch {
    // Node reads no limit of 0, and none of a signal that is not its own, of jsdom for example.
  }
}
