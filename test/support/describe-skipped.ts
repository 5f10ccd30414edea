import { describe } from 'vitest';

/** A `describe` that is skipped, and says why, although Jest prints only how many were skipped. */
export function describeSkipped(name: string, reason: string, specs: () => void): void {
  process.stderr.write(`skipped: ${name}: ${reason}\n`);
  describe.skip(`${name} (skipped: ${reason})`, specs);
}
