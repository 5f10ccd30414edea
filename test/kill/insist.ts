import { setTimeout as pause } from 'node:timers/promises';

const AGAIN_AFTER_MS = 200;
const TRIES = 300;

/** Tries again while the storage is away, or too slow for its caller. */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES) throw error;
      await pause(AGAIN_AFTER_MS);
    }
  }
}
