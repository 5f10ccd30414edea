import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

const FIRST_WAIT_MS = 50;
const GIVE_UP_AFTER_MS = 1_000;

/**
 * Writes something down, for about a second again where the storage does not take it, and once again in any case: a client
 * that makes its connection anew, or an answer that was lost, must not cost an effect that has happened its record, for then it
 * would happen again.
 */
export async function insist(write: () => Promise<boolean>): Promise<boolean> {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
    try {
      return await write();
    } catch (error) {
      const isFirst = waitMs === FIRST_WAIT_MS;
      if (!isFirst && performance.now() + waitMs > giveUpAt) throw error;
    }
    await pause(waitMs);
  }
}
