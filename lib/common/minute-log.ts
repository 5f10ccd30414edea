import { performance } from 'node:perf_hooks';

const LOG_EVERY_MS = 60_000;

/** Writes one line a minute at most, because strangers may cause what it reports. */
export class MinuteLog {
  private silentUntil = -Infinity;
  private unreported = 0;

  constructor(private readonly write: (line: string) => void) {}

  /** @param problem Without a full stop. */
  report(problem: string): void {
    const now = performance.now();
    if (now < this.silentUntil) {
      this.unreported += 1;
      return;
    }
    const more = this.unreported > 0 ? ` (${this.unreported} more since the last line)` : '';
    this.write(`${problem}${more}.`);
    this.silentUntil = now + LOG_EVERY_MS;
    this.unreported = 0;
  }
}
