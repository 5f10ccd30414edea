import { vi } from 'vitest';
import { isCalledByLibrary } from './patient-library.js';

type Handle = ReturnType<typeof setTimeout>;

/**
 * Follows the timers that the library starts, and returns how many wait. Call it after the timers were faked. The
 * specs of a worker share a process, so a count of all timers has those of others, such as a server that still closes.
 */
export function libraryTimers(): () => number {
  const { setTimeout: start, clearTimeout: stop } = globalThis;
  const waiting = new Set<Handle>();
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((run: () => void, ms?: number): Handle => {
    const handle = start(() => {
      waiting.delete(handle);
      run();
    }, ms);
    if (isCalledByLibrary(new Error())) waiting.add(handle);
    return handle;
  });
  vi.spyOn(globalThis, 'clearTimeout').mockImplementation(((handle?: Handle): void => {
    if (handle !== undefined) waiting.delete(handle);
    stop(handle);
  }) as typeof clearTimeout);
  return () => waiting.size;
}
