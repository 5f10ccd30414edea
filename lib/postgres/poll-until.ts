import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 320;

/** Asks again and again, with growing pauses, until the answer is yes or the time is up. */
export async function pollUntil(ask: () => Promise<boolean>, timeoutMs: number): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs;
  let pauseMs = FIRST_PAUSE_MS;
  while (!(await ask())) {
    const leftMs = giveUpAt - performance.now();
    if (leftMs <= 0) return;
    await delay(Math.min(pauseMs, leftMs));
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}
