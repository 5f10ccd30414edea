import { vi } from 'vitest';

/** A loaded machine is slow, and the limit of the test ends what never becomes true. */
const PATIENCE_MS = 50_000;

/** Looks again until a check passes. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: PATIENCE_MS });
}
