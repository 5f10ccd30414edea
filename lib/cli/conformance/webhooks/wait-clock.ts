import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 200;

/** The time that waits follow. */
export interface WaitClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves to whether it became true in time. */
  until(isSo: () => boolean, timeoutMs: number): Promise<boolean>;
}

/** The time of this machine. */
export const machineClock: WaitClock = {
  now: () => Date.now(),
  async until(isSo, timeoutMs) {
    const end = Date.now() + timeoutMs;
    while (!isSo()) {
      const left = end - Date.now();
      if (left <= 0) return false;
      await pause(Math.min(left, LOOK_EVERY_MS));
    }
    return true;
  },
};
