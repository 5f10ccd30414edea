import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** How long to pause between two looks at a running claim: shortly at first, then longer. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;

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
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const heldMs = await leaseLeftMs();
    const leftMs = deadline - performance.now();
    if (heldMs === 0 || leftMs <= 0) return;
    await delay(Math.min(pauseMs, leftMs, heldMs));
  }
}
